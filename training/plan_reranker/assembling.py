"""Puts the plans of a paragraph together, if it has all four and they can be told apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import get_args

from tools.jobs import Record
from training.plan_reranker.checks import specificity
from training.plan_reranker.writing import Criterion

CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


def assemble(pairs: Sequence[Record], log: Sequence[Record]) -> tuple[list[Record], Counter[str]]:
    """The paragraphs with their four plans, and how often what was missing.

    A plan that should lack specificity, but says as much about the paragraph as the optimal one, does not count.
    """
    written = {(line["id"], line["criterion"]): line for line in log}
    records, lost = list[Record](), Counter[str]()
    for pair in pairs:
        lines = {criterion: written.get((pair["id"], criterion), {}) for criterion in CRITERIA}
        own = {criterion: str(line["plan"]) for criterion, line in lines.items() if line.get("plan")}
        if missing := [criterion for criterion in CRITERIA if criterion not in own]:
            lost.update(missing)
        elif _told_apart(own, pair):
            kept = {key: pair[key] for key in ("id", "paper_id", "split", "section", "paragraph", "aspect")}
            records.append({**kept, "review": pair["feedback"], "model": lines["optimal"]["model"], "plans": own})
        else:
            lost["as specific as the optimal one"] += 1
    return records, lost


def _told_apart(plans: Mapping[Criterion, str], pair: Record) -> bool:
    paragraph, review = pair["paragraph"], pair["feedback"]
    return specificity(plans["specificity"], paragraph, review) < specificity(plans["optimal"], paragraph, review)
