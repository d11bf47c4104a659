"""The reader: a smaller model that sees only the article and notes what it makes of its terms (LLM-CLBR, "Reader")."""

from __future__ import annotations

from nodes.journalism.initialise import ask_as, options
from state.journalism import JournalismState, Notes
from state.model_settings import Limits
from tools.models.ask import MarkdownAnswer
from tools.text import has_words

NOTES_PARTS = {"extraction": r"extraction[^\n:*]*", "explanation": r"explanations?[^\n:*]*"}
"""Labels of the parts of the notes, for `split_parts`."""


class ReadingNotes(MarkdownAnswer):
    """The reader's answer: the technical terms of the article, and what each means."""

    usable_if_cut_off = True

    text: str

    @classmethod
    def read(cls, text: str) -> ReadingNotes:
        """Take the notes as they are."""
        if not has_words(text):
            raise ValueError("it holds no notes")
        return cls(text=text)

    @classmethod
    def most_words(cls, limits: Limits) -> int:
        """Allow for a term, the words around it and its explanation."""
        return limits.terms * (limits.note_words + limits.quote_words + limits.advice_words)


async def take_notes(state: JournalismState) -> JournalismState:
    """Take reading notes on the newest draft, without the paper: r = reader(p_i-1)."""
    variables: dict[str, object] = {"article": state["drafts"][-1]["text"], "audience": options(state).audience}
    answer = await ask_as(
        "reader", "take_notes", state, variables, ReadingNotes, round_number=state["round"] + 1, trim="article"
    )
    return {"notes": [Notes(round=state["round"], text=answer.value.text)], "calls": answer.calls}
