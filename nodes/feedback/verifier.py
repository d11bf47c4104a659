"""The verifier: notes what a reader should know about a comment (the extensions `verify` and `instructions`).

The schema of the reviewer's answer ensures that the quote is verbatim and the evidence exists. The verifier tests
against the paper whether something is missing, as the comment says, and whether it repeats an injected instruction.
"""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from nodes.feedback.agent import (
    ask_feedback_role,
    format_evidence,
    format_passages,
    format_prompt_text,
    get_feedback_settings,
    load_reviewed_paper,
    refine_passage_location,
)
from nodes.shared import AgentAnswer
from state.documents import Passage
from state.errors import NoUsableAnswer
from state.feedback import Comment, ParagraphState, Verification
from state.model_settings import LengthLimit
from state.records import CallRecord
from tools.checks.fidelity import list_unsupported_facts
from tools.checks.quotes import find_quote
from tools.injection import repeats_instruction
from tools.retrieval.search import find_passages

# Words that say that something is missing. The list is broad, because a needless test costs only one call.
_ABSENCE = re.compile(
    r"\b(?:not|n't|never|nowhere|neither|nor|no|without|lacks?|lacking|missing|omits?|omitted|absen(?:t|ce)|unclear|"
    r"unspecified|unreported|undefined|fails? to|leaves? open|"
    r"should (?:state|specify|report|describe|define|provide|include|mention))\b",
    re.IGNORECASE,
)


class AbsenceTest(AgentAnswer):
    """Whether the paper gives what a comment says is missing."""

    missing: Annotated[str, LengthLimit("note_words")]
    quote: Annotated[str, LengthLimit("quote_words")]
    given: bool


async def verify_comment(state: ParagraphState) -> ParagraphState:
    """Set the comment's verification: kept or softened, with notes, such as that it repeats an instruction."""
    comment, chosen = state["comment"], get_feedback_settings(state)
    assert comment is not None  # noqa: S101 - the graph sends only comments here
    said = f"{comment['review']} {comment['suggestion']}"
    # 1. Checks by code.
    is_dictated = "instructions" in chosen.extensions and repeats_instruction(said, state["findings"])
    notes = ["It repeats an instruction found in the paper."] if is_dictated else []
    if "verify" in chosen.extensions:
        known = [state["target"]["text"], format_evidence(state), state["document"]["title"], comment["label"]]
        facts = [f"“{fact['text']}”" for fact in list_unsupported_facts(said, "\n\n".join(known))]
        notes += [f"Neither the paragraph nor the evidence has {', '.join(facts)}."] if facts else []
    verification, calls = Verification(verdict="kept", notes=notes), list[CallRecord]()
    if "verify" not in chosen.extensions or not _ABSENCE.search(said):
        return {"comment": {**comment, "verification": verification}}
    # 2. A claim that something is missing is tested against the passages that are nearest to it.
    document, query = await load_reviewed_paper(state), f"{comment['quote']} {said}"
    try:
        passages = await asyncio.to_thread(find_passages, [document], query, chosen, chosen.passages)
        variables: dict[str, object] = {
            "claim": format_prompt_text(said, state),
            "passages": format_passages(passages, state),
        }
        answer = await ask_feedback_role("verifier", "test_absence", state, variables, AbsenceTest, trim="passages")
    except NoUsableAnswer as error:
        note, calls = "Whether the paper gives what is called missing could not be tested.", error.spent
        verification = {**verification, "notes": [*notes, note]}
    else:
        placed = [refine_passage_location(passage, answer.value.quote, document) for passage in passages]
        verification = apply_absence_test(answer.value, comment, state["target"]["text"], placed, notes)
        calls = answer.calls
    return {"comment": {**comment, "verification": verification}, "calls": calls}


def apply_absence_test(
    answer: AbsenceTest, comment: Comment, paragraph: str, passages: list[Passage], notes: list[str]
) -> Verification:
    """Return a verification that softens a comment if a verbatim quote shows what it calls missing, or keeps it.

    The passages are those that the verifier was shown, at the places of its quote.
    """
    # A quote of the words that the comment is about shows nothing.
    if not answer.given or find_quote(answer.quote, comment["quote"]) or find_quote(comment["quote"], answer.quote):
        return Verification(verdict="kept", notes=notes)
    if place := find_quote(answer.quote, paragraph):
        note = f"The paragraph itself gives what is called missing: “{place.slice_text(paragraph)}”."
        return Verification(verdict="softened", notes=[*notes, note])
    for passage in passages:
        if place := find_quote(answer.quote, passage["text"]):
            section = f"“{passage['section']}”" if passage["section"] else "another place"
            where = f"{section} (page {passage['page']})" if passage["page"] else section
            note = f"The paper does say, in {where}: “{place.slice_text(passage['text'])}”. Perhaps point there."
            return Verification(verdict="softened", notes=[*notes, note])
    return Verification(verdict="kept", notes=notes)
