"""The redundancy checker: the lead agent that quotes superfluous parts of the text (SoMS, Redundancy loop)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import as_loop_node, ask_simplification_role, format_memory, update_exchange
from state.model_settings import LengthLimit
from state.simplification import LoopState, Redundancy


class RedundantPart(AgentAnswer):
    """One short quote, and why it is superfluous."""

    quote: Annotated[str, LengthLimit("quote_words")] = Field(min_length=1)
    reason: Annotated[str, LengthLimit("note_words")]


class Redundancies(AgentAnswer):
    """The redundancy checker's answer; an empty list says that there is nothing to remove."""

    redundancies: Annotated[list[RedundantPart], LengthLimit("redundancies")]


@as_loop_node
async def find_redundancies(state: LoopState) -> LoopState:
    """Quote redundant parts of the text, each once, for the medical expert to judge."""
    variables: dict[str, object] = {"text": state["text"], "memory": format_memory("redundancy_checker", state)}
    answer = await ask_simplification_role("redundancy_checker", "find_redundancies", state, variables, Redundancies)
    # An answer may hold a quote twice, or hold an empty quote.
    found = {quote: part.reason for part in answer.value.redundancies if (quote := part.quote.strip())}
    redundancies = [
        Redundancy(quote=quote, reason=reason, verdict="open", justification="", judge="")
        for quote, reason in found.items()
    ]
    return {"exchange": update_exchange(state, redundancies=redundancies), "loop_calls": answer.calls}
