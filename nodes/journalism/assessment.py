"""Nodes that measure a draft against the paper, end the loop and choose the article."""

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
    """Measure the newest draft, and set the stop reason if the loop is over."""
    draft, source = state["drafts"][-1], load_source_text(state["source"])
    assessment = await asyncio.to_thread(measure_draft, draft["round"], draft["text"], source)
    return {"assessments": [assessment], "stop_reason": choose_revision_stop_reason(state, assessment)}


def measure_draft(number: int, text: str, source: str) -> Assessment:
    """Return the measurements of a round's draft: readability, coverage of the source (0 to 1), unsupported details."""
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
    """Return why the loop ends after the newest draft; empty if it goes on."""
    chosen = get_journalism_settings(state)
    if chosen.variant == "single":
        return "single draft"
    if state["round"] >= chosen.rounds:
        return "rounds done"
    if chosen.stop == "converged" and state["assessments"]:
        gain = state["assessments"][-1]["mean_grade"] - newest["mean_grade"]
        return "converged" if gain < chosen.min_improvement else ""
    return ""


# The paper keeps the third revision: until then readability falls steeply, and after it little.
PUBLISHED_ROUND = 3

# A draft with less than this share of the best coverage has lost the subject or most of the story.
MIN_COVERAGE_SHARE = 0.5


UNREVISED_WARNING = "This is the paper's own text, which the run began with: no revision of it was chosen"


async def choose_draft(state: JournalismState) -> JournalismState:
    """Choose the draft to return, and list warnings about it."""
    last, chosen = state["drafts"][-1]["round"], get_journalism_settings(state)
    match chosen.select:
        case "best":
            number, because = select_best_round(state["assessments"])
        case "third" if last >= PUBLISHED_ROUND:
            number, because = PUBLISHED_ROUND, "the third revision, as in the paper"
        case "third":
            number, because = last, "the last draft, because there is no third revision"
        case _:
            number, because = last, "the last draft"
    # The newest, if a round has several drafts.
    article = next(draft["text"] for draft in reversed(state["drafts"]) if draft["round"] == number)
    warnings = await asyncio.to_thread(list_result_warnings, article, state["source"], chosen.extensions)
    if number == 0 and is_paper_first_draft(state):
        warnings.insert(0, UNREVISED_WARNING)
    return {"article": article, "selected_round": number, "selected_because": because, "warnings": warnings}


def select_best_round(assessments: list[Assessment]) -> tuple[int, str]:
    """Return the round of the easiest draft with enough coverage and the fewest unsupported details, and why."""
    # Without a bound on coverage, a draft that says nothing would be the easiest.
    most = max(assessment["coverage"] for assessment in assessments)
    covering = [item for item in assessments if item["coverage"] >= most * MIN_COVERAGE_SHARE]
    fewest = min(len(item["unsupported"]) for item in covering)
    candidates = [item for item in covering if len(item["unsupported"]) == fewest]
    best = min(candidates, key=lambda item: item["mean_grade"])
    detail = "no detail that it does not support" if fewest == 0 else f"the fewest unsupported details ({fewest})"
    return best["round"], f"the easiest of {len(candidates)} drafts that cover the paper best, with {detail}"
