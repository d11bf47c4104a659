"""The simplifier, rewriting: function agent that holds the text and gives its latest version (SoMS)."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from nodes.rewriting import RewrittenSentences, better, still_in
from nodes.simplification.agent import ask_as, ends_loop_on_nonsense, in_exchange, memory_of, options
from nodes.simplification.attribution import change_of, rewritten
from nodes.simplification.content_guard import is_safe, keeps_essentials
from nodes.simplification.repairs import Repairs, numbered_sentences, repaired
from state.simplification import LoopState, SimplificationState
from tools.documents import stored_text
from tools.prompts import numbered
from tools.prose import finished_paragraphs
from tools.readability import hard_sentences

MOST_HARD_SENTENCES = 4
"""An abstract is short, and most of its sentences are hard."""

Paragraph = Annotated[str, Field(min_length=20, max_length=1500)]


class LatestSimplification(BaseModel):
    """The simplifier's version of the entire text."""

    model_config = ConfigDict(extra="forbid")

    paragraphs: list[Paragraph] = Field(min_length=1, max_length=8)

    @field_validator("paragraphs")
    @classmethod
    def _holds_whole_sentences_once(cls, paragraphs: list[str]) -> list[str]:
        finished = finished_paragraphs(paragraphs)
        if not finished:
            raise ValueError("no paragraph holds a finished sentence")
        return finished

    @property
    def text(self) -> str:
        """The paragraphs as one text."""
        return "\n\n".join(self.paragraphs)


class Reasoning(BaseModel):
    """The chain of thought before the rewrite; decoding follows the order of the fields."""

    model_config = ConfigDict(extra="forbid")

    fits: list[Annotated[str, Field(max_length=160)]] = Field(min_length=1, max_length=6)


class ReasonedSimplification(LatestSimplification, Reasoning):
    """First how each clarification fits in, then the text."""


@ends_loop_on_nonsense
async def rewrite_text(state: LoopState) -> dict[str, Any]:
    """Fold the expert's answers into the text: reason how each fits, then rewrite in simpler form."""
    answered = [f"{item['text']} {item['answer']}" for item in state["exchange"]["questions"] if item["answer"]]
    hard = hard_sentences(state["text"], at_most=MOST_HARD_SENTENCES)
    variables: dict[str, object] = {
        "text": state["text"],
        "clarifications": numbered(answered),
        "hard_sentences": numbered(hard),
        "memory": memory_of("simplifier", state),
        **_aims(state),
    }
    answer = await ask_as("simplifier", "rewrite_text", state, variables, ReasonedSimplification)
    text = answer.value.text
    changes = rewritten(state["text"], text, answered, entry=state["entry"], loop=state["exchange"]["loop"])
    return {
        "text": text,
        "copied": still_in(text, hard),
        "changes": [*state["changes"], *changes],
        "exchange": in_exchange(state, reasoning=answer.value.fits),
        "loop_calls": [*state["loop_calls"], *answer.calls],
    }


@ends_loop_on_nonsense
async def rewrite_copied(state: LoopState) -> dict[str, Any]:
    """Write the hard sentences that the rewrite has copied anew, one by one (ours, not the paper's)."""
    source = stored_text(state["source"])
    answers = numbered(item["answer"] for item in state["exchange"]["questions"] if item["answer"])
    variables: dict[str, object] = {"clarifications": answers, "sentences": numbered(state["copied"])}
    answer = await ask_as("simplifier", "rewrite_copied", state, variables, RewrittenSentences, trim="clarifications")
    text, changes = state["text"], list(state["changes"])
    for old, new in better(state["copied"], answer.value, f"{source}\n\n{answers}"):
        candidate = text.replace(old, new, 1)
        if keeps_essentials(text, candidate, source):
            text = candidate
            changes.append(change_of(state, "rewrite", old, new, "It was one of the hardest sentences."))
    return {"text": text, "changes": changes, "loop_calls": [*state["loop_calls"], *answer.calls]}


@ends_loop_on_nonsense
async def correct_text(state: LoopState) -> dict[str, Any]:
    """Follow the medical expert's comments, sentence by sentence, where that loses and adds no checked content."""
    comments, source = state["exchange"]["comments"], stored_text(state["source"])
    variables: dict[str, object] = {
        "points": numbered(comments),
        "sentences": numbered(numbered_sentences(state["text"])),
    }
    answer = await ask_as("simplifier", "correct_text", state, variables, Repairs, trim="sentences")
    steps = list(
        repaired(
            state["text"],
            answer.value.repairs,
            len(comments),
            helps=lambda before, after: is_safe(before, after, source),
        )
    )
    changes = [change_of(state, "correction", step.before, step.after, comments[step.point - 1]) for step in steps]
    return {
        "text": steps[-1].text if steps else state["text"],
        "changes": [*state["changes"], *changes],
        "loop_calls": [*state["loop_calls"], *answer.calls],
    }


async def rewrite_alone(state: SimplificationState) -> dict[str, Any]:
    """Simplify the source in one go: the single-model baseline, without the society."""
    variables: dict[str, object] = {"text": state["text"], **_aims(state)}
    answer = await ask_as("simplifier", "rewrite_alone", state, variables, LatestSimplification, trim="text", entry=1)
    return {
        "entry": 1,
        "next_loop": "single",
        "text": answer.value.text,
        "changes": rewritten(state["text"], answer.value.text, [], entry=1, loop="single"),
        "loop_calls": answer.calls,
    }


def _aims(state: LoopState | SimplificationState) -> dict[str, object]:
    grade, words = options(state).target_grade, options(state).max_words
    return {"target_grade": f"{grade:g}" if grade else "", "max_words": words or ""}
