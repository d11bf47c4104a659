"""The reader: a smaller model that sees only the article and notes what it makes of its terms (LLM-CLBR, "Reader")."""

from __future__ import annotations

from typing import Annotated, Literal

from nodes.journalism.initialise import ask_as, options
from nodes.shared import AgentAnswer
from state.journalism import JournalismState, Notes, Term
from state.model_settings import AtMost
from tools.models.prompts import numbered


class NotedTerm(AgentAnswer):
    """One technical term and how the reader understands it."""

    term: Annotated[str, AtMost("note_words")]
    where: Annotated[str, AtMost("quote_words")]
    explanation: Annotated[str, AtMost("advice_words")]
    basis: Literal["article", "general knowledge"]


class ReadingNotes(AgentAnswer):
    """The reader's answer."""

    terms: Annotated[list[NotedTerm], AtMost("terms")]


async def take_notes(state: JournalismState) -> JournalismState:
    """Take reading notes on the newest draft, without the paper: r = reader(p_i-1)."""
    article = state["drafts"][-1]["text"]
    variables: dict[str, object] = {"article": article, "audience": options(state).audience}
    answer = await ask_as(
        "reader", "take_notes", state, variables, ReadingNotes, round_number=state["round"] + 1, trim="article"
    )
    terms = [
        Term(
            term=noted.term,
            where=noted.where,
            explanation=noted.explanation,
            basis=noted.basis,
            in_article=noted.term.casefold() in article.casefold(),
        )
        for noted in answer.value.terms
    ]
    return {"notes": [Notes(round=state["round"], terms=terms)], "calls": answer.calls}


def as_text(notes: Notes) -> str:
    """The notes as the editor reads them, and as the reader wrote them."""
    lines = (
        f'{term["term"]} (in "{term["where"]}"): {term["explanation"]} (understood from: {term["basis"]})'
        for term in notes["terms"]
    )
    return numbered(lines) or "The reader found no technical term in the article."
