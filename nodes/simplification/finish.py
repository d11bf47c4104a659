"""Last node: the result, and the glossary of the medical terms that it keeps."""

from __future__ import annotations

import asyncio

from state.errors import NothingUsable
from state.simplification import Exchange, GlossaryEntry, SimplificationState
from tools.fidelity import off_subject
from tools.text_edits import occurrences


async def finish(state: SimplificationState) -> SimplificationState:
    """Return the newest version.

    Raises:
        NothingUsable: If every loop ended early and changed nothing, because no agent gave a usable answer: the source
            is no result.
    """
    history = state["history"]
    if history and all(exchange["problem"] and not exchange["changed"] for exchange in history):
        raise NothingUsable("No loop came to its end", problem=history[-1]["problem"])
    return {
        "simplified": state["text"],
        "glossary": glossary(history, state["text"]),
        "warnings": [*unchanged(state), *await asyncio.to_thread(off_subject, state["text"], state["source"])],
    }


def unchanged(state: SimplificationState) -> list[str]:
    """A warning if the result is the source, word for word."""
    if state["text"] != state["versions"][0]["text"]:
        return []
    early = sum(bool(exchange["problem"]) for exchange in state["history"])
    because = f"; {early} of {len(state['history'])} loops ended early" if early else ""
    return [f"the text is the source, word for word: nothing was changed{because}"]


def glossary(history: list[Exchange], text: str) -> list[GlossaryEntry]:
    """The terms that the medical expert explained and the text still uses, each with its newest explanation."""
    explained = {
        question["term"].casefold(): GlossaryEntry(
            term=question["term"], explanation=question["answer"], entry=exchange["entry"]
        )
        for exchange in history
        for question in exchange["questions"]
        if question["term"] and question["answer"] and occurrences(text, question["term"])
    }
    return sorted(explained.values(), key=lambda entry: entry["term"].casefold())
