"""What each training plan is written from (SWIF2T, "Training the plan re-ranker"); `writing.py` has the table."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from state.errors import BadInput
from state.settings import ModelSettings
from tools.jobs import Record
from training.plan_reranker.generic_comments import GENERIC_COMMENTS
from training.plan_reranker.writing import Assignment, Criterion

_QUESTIONS = (2, 4)
"""Fewest and most questions of a plan."""


def with_aspects(pairs: Sequence[Record], classifier: Path | None) -> list[Record]:
    """Those pairs whose review is about one of the five types of weakness, with that type as `aspect`.

    Raises:
        BadInput: There is no classifier, and a pair has no aspect.
        SettingsError: The classifier cannot be loaded.
    """
    if classifier:
        from training.review_filters.classifier import load_classifier  # noqa: PLC0415 - loads torch

        found = load_classifier(classifier, "aspect").classify([pair["feedback"] for pair in pairs])
        pairs = [{**pair, "aspect": each.label} for pair, each in zip(pairs, found, strict=True)]
    elif untyped := [pair["id"] for pair in pairs if not pair.get("aspect")]:
        raise BadInput(f"{len(untyped)} pairs have no aspect, {untyped[0]} for one; name a classifier with --aspects.")
    return [pair for pair in pairs if pair["aspect"] in GENERIC_COMMENTS]


def assignment_of(
    pair: Record, criterion: Criterion, pairs: Sequence[Record], papers: Mapping[str, Record], model: ModelSettings
) -> Assignment:
    """What the plan of a paragraph is written from; the same every time.

    Raises:
        BadInput: There is no other paper to take a comment from.
    """
    paper = papers[pair["paper_id"]]
    return Assignment(
        title=paper["title"],
        abstract=paper["abstract"] or "There is no abstract.",
        section=pair["section"] or "",
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
