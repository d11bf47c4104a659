"""Which pairs of a paragraph and a human review are used."""

from __future__ import annotations

from typing import Any

from evals.datasets.paragraph_pairs import choose_pairs


def pair(name: str, paper: str, *, split: str = "dev", feedback: str | None = "Six trays are few.") -> dict[str, Any]:
    return {"id": name, "paper_id": paper, "split": split, "feedback": feedback}


def test_as_many_papers_as_possible_are_used() -> None:
    pairs = [pair(f"{paper}{number}", paper) for paper in "abc" for number in (1, 2)]
    assert [each["id"] for each in choose_pairs(pairs, "dev", 5)] == ["a1", "b1", "c1", "a2", "b2"]


def test_pairs_of_other_splits_and_without_feedback_are_left_out() -> None:
    pairs = [pair("train", "a", split="train"), pair("none", "b", feedback=None), pair("good", "c")]
    assert [each["id"] for each in choose_pairs(pairs, "dev", 9)] == ["good"]
