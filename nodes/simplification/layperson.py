"""The layperson: lead agent without memory, asks about what it does not follow (SoMS, Layperson loop)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from nodes.simplification.agent import ask_as, ends_loop_on_nonsense, in_exchange
from state.simplification import LoopState, Question

FEWEST_QUESTIONS = 4
"""The paper's: "at least four"."""


class AskedQuestion(BaseModel):
    """Words of the text, and what is asked about them; the words come first, or a small model asks for a summary."""

    model_config = ConfigDict(extra="forbid")

    words: str = Field(min_length=3, max_length=80)
    question: str = Field(min_length=8, max_length=160)


class Questions(BaseModel):
    """The layperson's answer."""

    model_config = ConfigDict(extra="forbid")

    questions: list[AskedQuestion] = Field(min_length=FEWEST_QUESTIONS, max_length=6)


@ends_loop_on_nonsense
async def ask_questions(state: LoopState) -> dict[str, Any]:
    """Ask at least four questions about the newest text; the layperson never sees the source."""
    answer = await ask_as("layperson", "ask_questions", state, {"text": state["text"]}, Questions, trim="text")
    texts = dict.fromkeys(f'"{item.words.strip()}": {item.question.strip()}' for item in answer.value.questions)
    questions = [Question(number=n, text=text, term="", answer="") for n, text in enumerate(texts, start=1)]
    return {"exchange": in_exchange(state, questions=questions), "loop_calls": [*state["loop_calls"], *answer.calls]}
