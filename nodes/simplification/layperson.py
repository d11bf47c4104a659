"""The layperson: the lead agent without memory that asks about unclear passages (SoMS, Layperson loop)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import as_loop_node, ask_simplification_role, update_exchange
from state.model_settings import LengthLimit
from state.simplification import LoopState, Question

# The paper says "at least four".
MIN_QUESTIONS = 4


class Questions(AgentAnswer):
    """The layperson's answer."""

    questions: Annotated[list[Annotated[str, LengthLimit("note_words")]], LengthLimit("questions")] = Field(
        min_length=MIN_QUESTIONS
    )


@as_loop_node
async def ask_questions(state: LoopState) -> LoopState:
    """Ask at least four questions about the newest text, without seeing the source; repetitions are dropped."""
    answer = await ask_simplification_role(
        "layperson", "ask_questions", state, {"text": state["text"]}, Questions, trim="text"
    )
    texts = dict.fromkeys(map(str.strip, answer.value.questions))
    questions = [Question(number=n, text=text, term="", answer="") for n, text in enumerate(texts, start=1)]
    return {"exchange": update_exchange(state, questions=questions), "loop_calls": answer.calls}
