"""Measure a draft: how hard it reads, and what it says that the paper does not; then decide whether to go on."""

from __future__ import annotations

import asyncio
from typing import Literal

from nodes.journalism.agent import options
from state.journalism import Assessment, JournalismState
from tools.documents import stored_text
from tools.fidelity import coverage, unsupported_facts
from tools.readability import grade, hard_sentences, mean_grade


async def assess_draft(state: JournalismState) -> JournalismState:
    """Grade the newest draft, check its facts against the paper, and set the stop reason if the loop is over."""
    draft = state["drafts"][-1]
    assessment = await asyncio.to_thread(assess, draft["round"], draft["text"], stored_text(state["source"]))
    return {"assessments": [assessment], "stop_reason": stop_reason(state, assessment)}


def assess(number: int, text: str, source: str) -> Assessment:
    """Measure `text` as the draft of round `number` of an article on `source`."""
    readability = grade(text)
    return Assessment(
        round=number,
        readability=readability,
        mean_grade=round(mean_grade(readability), 3),
        coverage=round(coverage(text, source), 3),
        hard_sentences=hard_sentences(text),
        unsupported=unsupported_facts(text, source),
    )


def stop_reason(state: JournalismState, newest: Assessment) -> Literal["", "rounds done", "converged", "single draft"]:
    """Why the loop ends after this draft; empty if it goes on."""
    chosen = options(state)
    if chosen.variant == "single":
        return "single draft"
    if state["round"] >= chosen.rounds:
        return "rounds done"
    if chosen.stop == "converged" and state["assessments"]:
        gain = state["assessments"][-1]["mean_grade"] - newest["mean_grade"]
        return "converged" if gain < chosen.min_improvement else ""
    return ""
