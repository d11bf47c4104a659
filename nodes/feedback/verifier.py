"""The verifier: what a person should know of a comment (the extensions `verify` and `instructions`).

The quote is verbatim and the evidence exists by the schema of the reviewer's answer. Here, a claim that something is
missing is tested by retrieval against the paper, and whether it repeats an injected instruction is noted; both are
reported beside the comment.
"""

from __future__ import annotations

import asyncio
import re
from typing import Annotated

from nodes.feedback.agent import (
    ask_as,
    document_of,
    evidence_shown,
    options,
    passages_shown,
    pinpoint,
    search_now,
    shown,
)
from nodes.shared import AgentAnswer
from state.documents import Passage
from state.errors import Unanswered
from state.feedback import Comment, ParagraphState, Verification
from state.model_settings import AtMost
from tools.checks.fidelity import unsupported_facts
from tools.checks.quotes import locate
from tools.injection import obeys

# Whether something is said to be missing; rather once too often, for the test costs one call.
_ABSENCE = re.compile(
    r"\b(?:not|n't|never|nowhere|neither|nor|no|without|lacks?|lacking|missing|omits?|omitted|absen(?:t|ce)|unclear|"
    r"unspecified|unreported|undefined|fails? to|leaves? open|"
    r"should (?:state|specify|report|describe|define|provide|include|mention))\b",
    re.IGNORECASE,
)


class AbsenceTest(AgentAnswer):
    """Whether the paper gives what a comment says is missing."""

    missing: Annotated[str, AtMost("note_words")]
    quote: Annotated[str, AtMost("quote_words")]
    given: bool


async def verify_comment(state: ParagraphState) -> ParagraphState:
    """Keep or soften the comment, and say if the paper has dictated it."""
    comment, chosen = state["comment"], options(state)
    if comment is None:
        raise ValueError("there is no comment to verify")
    said = f"{comment['review']} {comment['suggestion']}"
    dictated = "instructions" in chosen.extensions and obeys(said, state["findings"])
    notes = ["It repeats an instruction found in the paper."] if dictated else []
    notes += _unsupported(state, comment, said) if "verify" in chosen.extensions else []
    if "verify" not in chosen.extensions or not _ABSENCE.search(said):
        return _verdict(comment, Verification(verdict="kept", notes=notes))
    document = await document_of(state)
    passages = await asyncio.to_thread(search_now, [document], f"{comment['quote']} {said}", chosen, chosen.passages)
    variables: dict[str, object] = {
        "claim": shown(said, state),
        "passages": passages_shown(passages, state),
    }
    try:
        answer = await ask_as("verifier", "test_absence", state, variables, AbsenceTest, trim="passages")
    except Unanswered as error:
        notes = [*notes, "Whether the paper gives what is called missing could not be tested."]
        return {**_verdict(comment, Verification(verdict="kept", notes=notes)), "calls": error.spent}
    placed = [pinpoint(passage, answer.value.quote, document) for passage in passages]
    verification = tested(answer.value, comment, state["target"]["text"], placed, notes)
    return {**_verdict(comment, verification), "calls": answer.calls}


def tested(
    answer: AbsenceTest, comment: Comment, paragraph: str, passages: list[Passage], notes: list[str]
) -> Verification:
    """Soften what the paper gives, in the paragraph itself or elsewhere; only verbatim quotes count."""
    # Perhaps the test found nothing but the words that are commented on.
    if not answer.given or locate(answer.quote, comment["quote"]) or locate(comment["quote"], answer.quote):
        return Verification(verdict="kept", notes=notes)
    if place := locate(answer.quote, paragraph):
        note = f"The paragraph itself gives what is called missing: “{place.of(paragraph)}”."
        return Verification(verdict="softened", notes=[*notes, note])
    for passage in passages:
        if place := locate(answer.quote, passage["text"]):
            section = f"“{passage['section']}”" if passage["section"] else "another place"
            where = f"{section} (page {passage['page']})" if passage["page"] else section
            note = f"The paper does say, in {where}: “{place.of(passage['text'])}”. Perhaps point there."
            return Verification(verdict="softened", notes=[*notes, note])
    return Verification(verdict="kept", notes=notes)


def _unsupported(state: ParagraphState, comment: Comment, said: str) -> list[str]:
    """Numbers and names of the comment that neither the paragraph nor the evidence has."""
    known = [state["target"]["text"], evidence_shown(state), state["document"]["title"], comment["label"]]
    source = "\n\n".join(known)
    facts = [f"“{fact['text']}”" for fact in unsupported_facts(said, source)]
    return [f"Neither the paragraph nor the evidence has {', '.join(facts)}."] if facts else []


def _verdict(comment: Comment, verification: Verification) -> ParagraphState:
    return {"comment": {**comment, "verification": verification}}
