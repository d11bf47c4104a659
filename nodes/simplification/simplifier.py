"""The simplifier, rewriting: function agent that holds the text and gives its latest version (SoMS).

Each change of the text is attributed to the question, suggestion, comment or reason that is behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Annotated, Literal, TypeVar

from pydantic import Field, field_validator

from nodes.rewriting import EasySentence, copied_from, rewrite_each
from nodes.shared import AgentAnswer, limits_of
from nodes.simplification.agent import (
    ask_as,
    has_extension,
    in_exchange,
    loop_node,
    memory_of,
    options,
    target_grade,
    texts_of,
)
from nodes.simplification.content_guard import foreign_names, newly_lost
from state.model_settings import AtMost
from state.settings import Lead
from state.simplification import LoopState, SimplificationState, TextChange
from tools.checks.fidelity import stems
from tools.documents.reading import stored_text
from tools.models import Answer
from tools.models.prompts import numbered
from tools.text import sentences

STATISTICS = frozenset(("interval", "effect size"))
"""What a sentence in plain words may leave out."""

Paragraph = Annotated[str, AtMost("paragraph_words")]


class LatestSimplification(AgentAnswer):
    """The simplifier's latest version of the entire text."""

    paragraphs: Annotated[list[Paragraph], AtMost("paragraphs")] = Field(min_length=1)

    @field_validator("paragraphs")
    @classmethod
    def _says_something(cls, paragraphs: list[str]) -> list[str]:
        if not "".join(paragraphs).strip():
            raise ValueError("every paragraph is empty")
        return [paragraph.strip() for paragraph in paragraphs if paragraph.strip()]

    def text(self) -> str:
        """Return the paragraphs as one text."""
        return "\n\n".join(self.paragraphs)


class Reasoning(AgentAnswer):
    """The chain of thought before the rewrite; decoding follows the order of the fields."""

    fits: Annotated[list[Annotated[str, AtMost("note_words")]], AtMost("questions")]


class ReasonedSimplification(LatestSimplification, Reasoning):
    """First how each clarification fits in, then the text."""


Latest = TypeVar("Latest", bound=LatestSimplification)


@loop_node
async def rewrite_text(state: LoopState) -> LoopState:
    """Fold the expert's answers into the text: reason how each fits, then rewrite in simpler form."""
    answered = [f"{item['text']} {item['answer']}" for item in state["exchange"]["questions"] if item["answer"]]
    variables: dict[str, object] = {"clarifications": numbered(answered), "target_grade": target_grade(state)}
    answer = await _ask_for_text("rewrite_text", state, variables, ReasonedSimplification)
    news = _written(state, answer, answered, "rewrite")
    copied = copied_from(stored_text(state["source"]), news["text"]) if has_extension("rewrite_copied", state) else []
    return {
        **news,
        "copied": copied[: limits_of(state).rewrites],
        "exchange": in_exchange(state, reasoning=answer.value.fits),
    }


async def write_anew(
    step: str, state: LoopState, variables: dict[str, object], reasons: list[str], kind: Kind
) -> LoopState:
    """Let the simplifier write the entire text, from the original, the newest version and its memory.

    Args:
        step: Name of the prompt.
        state: Of the loop.
        variables: Those of the prompt that not every rewrite has.
        reasons: What led to it; each change is put down to one of them.
        kind: Of the changes.
    """
    return _written(state, await _ask_for_text(step, state, variables, LatestSimplification), reasons, kind)


