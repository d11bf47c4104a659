"""The reader: a smaller model that sees only the article and notes what it makes of its terms (LLM-CLBR, "Reader")."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from nodes.journalism.agent import ask_as, options
from state.journalism import JournalismState, Notes, Term
from tools.prompts import numbered


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
    first_of_each: dict[str, NotedTerm] = {}
    for noted in answer.value.terms:
        first_of_each.setdefault(noted.term.casefold(), noted)
    terms = [_checked(noted, article) for noted in first_of_each.values()]
    return {"notes": [Notes(round=state["round"], terms=terms)], "calls": answer.calls}


def _checked(noted: NotedTerm, article: str) -> Term:
    return Term(
        term=noted.term,
        where=noted.where,
        explanation=noted.explanation,
        basis=noted.basis,
        in_article=noted.term.casefold() in article.casefold(),
    )


def as_text(notes: Notes) -> str:
    """The notes as the editor reads them; of made-up terms only the number, for there is nothing to learn from them."""
    read = [term for term in notes["terms"] if term["in_article"]]
    lines = [f'"{t["term"]}" (in "{t["where"]}"): {t["explanation"]} (understood from {t["basis"]})' for t in read]
    made_up = len(notes["terms"]) - len(read)
    if made_up:
        lines.append(f"The reader also named {made_up} terms that the article does not contain.")
    return numbered(lines)
