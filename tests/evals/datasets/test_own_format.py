"""Draftroom's own JSON Lines, and the files around them that are wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.datasets.corpora import load_corpus
from state.errors import InputError
from tests.support.corpus_files import PAPER, PAPER_TEXT, write_lines

ABSTRACT: dict[str, Any] = {"id": "a", "abstract": "We saw a mouse."}
PAIR: dict[str, Any] = {
    "id": "p1",
    "paper_id": "7-1",
    "paragraph": "We poured tea.",
    "feedback": "How much?",
    "split": "dev",
}


def test_fields_that_a_corpus_lacks_are_set_all_the_same(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "mice.jsonl", [{**ABSTRACT, "title": None, "year": 2008, "summary": " "}])
    assert load_corpus(path, "journalism") == [
        {"id": "a", "corpus": "mice", "abstract": "We saw a mouse.", "summary": None, "title": "", "link": ""}
    ]


@pytest.mark.parametrize(
    ("file", "corpus"),
    [
        ("elife.jsonl", "eLife"),
        ("PLOS-sample.jsonl", "PLOS"),
        ("scitechnews_toy.jsonl", "SCITech"),
        ("eLife_release/val.json", "eLife"),
        ("scitldr.jsonl", "scitldr"),
        ("mine/test.jsonl", "mine"),
    ],
)
def test_a_corpus_is_known_by_its_file_or_folder(tmp_path: Path, file: str, corpus: str) -> None:
    (sample,) = load_corpus(write_lines(tmp_path / file, [ABSTRACT]), "journalism")
    assert sample["corpus"] == corpus


def test_a_record_may_name_its_corpus(tmp_path: Path) -> None:
    (sample,) = load_corpus(write_lines(tmp_path / "elife.jsonl", [{**ABSTRACT, "corpus": "mice"}]), "journalism")
    assert sample["corpus"] == "mice"


def test_characters_that_end_a_line_elsewhere_do_not_here(tmp_path: Path) -> None:
    pair = {"id": "10.1002/x", "source": "one\u2028two", "target": "Ein Häuschen – 7 µm"}
    (sample,) = load_corpus(write_lines(tmp_path / "cochrane_val.jsonl", [pair]), "simplification")
    assert sample == {**pair, "corpus": "Cochrane"}


def test_a_paragraph_gets_the_paper_beside_it(tmp_path: Path) -> None:
    write_lines(tmp_path / "papers.jsonl", [{**PAPER, "paper_id": "other", "title": "Hot tea"}, PAPER])
    (sample,) = load_corpus(write_lines(tmp_path / "pairs.jsonl", [PAIR]), "feedback")
    assert sample == {
        "id": "p1",
        "corpus": "pairs",
        "paper_id": "7-1",
        "paper": PAPER_TEXT,
        "paragraph": "We poured tea.",
        "feedback": "How much?",
        "aspect": None,
        "link": "",
    }


def test_a_link_leads_to_the_paper_and_nowhere_else(tmp_path: Path) -> None:
    for record, kind in ((ABSTRACT, "journalism"), ({**PAIR, "paper": "# Tea"}, "feedback")):
        path = write_lines(tmp_path / f"{kind}.jsonl", [{**record, "link": "https://example.org/tea"}])
        assert [each["link"] for each in load_corpus(path, kind)] == ["https://example.org/tea"]
        write_lines(path, [{**record, "link": "javascript:alert(1)"}])
        with pytest.raises(InputError, match="`link`"):
            load_corpus(path, kind)


def test_an_abstract_that_is_a_section_is_not_repeated(tmp_path: Path) -> None:
    sections = [{"heading": "ABSTRACT", "paragraphs": [{"text": "It grows."}]}, *PAPER["sections"]]
    write_lines(tmp_path / "papers.jsonl", [{**PAPER, "sections": sections, "title": ""}])
    (sample,) = load_corpus(write_lines(tmp_path / "pairs.jsonl", [PAIR]), "feedback")
    assert sample["paper"] == "## ABSTRACT\n\nIt grows.\n\n## Methods\n\nWe poured tea.\n\nDaily."


def test_a_paper_of_its_own_needs_no_other_file(tmp_path: Path) -> None:
    whole = {**PAIR, "paper": "# Tea", "aspect": "Substance", "source_dataset": "F1000RD"}
    (sample,) = load_corpus(write_lines(tmp_path / "pairs.jsonl", [whole]), "feedback")
    assert (sample["paper"], sample["aspect"], sample["corpus"]) == ("# Tea", "Substance", "F1000RD")


def test_paragraphs_without_feedback_are_left_out(tmp_path: Path) -> None:
    silent = [{**PAIR, "id": "p2", "feedback": None}, {**PAIR, "id": "p3", "feedback": "", "paper_id": "unknown"}]
    write_lines(tmp_path / "papers.jsonl", [PAPER])
    assert [each["id"] for each in load_corpus(write_lines(tmp_path / "pairs.jsonl", [PAIR, *silent]), "feedback")] == [
        "p1"
    ]


def test_only_the_split_asked_for_is_read(tmp_path: Path) -> None:
    splits = {"a": "train", "b": "dev", "c": None, "d": "valid", "e": "test"}
    path = write_lines(tmp_path / "mice.jsonl", [{**ABSTRACT, "id": i, "split": s} for i, s in splits.items()])
    names = ("train", "dev", "validation", None, "all")
    found = {split: [each["id"] for each in load_corpus(path, "journalism", split)] for split in names}
    dev = ["b", "d"]
    assert found == {"train": ["a"], "dev": dev, "validation": dev, None: dev, "all": list("abcde")}


def test_a_file_that_is_not_divided_is_read_whole(tmp_path: Path) -> None:
    records = [{**ABSTRACT, "split": "BioLaySumm2025 eLife validation"}, {**ABSTRACT, "id": "b", "split": None}]
    assert len(load_corpus(write_lines(tmp_path / "mice.jsonl", records), "journalism", "test")) == 2


PAIR_LINE = json.dumps(PAIR)


@pytest.mark.parametrize(
    ("kind", "text", "problem"),
    [
        ("journalism", "[1]", r"Record 1 of .*mice.jsonl is no JSON object"),
        ("journalism", "[{]", r"mice.jsonl is no JSON \(.*line 1 "),
        ("journalism", "7\n", r"Line 1 of .*mice.jsonl is no JSON object"),
        ("journalism", '{"id": "a", "abstract": " "}', r"Line 1 of .*mice.jsonl cannot be used: `abstract`"),
        ("journalism", '{"id": "a", "text": "x"}', r"none of the formats .*SciTechNews.*the fields id, text\.$"),
        ("simplification", '{"id": "a", "abstract": "x"}', r"`source` and `target`.*data-1024"),
        ("journalism", "{}", r"Its first record has the fields \(none\)\.$"),
        ("feedback", PAIR_LINE, r"mice.jsonl only names its papers; put papers.jsonl"),
        ("feedback", f"{PAIR_LINE}\n".replace("How much?", ""), r"no feedback samples in its part 'dev'"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, kind: Any, text: str, problem: str) -> None:
    (tmp_path / "mice.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        load_corpus(tmp_path / "mice.jsonl", kind)


def test_a_paper_that_is_missing_is_named(tmp_path: Path) -> None:
    write_lines(tmp_path / "papers.jsonl", [{**PAPER, "paper_id": "other"}])
    path = write_lines(tmp_path / "pairs.jsonl", [PAIR])
    with pytest.raises(
        InputError, match=r"Line 1 of .*pairs.jsonl is about the paper '7-1', which .*papers.jsonl lacks"
    ):
        load_corpus(path, "feedback")
