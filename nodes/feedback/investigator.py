"""The investigator: answers one question from one source, and quotes what the answer rests on (SWIF2T, Section 3)."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from nodes.feedback.agent import ask_as, options
from nodes.feedback.literature import find_studies
from nodes.feedback.paper import document_of, passages_shown, pinpoint, search_in, shown
from state.documents import Document, Passage
from state.errors import RetrievalUnavailable, Unanswered
from state.feedback import Answered, Evidence, QuestionState, Target
from state.records import CallRecord
from tools.quotes import locate

_NO_ANSWER = re.compile(
    r"\bI (?:do not|don['’]t) know\b|\bno answer\b|\bnot (?:mentioned|stated|given|specified)\b", re.IGNORECASE
)


class PassageAnswer(BaseModel):
    """An answer: first the words that it rests on, so that a small model looks before it speaks."""

    model_config = ConfigDict(extra="forbid")

    quote: str = Field(max_length=400)
    passage: int = Field(ge=0, le=20)
    answer: str = Field(max_length=500)


class Finding(NamedTuple):
    """What came of asking a question of some passages."""

    answer: str
    """Empty if there is none."""
    quote: str
    passage: Passage | None
    note: str
    """Why there is no answer."""
    calls: list[CallRecord]


async def answer_from_paper(state: QuestionState) -> dict[str, Any]:
    """Look a question up in the paper under review, outside the paragraph: what that says is no evidence for it."""
    title = state["document"]["title"]
    finding = await ask_document(state, await document_of(state), title, apart_from=state["target"])
    return _brought_back(state, finding, "paper", finding.calls, [])


async def answer_from_literature(state: QuestionState) -> dict[str, Any]:
    """Look a question up in other publications, one after the other; the first answer counts."""
    step, calls = state["step"], list[CallRecord]()
    try:
        studies = await find_studies(state, step["question"])
    except RetrievalUnavailable as error:
        return _brought_back(state, _nothing(str(error)), "literature", [], [])
    finding = _nothing("no publication was found")
    for study in studies.found:
        finding = await ask_document(state, study["document"], study["title"], address=study["address"])
        calls += finding.calls
        if finding.answer:
            break
    return _brought_back(state, finding, "literature", calls, studies.notes)


async def ask_document(
    state: QuestionState, document: Document, title: str, *, address: str = "", apart_from: Target | None = None
) -> Finding:
    """Ask the model to answer from passages of one document alone; an answer that quotes other words does not count.

    Args:
        state: With the question.
        document: Where to look.
        title: Of the document.
        address: Where it was found; empty for the paper under review.
        apart_from: A paragraph of it that answers nothing: an answer that quotes it does not count either.
    """
    leave_out = (apart_from["id"],) if apart_from else ()
    found = await search_in([document], state["step"]["question"], options(state), leave_out=leave_out)
    passages: list[Passage] = [{**passage, "title": title or passage["title"], "address": address} for passage in found]
    if not passages:
        return _nothing("nothing in it is about the question")
    variables: dict[str, object] = {
        "title": shown(title) or "without title",
        "question": state["step"]["question"],
        "passages": passages_shown(passages),
    }
    try:
        answer = await ask_as("investigator", "answer_question", state, variables, PassageAnswer, trim="passages")
    except Unanswered as error:
        return _nothing(error.problem, error.spent)
    if apart_from and locate(answer.value.quote, apart_from["text"]):
        return _nothing("the answer quoted the paragraph itself", answer.calls)
    return checked(answer.value, passages, document, answer.calls)


def checked(answer: PassageAnswer, passages: list[Passage], document: Document, calls: list[CallRecord]) -> Finding:
    """Accept an answer if the words that it quotes stand in one of the passages."""
    if not answer.quote.strip() or not answer.answer.strip() or _NO_ANSWER.search(answer.answer):
        return _nothing("the passages hold no answer", calls)
    named = passages[answer.passage - 1 : answer.passage] if answer.passage else []
    for passage in [*named, *passages]:
        place = locate(answer.quote, passage["text"])
        if place:
            quote = place.of(passage["text"])
            return Finding(answer.answer.strip(), quote, pinpoint(passage, quote, document), "", calls)
    return _nothing("the answer quoted words that are not in the passages", calls)


def _nothing(note: str, calls: list[CallRecord] | None = None) -> Finding:
    return Finding("", "", None, note, calls or [])


def _brought_back(
    state: QuestionState, finding: Finding, source: str, calls: list[CallRecord], notes: list[str]
) -> dict[str, Any]:
    step = state["step"]
    evidence = None
    if finding.passage:
        evidence = Evidence(
            id=f"e{step['id'][1:]}",
            source=source,  # type: ignore[typeddict-item]
            question=step["question"],
            answer=finding.answer,
            quote=finding.quote,
            title=finding.passage["title"],
            section=finding.passage["section"],
            page=finding.passage["page"],
            address=finding.passage["address"],
        )
    answered = Answered(step=step["id"], evidence=evidence, note=finding.note)
    return {"answers": [answered], "calls": calls, "notes": notes}
