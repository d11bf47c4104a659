"""The reader: a smaller model that sees only the article and explains its terms (LLM-CLBR, "Reader")."""

from __future__ import annotations

from nodes.journalism.initialise import ask_journalism_role, get_journalism_settings
from state.journalism import JournalismState, Notes
from state.model_settings import Limits
from tools.models.ask import MarkdownAnswer
from tools.text import has_words

# Labels of the parts of the notes.
NOTES_PARTS = {"extraction": r"extraction[^\n:*]*", "explanation": r"explanations?[^\n:*]*"}


class ReadingNotes(MarkdownAnswer):
    """The reader's answer: the technical terms of the article, and what each means."""

    usable_if_cut_off = True

    text: str

    @classmethod
    def from_markdown(cls, text: str) -> ReadingNotes:
        """Return the whole answer as the notes; raise ValueError if it has no words."""
        if not has_words(text):
            raise ValueError("it holds no notes")
        return cls(text=text)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return the most words of an answer: those of all terms with their contexts and explanations."""
        return limits.terms * (limits.note_words + limits.quote_words + limits.advice_words)


async def take_notes(state: JournalismState) -> JournalismState:
    """Add the reader's notes on the newest draft, taken without the paper: r = reader(p_i-1)."""
    variables: dict[str, object] = {
        "article": state["drafts"][-1]["text"],
        "audience": get_journalism_settings(state).audience,
    }
    answer = await ask_journalism_role(
        "reader", "take_notes", state, variables, ReadingNotes, round_number=state["round"] + 1, trim="article"
    )
    return {"notes": [Notes(round=state["round"], text=answer.value.text)], "calls": answer.calls}
