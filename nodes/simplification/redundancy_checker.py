"""The redundancy checker: lead agent that quotes what the text can do without (SoMS, Redundancy loop)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from nodes.shared import AgentAnswer
from nodes.simplification.agent import ask_as, has_extension, in_exchange, loop_node, memory_of
from state.model_settings import AtMost
from state.simplification import LoopState, Redundancy
from tools.text import occurrences

NOT_THERE = "The text does not contain these words."


class RedundantPart(AgentAnswer):
    """One short quote, and why it is superfluous."""

    quote: Annotated[str, AtMost("quote_words")] = Field(min_length=1)
    reason: Annotated[str, AtMost("note_words")]


class Redundancies(AgentAnswer):
    """The redundancy checker's answer; an empty list says that there is nothing to remove."""

    redundancies: Annotated[list[RedundantPart], AtMost("redundancies")]


@loop_node
async def find_redundancies(state: LoopState) -> LoopState:
    """Quote redundant parts; what code could not take out (`edit_by_code`) is put aside before the expert judges."""
    variables: dict[str, object] = {"text": state["text"], "memory": memory_of("redundancy_checker", state)}
    answer = await ask_as("redundancy_checker", "find_redundancies", state, variables, Redundancies)
    found = {quote: part for part in answer.value.redundancies if (quote := part.quote.strip())}
    redundancies = [_screened(quote, part.reason, state) for quote, part in found.items()]
    return {
        "exchange": in_exchange(state, redundancies=redundancies),
        "loop_calls": answer.calls,
    }


def _screened(quote: str, reason: str, state: LoopState) -> Redundancy:
    """A quote without objection stays open for the expert; any other is kept in the text."""
    problem = objection(quote, state["text"], state)
    return Redundancy(
        quote=quote,
        reason=reason,
        verdict="kept" if problem else "open",
        justification=problem,
        judge="guard" if problem else "",
    )


def objection(quote: str, text: str, state: LoopState) -> str:
    """Why code cannot take a quote out of a text; empty if it can.

    Code takes out what stands there once. Without the extension `edit_by_code` the simplifier is shown any quote.
    """
    if has_extension("edit_by_code", state) and (places := len(occurrences(text, quote))) != 1:
        return f"The text contains these words {places} times, not once." if places else NOT_THERE
    return ""
