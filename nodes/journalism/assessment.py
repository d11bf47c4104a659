"""Measure a draft: how hard it reads, what it says that the paper does not; end the loop; choose what is returned."""

from __future__ import annotations

import asyncio
from typing import Literal

from nodes.journalism.initialise import get_journalism_settings
from nodes.journalism.journalist import is_paper_first_draft
from nodes.shared import list_result_warnings
from state.journalism import Assessment, JournalismState
from tools.checks.fidelity import compute_coverage, list_unsupported_facts
from tools.checks.readability import compute_mean_grade, compute_readability
from tools.documents.reading import load_source_text


async def assess_draft(state: JournalismState) -> JournalismState:
    """Grade the newest draft, check its facts against the paper, and set the stop reason if the loop is over."""
    draft = state["drafts"][-1]
    assessment = await asyncio.to_thread(
        measure_draft, draft["round"], draft["text"], load_source_text(state["source"])
    )
    return {"assessments": [assessment], "stop_reason": choose_revision_stop_reason(state, assessment)}


def measure_draft(number: int, text: str, source: str) -> Assessment:
    """Measure `text` as the draft of round `number` of an article on `source`."""
    readability = compute_readability(text)
    return Assessment(
        round=number,
        readability=readability,
        mean_grade=round(compute_mean_grade(readability), 3),
        coverage=round(compute_coverage(text, source), 3),
        unsupported=list_unsupported_facts(text, source),
    )


def choose_revision_stop_reason(
    state: JournalismState, newest: Assessment
) -> Literal["", "rounds done", "converged", "single draft"]:
    """Why the loop ends after this draft; empty if it goes on."""
    chosen = get_journalism_settings(state)
    if chosen.variant == "single":
        return "single draft"
    if state["round"] >= chosen.rounds:
        return "rounds done"
    if chosen.stop == "converged" and state["assessments"]:
        gain = state["assessments"][-1]["mean_grade"] - newest["mean_grade"]
        return "converged" if gain < chosen.min_improvement else ""
    return ""


PUBLISHED_ROUND = 3
"""The paper keeps the third revision: readability falls steeply until then and levels off after it."""

MIN_COVERAGE_SHARE = 0.5
"""Of the coverage of the draft that covers most: a draft that has less has lost the subject or most of the story."""


UNREVISED_WARNING = "This is the paper's own text, which the run began with: no revision of it was chosen."


async def choose_draft(state: JournalismState) -> JournalismState:
    """Pick by `select`, and say why."""
    last = state["drafts"][-1]["round"]
    match get_journalism_settings(state).select:
        case "best":
            number, because = select_best_round(state["assessments"])
        case "third" if last >= PUBLISHED_ROUND:
            number, because = PUBLISHED_ROUND, "the third revision, as in the paper"
        case "third":
            number, because = last, "the last draft, because there is no third revision"
        case _:
            number, because = last, "the last draft"
    article = next(draft["text"] for draft in reversed(state["drafts"]) if draft["round"] == number)
    warnings = await asyncio.to_thread(
        list_result_warnings, article, state["source"], get_journalism_settings(state).extensions
    )
    if number == 0 and is_paper_first_draft(state):
        warnings.insert(0, UNREVISED_WARNING)
    return {"article": article, "selected_round": number, "selected_because": because, "warnings": warnings}


def select_best_round(assessments: list[Assessment]) -> tuple[int, str]:
    """The easiest draft among those that keep to the paper.

    These are the drafts that still cover the paper, or what is easiest would be the one that says nothing; and of
    them those that say nothing unsupported, or, if there is none, those that say least of it.
    """
    most = max(assessment["coverage"] for assessment in assessments)
    covering = [item for item in assessments if item["coverage"] >= most * MIN_COVERAGE_SHARE]
    fewest = min(len(item["unsupported"]) for item in covering)
    candidates = [item for item in covering if len(item["unsupported"]) == fewest]
    best = min(candidates, key=lambda item: item["mean_grade"])
    detail = "no detail that it does not support" if fewest == 0 else f"the fewest unsupported details ({fewest})"
    return best["round"], f"the easiest of {len(candidates)} drafts that cover the paper best, with {detail}"
