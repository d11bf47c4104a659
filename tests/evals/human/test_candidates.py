"""Texts for raters, read from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evals.human.candidates import read_candidates
from state.errors import BadInput


def write(folder: Path, *records: dict[str, Any]) -> Path:
    path = folder / "candidates.jsonl"
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    return path


def record(**fields: Any) -> dict[str, Any]:
    return {"id": "moss", "system": "Umber", "text": "Moss drinks rain.", **fields}


def test_a_candidate_has_what_its_line_says(tmp_path: Path) -> None:
    beside = {"paragraph": "It rained.", "paper": "Rain.", "link": "https://example.org/moss"}
    fields = {"title": "Moss", "topic": "botany", **beside}
    (found,) = read_candidates(write(tmp_path, record(**fields, run="r7")))
    assert found.model_dump() == record(**fields)


def test_what_is_not_known_is_empty(tmp_path: Path) -> None:
    (found,) = read_candidates(write(tmp_path, record()))
    assert [found.title, found.topic, found.paragraph, found.paper, found.link] == [""] * 5


@pytest.mark.parametrize("missing", ["id", "system", "text"])
def test_what_is_needed_is_asked_for_by_line(tmp_path: Path, missing: str) -> None:
    bare = {name: value for name, value in record().items() if name != missing}
    with pytest.raises(BadInput, match=rf"Line 2 of .*: `{missing}`: field required"):
        read_candidates(write(tmp_path, record(system="Cobalt"), bare))


@pytest.mark.parametrize("link", ["javascript:alert(1)", "data:text/html,x", "paper.pdf", "https://a b"])
def test_a_link_leads_to_the_web(tmp_path: Path, link: str) -> None:
    with pytest.raises(BadInput, match=r"Line 1 of .*: `link`"):
        read_candidates(write(tmp_path, record(link=link)))


def test_a_text_that_says_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"Line 1 of .*: `text`"):
        read_candidates(write(tmp_path, record(text=" \n")))


def test_a_system_has_one_text_for_a_sample(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"Line 1 of .* and Line 3 of .* are both what 'Umber' wrote for 'moss'"):
        read_candidates(write(tmp_path, record(), record(system="Cobalt"), record(text="Another.")))


@pytest.mark.parametrize("field", ["title", "topic", "paragraph", "paper"])
def test_what_is_shown_beside_a_text_is_the_same_for_all_systems(tmp_path: Path, field: str) -> None:
    with pytest.raises(BadInput, match=rf"Line 1 of .* and Line 2 of .* differ in the {field} of 'moss'"):
        read_candidates(write(tmp_path, record(), record(system="Cobalt", **{field: "told apart"})))


def test_a_file_without_candidates_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is empty"):
        read_candidates(write(tmp_path))


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.jsonl cannot be read"):
        read_candidates(tmp_path / "nowhere.jsonl")
