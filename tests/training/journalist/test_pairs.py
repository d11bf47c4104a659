"""Abstracts with their summaries are read strictly, and no paper is on both sides of the split."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from state.errors import InputError
from tests.support.corpus_files import write_lines
from training.journalist.pairs import SummaryPair, read_summary_pairs, split_pairs_by_paper


def made(number: int, **fields: Any) -> dict[str, Any]:
    return {"abstract": f"Abstract {number}.", "summary": f"Summary {number}.", "doi": f"10.1/{number}"} | fields


def pairs(count: int) -> list[SummaryPair]:
    return [SummaryPair(**made(number)) for number in range(count)]


def dois(found: list[SummaryPair]) -> set[str | None]:
    return {pair.doi for pair in found}


def test_files_are_read_in_order_and_other_fields_are_ignored(tmp_path: Path) -> None:
    first = write_lines(tmp_path / "a.jsonl", [made(1, year=2020, title=None)])
    second = write_lines(tmp_path / "b.jsonl", [made(2, summary=" Spaces around. \u2028 ") | {"doi": None}])
    second.write_bytes(second.read_bytes() + b"\n  \n")
    found = read_summary_pairs([first, second])
    assert [pair.abstract for pair in found] == ["Abstract 1.", "Abstract 2."]
    assert found[1].summary == "Spaces around."


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"abstract": "a"}', "`summary`"),
        ('{"abstract": "a", "summary": " "}', "`summary`"),
        ('{"abstract": 1, "summary": "b"}', "`abstract`"),
        ('["a", "b"]', "is no JSON object"),
        ('{"abstract": "a", ', "is no JSON"),
    ],
)
def test_a_line_that_is_no_pair_is_named(tmp_path: Path, line: str, reason: str) -> None:
    path = write_lines(tmp_path / "pairs.jsonl", [made(1), made(2)])
    path.write_text(f"{path.read_text()}\n{line}\n")
    with pytest.raises(InputError, match=r"Line 4 of .*pairs\.jsonl") as caught:
        read_summary_pairs([path])
    assert reason in str(caught.value)


def test_of_two_texts_of_a_paper_the_first_is_kept(tmp_path: Path) -> None:
    published = made(1, title="Moss: a study", doi="10.7554/eLife.123")
    copies = [
        made(2, doi="https://doi.org/10.7554/ELIFE.123"),
        made(3, doi=None, title="MOSS – a study"),  # a collection that leaves DOIs out
        made(4, doi=" doi:10.7554/elife.123"),
    ]
    other = made(5, doi=None, title="Moss, another study")
    files = [write_lines(tmp_path / "a.jsonl", [published]), write_lines(tmp_path / "b.jsonl", [*copies, other])]
    assert [pair.abstract for pair in read_summary_pairs(files)] == ["Abstract 1.", "Abstract 5."]
    assert [pair.abstract for pair in read_summary_pairs(files[::-1])] == ["Abstract 2.", "Abstract 5."]


def test_texts_without_doi_and_title_are_papers_of_their_own(tmp_path: Path) -> None:
    bare = [{"abstract": f"Abstract {number}.", "summary": "The same."} for number in (1, 2, 1)]
    assert len(read_summary_pairs([write_lines(tmp_path / "a.jsonl", [*bare])])) == 2


def test_a_paper_never_changes_sides_when_there_is_more_data() -> None:
    few, many = split_pairs_by_paper(pairs(60), 0.2, seed=1), split_pairs_by_paper(pairs(300)[::-1], 0.2, seed=1)
    assert dois(few.dev) < dois(many.dev)
    assert dois(few.train) < dois(many.train)
    assert dois(many.dev).isdisjoint(dois(many.train))
    assert len(many.dev) + len(many.train) == 300
    assert 0.1 < len(many.dev) / 300 < 0.3


def test_the_seed_decides_which_papers_are_kept_from_training() -> None:
    first, again, other = (split_pairs_by_paper(pairs(60), 0.2, seed) for seed in (1, 1, 2))
    assert first == again
    assert dois(first.dev) != dois(other.dev)


@pytest.mark.parametrize("share", [1e-9, 1 - 1e-9])
def test_papers_that_are_too_few_for_two_sides_are_an_error(share: float) -> None:
    with pytest.raises(InputError, match="5 papers are too few"):
        split_pairs_by_paper(pairs(5), share, seed=1)
