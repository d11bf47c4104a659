"""The screener reads a whole paper and names what it suspects, which the team then looks into (an extension, `screen`).

SWIF2T reviews each paragraph that it is given, and names a detection of weaknesses before the review as future work.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from typing import Annotated, Any, cast

from langgraph.types import Send

from nodes.feedback.agent import (
    ask_feedback_role,
    find_quoted_paragraph,
    format_paragraphs,
    format_prompt_text,
    get_feedback_settings,
)
from nodes.feedback.initialise import build_targets
from nodes.feedback.weakness_detector import NoticedWeakness
from nodes.shared import AgentAnswer
from state.computed_findings import SEVERITIES, Severity
from state.documents import Document, Paragraph
from state.errors import NoUsableAnswer
from state.feedback import FeedbackState, PartState, Suspicion
from state.model_settings import LengthLimit
from tools.documents.reading import load_document

# Words of the beginning that are summed up of a paper without an abstract.
_OPENING_WORDS = 1500
_SUMMED_UP_SECTIONS = re.compile(r"\b(?:abstract|introduction|background|conclusions?|concluding)\b", re.IGNORECASE)
_NO_SUMMARY = "The paper could not be summed up, so its parts were screened without a summary."
_NOT_SCREENED = (
    "The paper could not be screened, so the first {chosen} of its {all} paragraphs were reviewed; "
    "`--every-paragraph` reviews all."
)


class PaperSummary(AgentAnswer):
    """The summary of a paper that is read beside each of its parts."""

    claims: Annotated[str, LengthLimit("summary_words")]
    design: Annotated[str, LengthLimit("summary_words")]
    data: Annotated[str, LengthLimit("summary_words")]
    definitions: Annotated[str, LengthLimit("summary_words")]
    places: Annotated[str, LengthLimit("summary_words")]


class RaisedSuspicion(NoticedWeakness):
    """A weakness that is suspected, with what would settle it, and how grave it is."""

    settled_by: Annotated[str, LengthLimit("note_words")]
    severity: Severity


class RaisedSuspicions(AgentAnswer):
    """The suspicions about a part of the paper; none is an answer. See `Weaknesses` for why the assessment is first."""

    assessment: Annotated[str, LengthLimit("review_words")]
    suspicions: Annotated[list[RaisedSuspicion], LengthLimit("suspicions")]


async def summarize_paper(state: FeedbackState) -> FeedbackState:
    """Sum up the paper from its title, abstract, introduction, conclusion and headings; a failure leaves no summary."""
    document = await asyncio.to_thread(load_document, state["document"])
    variables: dict[str, object] = {
        "title": document["title"],
        "headings": "; ".join(dict.fromkeys(item["section"] for item in document["paragraphs"] if item["section"])),
        "text": format_prompt_text(_select_summed_up_text(document), state),
    }
    try:
        answer = await ask_feedback_role("screener", "summarize_paper", state, variables, PaperSummary, trim="text")
    except NoUsableAnswer as error:
        return {"calls": error.spent}
    said = answer.value.model_dump()
    return {"summary": "\n".join(f"- {name}: {text}" for name, text in said.items() if text), "calls": answer.calls}


def _select_summed_up_text(document: Document) -> str:
    """Return the abstract, or else the first words, of a paper, then its introduction and conclusion."""
    opening = document["abstract"] or " ".join(document["text"].split()[:_OPENING_WORDS])
    chosen = [item["text"] for item in document["paragraphs"] if _SUMMED_UP_SECTIONS.search(item["section"])]
    return "\n\n".join([opening, *(text for text in chosen if text not in opening)])


def send_parts(state: FeedbackState) -> list[Send]:
    """Return a `Send` to the screener for every part of the paper."""
    shared = {name: value for name, value in state.items() if name in PartState.__annotations__}
    return [Send("screen_section", {**shared, "part": part}) for part in state["parts"]]


async def screen_section(state: PartState) -> FeedbackState:
    """List what is suspected in a part of the paper, or record that it could not be read."""
    document = await asyncio.to_thread(load_document, state["document"])
    part = [item for item in document["paragraphs"] if item["id"] in state["part"]]
    variables: dict[str, object] = {
        "summary": state["summary"],
        "whole": len(state["parts"]) == 1,
        "section": format_paragraphs(part, state),
    }
    try:
        answer = await ask_feedback_role(
            "screener", "screen_section", state, variables, RaisedSuspicions, trim="section"
        )
    except NoUsableAnswer as error:  # the other parts may be readable
        ids = " to ".join(dict.fromkeys((part[0]["id"], part[-1]["id"])))
        unread = f"Nothing of {ids} was screened ({error.problem}); name these paragraphs to have them reviewed."
        return {"unread": [unread], "calls": error.spent}
    placed = [_place_suspicion(item, part) for item in answer.value.suspicions]
    if dropped := placed.count(None):
        answer.calls[-1]["cuts"].append(f"suspicions without words of the paper ({dropped}), which were dropped")
    found = {(item["paragraph"], item["quote"]): item for item in placed if item}  # one of each place
    return {"screenings": [[*found.values()]], "calls": answer.calls}


def _place_suspicion(raised: RaisedSuspicion, part: Sequence[Paragraph]) -> Suspicion | None:
    """Return a suspicion with the paragraph that it quotes, in the paper's own words; None if it quotes none."""
    if not (placed := find_quoted_paragraph(raised.quote, part)):
        return None
    item, place = placed
    where = {"paragraph": item["id"], "section": item["section"], "page": item["page"]}
    words = {"quote": place.slice_text(item["text"]), "pursued": False}
    return cast("Suspicion", {**raised.model_dump(), **where, **words})


async def choose_suspicions(state: FeedbackState) -> dict[str, Any]:
    """Choose the paragraphs to review: the gravest suspicions, spread over the paper, and grave computed findings.

    If no part could be screened, they are the first of those that are long enough, and a warning says so.
    """
    unread, paper, computed = state["unread"], state["document"], state["computed"]
    if not state["screenings"]:
        first = state["targets"][: get_feedback_settings(state).max_paragraphs]
        warnings = [*paper["warnings"], *unread, _NOT_SCREENED.format(chosen=len(first), all=len(state["targets"]))]
        return {"suspicions": [], "targets": first, "document": {**paper, "warnings": warnings}}
    # 1. Of equally grave suspicions, the first of every part, then the second, and so on.
    placed = [(place, item) for found in state["screenings"] for place, item in enumerate(found)]
    placed.sort(key=lambda pair: (SEVERITIES.index(pair[1]["severity"]), pair[0]))
    ranked = [item for _, item in placed]
    # 2. Their paragraphs follow those of grave findings.
    grave = [item["paragraph"] for item in computed if item["severity"] == "high"]
    named = dict.fromkeys([*grave, *(item["paragraph"] for item in ranked)])
    screened = {paragraph for part in state["parts"] for paragraph in part}
    chosen = [name for name in named if name in screened][: get_feedback_settings(state).max_paragraphs]
    document = await asyncio.to_thread(load_document, paper)
    warnings = [*paper["warnings"], *unread, *([] if state["summary"] or len(state["parts"]) == 1 else [_NO_SUMMARY])]
    return {
        "suspicions": [{**item, "pursued": item["paragraph"] in chosen} for item in ranked],
        "targets": build_targets(item for item in document["paragraphs"] if item["id"] in chosen),
        "document": {**paper, "warnings": warnings},
    }
