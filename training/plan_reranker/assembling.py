"""Puts the plans of a paragraph together, if it has all four and they can be told apart."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from runs.many import Record
from training.plan_reranker.checks import pertinence
from training.plan_reranker.normalising import questions_of
from training.plan_reranker.writing import Criterion

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


def assemble(pairs: Sequence[Record], log: Sequence[Record]) -> tuple[list[Record], Counter[str]]:
    """The paragraphs with their four plans, and how often what was missing.

    A model that keeps to the paragraph, whatever comment it is given, writes no plan that lacks coherence. Then the
    optimal plan of a paragraph of another paper takes its place; `coherence_of` names that paragraph (ours). A plan
    that should lack specificity, but asks as much about what the review is about as the optimal one, does not count;
    words of the paragraph say nothing here, for the model sees it whatever it is to lack.
    """
    written = {(line["id"], line["criterion"]): line for line in log}
    optimal = {id_: line["plan"] for (id_, criterion), line in written.items() if criterion == "optimal"}
    records, lost = list[Record](), Counter[str]()
    for pair in pairs:
        lines = {criterion: written.get((pair["id"], criterion), {}) for criterion in CRITERIA}
        own = {criterion: str(line["plan"]) for criterion, line in lines.items() if line.get("plan")}
        borrowed = None if "coherence" in own else _elsewhere(pair, pairs, optimal)
        if borrowed:
            own["coherence"] = str(optimal[borrowed])
        if missing := [criterion for criterion in CRITERIA if criterion not in own]:
            lost.update(missing)
        elif _told_apart(own, pair["feedback"]):
            kept = {key: pair[key] for key in ("id", "paper_id", "split", "section", "paragraph", "aspect")}
            made = {"review": pair["feedback"], "model": lines["optimal"]["model"], "coherence_of": borrowed}
            records.append({**kept, **made, "plans": own})
        else:
            lost["as specific as the optimal one"] += 1
    return records, lost


def _elsewhere(pair: Record, pairs: Sequence[Record], optimal: Mapping[str, str | None]) -> str | None:
    """A paragraph of another paper whose optimal plan asks as much as that of the pair; the same one every time."""
    plan = optimal.get(pair["id"])
    others = [
        str(other["id"])
        for other in pairs
        if (other["split"], other["paper_id"] == pair["paper_id"]) == (pair["split"], False)
        and (theirs := optimal.get(other["id"]))
        and plan
        and questions_of(theirs) == questions_of(plan)
    ]
    return random.Random(pair["id"]).choice(others) if others else None  # noqa: S311 - no secret


def _told_apart(plans: Mapping[Criterion, str], review: str) -> bool:
    return pertinence(plans["specificity"], review) < pertinence(plans["optimal"], review)
