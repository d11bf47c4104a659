"""What each training plan is written from (SWIF2T, "Training the plan re-ranker"); `writing.py` has the table."""

from __future__ import annotations

import random
from collections.abc import Sequence

from runs.many import Record
from state.errors import BadInput
from state.settings import ModelSettings
from training.plan_reranker.generic_comments import GENERIC_COMMENTS
from training.plan_reranker.writing import Assignment, Criterion

_QUESTIONS = (2, 4)
"""Fewest and most questions of a plan."""


def in_scope(pairs: Sequence[Record]) -> list[Record]:
    """Those pairs whose review criticises something, and is about one of the five types of weakness.

    Raises:
        BadInput: If nobody has said what a pair is about.
    """
    criticised = [pair for pair in pairs if pair["feedback"]]
    if untyped := [pair["id"] for pair in criticised if not pair.get("aspect")]:
        raise BadInput(
            f"{len(untyped)} pairs have no aspect, {untyped[0]} for one; "
            "python -m training.review_filters.label_aspects labels them."
        )
    return [pair for pair in criticised if pair["aspect"] in GENERIC_COMMENTS]


def assignment_of(pair: Record, criterion: Criterion, pairs: Sequence[Record], model: ModelSettings) -> Assignment:
    """What the plan of a paragraph is written from; the same every time.

    Raises:
        BadInput: There is no other paper to take a comment from.
    """
    return Assignment(
        paragraph=pair["paragraph"],
        comment=_comment(pair, criterion, pairs),
        questions=_chance(pair).randint(*_QUESTIONS),
        structured=criterion != "structure",
        model=model,
    )


def _comment(pair: Record, criterion: Criterion, pairs: Sequence[Record]) -> str:
    if criterion == "specificity":
        return GENERIC_COMMENTS[pair["aspect"]]
    if criterion == "coherence":
        others = [
            other
            for other in pairs
            if (other["split"], other["paper_id"] == pair["paper_id"]) == (pair["split"], False)
        ]
        if not others:
            raise BadInput(f"The pairs of the split {pair['split']} are all of one paper; give pairs of more papers.")
        pair = _chance(pair).choice(others)
    return str(pair["feedback"])


def _chance(pair: Record) -> random.Random:
    return random.Random(pair["id"])  # noqa: S311 - no secret