@loop_node
async def rewrite_copied(state: LoopState) -> LoopState:
    """Write the sentences that the rewrite has copied from the abstract anew, one by one (`rewrite_copied`)."""
    source = stored_text(state["source"])

    async def in_easy_words(sentence: str, schema: type[EasySentence]) -> Answer[EasySentence]:
        variables: dict[str, object] = {"source": source, "sentence": sentence}
        return await ask_as("simplifier", "rewrite_copied", state, variables, schema, trim="source")

    def spoils(before: str, after: str, new: str) -> str:
        lost = [item["text"] for item in newly_lost(before, after, source) if item["kind"] not in STATISTICS]
        foreign = foreign_names(new, source)
        if lost:
            return f"leaves out what must stay: {', '.join(lost)}"
        return f"names what the text does not: {', '.join(foreign)}" if foreign else ""

    text, rewritten, calls = await rewrite_each(state["text"], state["copied"], source, in_easy_words, spoils)
    changes = [change_of(state, "rewrite", old, new, "It was copied from the abstract.") for old, new in rewritten]
    return {"text": text, "changes": [*state["changes"], *changes], "loop_calls": calls}


async def rewrite_alone(state: SimplificationState) -> SimplificationState:
    """Simplify the source in one go: the single-model baseline, without the society."""
    variables = {"text": state["text"], "target_grade": target_grade(state), "max_words": _max_words(state)}
    answer = await ask_as("simplifier", "rewrite_alone", state, variables, LatestSimplification, trim="text", entry=1)
    text = answer.value.text()
    return {
        "entry": 1,
        "next_loop": "single",
        "text": text,
        "changes": rewritten(state["text"], text, [], entry=1, loop="single"),
        "loop_calls": answer.calls,
    }


async def _ask_for_text(
    step: str, state: LoopState, variables: dict[str, object], schema: type[Latest]
) -> Answer[Latest]:
    always = {**texts_of(state), "memory": memory_of("simplifier", state), "max_words": _max_words(state)}
    return await ask_as("simplifier", step, state, {**always, **variables}, schema)


def _written(state: LoopState, answer: Answer[Latest], reasons: list[str], kind: Kind) -> LoopState:
    """What a new text changes in the state."""
    text, entry, loop = answer.value.text(), state["entry"], state["exchange"]["loop"]
    number = max(1, state["loop_round"])
    changes = rewritten(state["text"], text, reasons, entry=entry, loop=loop, kind=kind, number=number)
    return {
        "text": text,
        "changes": [*state["changes"], *changes],
        "to_correct": [],
        "loop_calls": answer.calls,
    }


def _max_words(state: LoopState | SimplificationState) -> object:
    return options(state).max_words or ""


OWN = "the simplifier's own choice of words"
"""Of a change that shares no word with what led to the rewrite."""

_WORD = re.compile(r"\w+")

Kind = Literal["rewrite", "substitution", "removal", "correction"]


def rewritten(
    before: str,
    after: str,
    reasons: Sequence[str],
    *,
    entry: int,
    loop: Lead | Literal["single"],
    kind: Kind = "rewrite",
    number: int = 1,
) -> list[TextChange]:
    """The changes of a text that was written anew, sentence by sentence, each with the reason that is closest to it.

    That is the reason that shares most of the words that are new; where none are, most of those that are gone. Reasons
    for a rewrite are long, so only content words count; all others name the very words.
    """
    words = stems if kind == "rewrite" else _words
    old, new = ([sentence.text for sentence in sentences(text)] for text in (before, after))
    changes: list[TextChange] = []
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            continue
        gone, come = " ".join(old[a:b]), " ".join(new[c:d])
        changed = words(come) - words(gone) or words(gone) - words(come)
        closest = max(reasons, key=lambda reason: len(changed & words(reason)), default="")
        changes.append(
            TextChange(
                entry=entry,
                loop=loop,
                round=number,
                agent="simplifier",
                kind=kind,
                before=gone,
                after=come,
                because=closest if changed & words(closest) else OWN,
            )
        )
    return changes


def change_of(state: LoopState, kind: Kind, before: str, after: str, because: str) -> TextChange:
    """One change that the simplifier made in this entry."""
    return TextChange(
        entry=state["entry"],
        loop=state["exchange"]["loop"],
        round=max(1, state["loop_round"]),
        agent="simplifier",
        kind=kind,
        before=before,
        after=after,
        because=because,
    )


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
