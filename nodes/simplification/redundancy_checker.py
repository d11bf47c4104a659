"""The redundancy checker: lead agent that quotes what the text can do without (SoMS, Redundancy loop)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import ask_as, in_exchange, loop_node, memory_of
from state.model_settings import AtMost
from state.simplification import LoopState, Redundancy


class RedundantPart(AgentAnswer):
    """One short quote, and why it is superfluous."""

    quote: Annotated[str, AtMost("quote_words")] = Field(min_length=1)
    reason: Annotated[str, AtMost("note_words")]


class Redundancies(AgentAnswer):
    """The redundancy checker's answer; an empty list says that there is nothing to remove."""

    redundancies: Annotated[list[RedundantPart], AtMost("redundancies")]


@loop_node
async def find_redundancies(state: LoopState) -> LoopState:
    """Quote redundant parts of the text."""
    variables: dict[str, object] = {"text": state["text"], "memory": memory_of("redundancy_checker", state)}
    answer = await ask_as("redundancy_checker", "find_redundancies", state, variables, Redundancies)
    found = {quote: part.reason for part in answer.value.redundancies if (quote := part.quote.strip())}
    redundancies = [
        Redundancy(quote=quote, reason=reason, verdict="open", justification="", judge="")
        for quote, reason in found.items()
    ]
    return {"exchange": in_exchange(state, redundancies=redundancies), "loop_calls": answer.calls}
