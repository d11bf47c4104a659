"""The same paper under other names, and one list from many."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tools.literature.conftest import document
from tests.tools.literature.test_providers import hit
from tools.literature.records import (
    ReviewedPaper,
    extract_identifiers,
    identify_reviewed_paper,
    is_same_document,
    is_same_study,
    merge_hits,
    normalize_title,
)

ABSTRACT = " ".join(f"word{number}" for number in range(60))
PAPER = ReviewedPaper(
    title="Attention in Moss: How Plants Look at Light",
    abstract=ABSTRACT,
    sha256="ab" * 32,
    identifiers=["arxiv:2301.00001", "doi:10.1000/moss.1"],
)


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("https://arxiv.org/abs/2301.00001v3", "arxiv:2301.00001"),
        ("http://arxiv.org/pdf/2301.00001.pdf", "arxiv:2301.00001"),
        ("arXiv:2301.00001", "arxiv:2301.00001"),
        ("https://doi.org/10.48550/arXiv.2301.00001", "arxiv:2301.00001"),
        ("arxiv:hep-th/9901001v1", "arxiv:hep-th/9901001"),
        ("https://doi.org/10.1000/Moss.1?a=b", "doi:10.1000/moss.1"),
        ("(10.1000/moss.1).", "doi:10.1000/moss.1"),
    ],
)
def test_ways_to_write_an_identifier(value: str, name: str) -> None:
    assert extract_identifiers([value, None, "", "no name", value]) == [name]


def test_a_reference_may_have_an_arxiv_number_and_a_doi() -> None:
    text = "A. Green. Moss. arXiv:2301.00001. doi:10.1000/moss.1"
    assert extract_identifiers([text]) == ["arxiv:2301.00001", "doi:10.1000/moss.1"]


def test_case_accents_and_punctuation_make_no_other_title() -> None:
    assert normalize_title("  Über Moose: Größe & Licht!") == normalize_title("Uber moose (grösse) licht")


@pytest.mark.parametrize(
    "same",
    [
        {"title": "ATTENTION IN MOSS - how plants look at light"},
        {"title": "Attention in moss: how plants look at the light"},
        {"title": "Another name", "identifiers": ["arxiv:2301.00001"]},
        {"title": "Another name", "identifiers": ["doi:10.1000/moss.1"]},
        {"title": "Another name", "abstract": ABSTRACT.replace("word7 ", "").upper()},
    ],
    ids=["case", "a word more", "arXiv", "DOI", "abstract"],
)
def test_the_paper_under_review_is_recognised(same: dict[str, Any]) -> None:
    assert is_same_study(hit("arxiv", **same), PAPER)


@pytest.mark.parametrize(
    "other",
    [
        {"title": "Attention in Fern: How Animals Look at Light"},
        {"title": "Attention in Moss"},
        {"title": ""},
        {"title": "Another name", "identifiers": ["arxiv:2301.00002"]},
        {"title": "Another name", "abstract": ABSTRACT[:200]},
        {"title": "Another name", "abstract": "word1 word2"},
    ],
    ids=["alike", "shorter", "none", "arXiv", "half the abstract", "short abstract"],
)
def test_others_are_not_taken_for_it(other: dict[str, Any]) -> None:
    assert not is_same_study(hit("arxiv", **other), PAPER)


def test_a_document_is_recognised_by_its_file_title_or_abstract() -> None:
    assert is_same_document(document("words", digest="ab" * 32), PAPER)
    assert is_same_document(document("words", title="Attention in Moss how plants look at light"), PAPER)
    assert is_same_document(document("words", abstract=ABSTRACT), PAPER)
    assert not is_same_document(document("words"), PAPER)


def test_short_titles_must_be_equal() -> None:
    short = ReviewedPaper(title="On moss", abstract="", sha256="", identifiers=[])
    assert is_same_study(hit("arxiv", title="On Moss."), short)
    assert not is_same_study(hit("arxiv", title="On moss too"), short)


def test_the_paper_under_review_is_described_with_its_stamp() -> None:
    paper = document(
        "A title\n\narXiv:2301.00001v2 [cs.CL] 3 Jan 2023\n\nSee arXiv:1706.03762.", "A title", "In short."
    )
    assert identify_reviewed_paper(paper, ["10.1000/moss.1"]) == ReviewedPaper(
        title="A title",
        abstract="In short.",
        sha256=paper["sha256"],
        identifiers=["doi:10.1000/moss.1", "arxiv:2301.00001"],
    )


def test_providers_take_turns() -> None:
    one = [hit("arxiv", title=f"A title {number}") for number in range(3)]
    two = [hit("crossref", title=f"Another title {number}") for number in range(1)]
    assert [found.title for found in merge_hits([one, two, []])] == [
        "A title 0",
        "Another title 0",
        "A title 1",
        "A title 2",
    ]


def test_a_study_stands_once_with_all_that_is_told_of_it() -> None:
    first = hit("crossref", title="Attention in moss", identifiers=["doi:10.1000/1"])
    by_doi = hit("openalex", title="Attention", identifiers=["doi:10.1000/1", "arxiv:2301.00001"], year=2023)
    by_arxiv = hit(
        "arxiv", title="Moss", identifiers=["arxiv:2301.00001"], abstract="We look.", address="https://a.example"
    )
    by_title = hit(
        "semantic_scholar", title="ATTENTION in Moss", pdf_address="https://b.example/a.pdf", authors=["Ada Green"]
    )
    assert merge_hits([[first], [by_doi], [by_arxiv], [by_title]]) == [
        hit(
            "crossref",
            title="Attention in moss",
            identifiers=["doi:10.1000/1", "arxiv:2301.00001"],
            year=2023,
            abstract="We look.",
            address="https://a.example",
            pdf_address="https://b.example/a.pdf",
            authors=["Ada Green"],
        )
    ]


def test_short_titles_do_not_make_studies_the_same() -> None:
    assert len(merge_hits([[hit("arxiv", title="Introduction")], [hit("crossref", title="Introduction")]])) == 2
