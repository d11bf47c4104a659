"""The reader: a smaller model that sees only the article and notes what it makes of its terms (LLM-CLBR, "Reader")."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nodes.journalism.agent import ask_as, numbered, options
from state.journalism import JournalismState, Notes, Term


class NotedTerm(BaseModel):
    """One technical term and how the reader understands it."""

    model_config = ConfigDict(extra="forbid")

    term: str = Field(min_length=2, max_length=60)
    where: str = Field(max_length=160)
    explanation: str = Field(max_length=240)
    basis: Literal["article", "general knowledge"]


class ReadingNotes(BaseModel):
    """The reader's answer."""

    model_config = ConfigDict(extra="forbid")

    terms: list[NotedTerm] = Field(min_length=1, max_length=6)


async def take_notes(state: JournalismState) -> dict[str, Any]:
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
    """The notes as the editor reads them. A term that the reader made up is told as what it is."""
    return numbered([_line(term) for term in notes["terms"]])


def _line(term: Term) -> str:
    if not term["in_article"]:
        return f'"{term["term"]}": the reader wrote this word, but the article does not contain it.'
    return f'"{term["term"]}" (in "{term["where"]}"): {term["explanation"]} (understood from {term["basis"]})'
