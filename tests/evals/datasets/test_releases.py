"""The published releases, in small: each is recognised by what is there, and read as it stands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evals.datasets.corpora import load_corpus
from state.errors import InputError
from tests.support.corpus_files import (
    write_cochrane,
    write_f1000rd,
    write_lines,
    write_list,
)

# Cochrane


def test_cochrane_is_three_files_of_lines(tmp_path: Path) -> None:
    folder = write_cochrane(
        tmp_path / "data-1024", "val", [("10.1/a", "An RCT\u2028of tea.", "A study."), ("b", "2", "3")]
    )
    write_cochrane(folder, "train", [("10.1/c", "Other.", "One.")])
    assert load_corpus(folder, "simplification") == [
        {"id": "10.1/a", "corpus": "Cochrane", "source": "An RCT\u2028of tea.", "target": "A study."},
        {"id": "b", "corpus": "Cochrane", "source": "2", "target": "3"},
    ]
    assert [each["id"] for each in load_corpus(folder, "simplification", "all")] == ["10.1/c", "10.1/a", "b"]


def test_cochrane_without_ids_is_numbered(tmp_path: Path) -> None:
    folder = write_cochrane(tmp_path / "data-1024", "test", [("", "A.", "B."), ("", "C.", "D.")], doi=False)
    assert [each["id"] for each in load_corpus(folder, "simplification", "test")] == ["test-1", "test-2"]


def test_cochrane_files_must_have_as_many_lines(tmp_path: Path) -> None:
    folder = write_cochrane(tmp_path / "data-1024", "val", [("a", "A.", "B."), ("b", "C.", "D.")])
    (folder / "val.target").write_text("B.\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"val.target has 1 lines and val.source 2"):
        load_corpus(folder, "simplification")


def test_a_split_that_cochrane_lacks_is_named(tmp_path: Path) -> None:
    folder = write_cochrane(tmp_path / "data-1024", "train", [("a", "A.", "B.")])
    with pytest.raises(InputError, match=r"has no dev.source or val.source or valid.source"):
        load_corpus(folder, "simplification")


# eLife and PLOS


LAY: dict[str, Any] = {
    "id": "elife-1",
    "year": "2017",
    "title": "Mice",
    "sections": [["A ."]],
    "headings": ["Introduction"],
    "abstract": ["We saw a mouse .", "It  ran ."],
    "summary": ["A mouse", "ran ."],
    "keywords": ["mice"],
}


def test_lay_summaries_are_lists_of_sentences(tmp_path: Path) -> None:
    write_list(tmp_path / "eLife" / "val.json", [LAY])
    write_list(tmp_path / "eLife" / "test.json", [{**LAY, "id": "elife-2"}])
    texts = {"abstract": "We saw a mouse . It ran .", "summary": "A mouse ran .", "title": "Mice"}
    expected = {"corpus": "eLife", **texts, "link": ""}
    assert load_corpus(tmp_path / "eLife", "journalism") == [{"id": "elife-1", **expected}]
    assert load_corpus(tmp_path / "eLife" / "test.json", "journalism") == [{"id": "elife-2", **expected}]
    assert [each["id"] for each in load_corpus(tmp_path / "eLife", "journalism", "all")] == ["elife-1", "elife-2"]


def test_a_folder_without_the_split_is_none(tmp_path: Path) -> None:
    write_list(tmp_path / "PLOS" / "val.json", [LAY])
    with pytest.raises(InputError, match=r"eLife or PLOS.*no file in it that is named for the split 'train'\.$"):
        load_corpus(tmp_path / "PLOS", "journalism", "train")


# SCITech


SCITECH: dict[str, Any] = {
    "id": 37,
    "pr-title": "What's in a Name?",
    "pr-article": "Long.",
    "pr-summary": "Researchers found it .\nIt matters .",
    "sc-title": "On names",
    "sc-abstract": "Context : names .\nResults : they matter .",
    "sc-article": "Longer.",
    "sc-sections": ["One."],
    "sc-section_names": ["INTRODUCTION"],
    "sc-authors": ["A. Author | Somewhere"],
}


@pytest.mark.parametrize("write", [write_list, write_lines])
def test_scitech_pairs_a_paper_with_a_press_release(tmp_path: Path, write: Any) -> None:
    alone = {**SCITECH, "id": 38, "sc-abstract": None}
    write(tmp_path / "valid.json", [SCITECH, alone, {**SCITECH, "id": 39, "sc-abstract": ""}])
    assert load_corpus(tmp_path, "journalism") == [
        {
            "id": "valid-37",
            "corpus": "SCITech",
            "abstract": "Context : names . Results : they matter .",
            "summary": "Researchers found it . It matters .",
            "title": "On names",
            "link": "",
        }
    ]


def test_numbers_of_scitech_begin_anew_in_each_part(tmp_path: Path) -> None:
    for part in ("valid", "test"):
        write_list(tmp_path / f"{part}.json", [SCITECH])
    assert [each["id"] for each in load_corpus(tmp_path, "journalism", "all")] == ["valid-37", "test-37"]


# F1000RD

CRITICISED = {
    "id": "7-1_v1_4/r1",
    "corpus": "F1000RD",
    "paper_id": "7-1",
    "paper": (
        "# Cold tea\n\n## Abstract\n\nIt grows.\n\n## Methods\n\nWe poured tea. We did so daily.\n\nThen we measured."
    ),
    "paragraph": "We poured tea. We did so daily.",
    "feedback": "How much tea? Daily is too often.",
    "aspect": None,
    "link": "",
}


@pytest.mark.parametrize("folder", [".", "data", "data/itg"])
def test_f1000rd_pairs_a_paragraph_with_what_a_review_criticises(tmp_path: Path, folder: str) -> None:
    write_f1000rd(tmp_path, splits={"7-1": "dev", "7-2": "train"})
    assert load_corpus(tmp_path / folder, "feedback") == [CRITICISED]


def test_papers_of_f1000rd_belong_to_a_split(tmp_path: Path) -> None:
    write_f1000rd(tmp_path, splits={"7-1": "train", "7-2": "dev"})
    assert load_corpus(tmp_path, "feedback", "train") == [CRITICISED]
    with pytest.raises(InputError, match="no feedback samples in its part 'dev'"):
        load_corpus(tmp_path, "feedback")


def test_f1000rd_without_its_splits_is_read_as_a_whole_only(tmp_path: Path) -> None:
    write_f1000rd(tmp_path)
    assert load_corpus(tmp_path, "feedback", "all") == [CRITICISED]
    with pytest.raises(InputError, match=r"splits.csv is missing, which lists the papers of the split 'dev'"):
        load_corpus(tmp_path, "feedback")


@pytest.mark.parametrize(
    ("file", "text", "problem"),
    [
        ("v1.json", "{", r"v1.json is no intertextual graph of F1000RD"),
        ("reviews/r1.json", '{"nodes": []}', r"r1.json is no intertextual graph of F1000RD: `span_nodes`"),
        ("linking/r1.csv", "review_sentence_id\nr1_0@0\n", r"Row 1 of .*r1.csv cannot be used: `paper_sentence_id`"),
    ],
)
def test_a_damaged_file_of_f1000rd_is_named(tmp_path: Path, file: str, text: str, problem: str) -> None:
    write_f1000rd(tmp_path)
    (tmp_path / "data" / "itg" / "7-1" / file).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=problem):
        load_corpus(tmp_path, "feedback", "all")


def test_a_broken_table_is_named(tmp_path: Path) -> None:
    path = tmp_path / "corpus.csv"
    path.write_text(f'id,source\n1,"{"x" * 200_000}"\n', encoding="utf-8")
    with pytest.raises(InputError, match=r"corpus.csv is no table that can be read \(field larger"):
        load_corpus(path, "simplification")
