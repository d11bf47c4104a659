"""The redundancy checker: lead agent that quotes what the text can do without (SoMS, Redundancy loop)."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from nodes.simplification.agent import ask_as, ends_loop_on_nonsense, in_exchange, memory_of
from state.simplification import LoopState, Redundancy
from tools.documents import stored_text
from tools.fidelity import lost_content
from tools.text_edits import occurrences, remove

MOST_WORDS = 5
"""The paper's: quotes of at most five words."""


SHORT_QUOTE = rf'^[^\s"]{{1,24}}( [^\s"]{{1,24}}){{0,{MOST_WORDS - 1}}}$'
"""The rule as a pattern for constrained decoding; where a server cannot do that, a longer quote is put aside."""


class RedundantPart(BaseModel):
    """One short quote, and why it is superfluous."""

    model_config = ConfigDict(extra="forbid")

    quote: str = Field(min_length=2, json_schema_extra={"pattern": SHORT_QUOTE})
    reason: str = Field(min_length=5, max_length=160)


class Redundancies(BaseModel):
    """The redundancy checker's answer; an empty list says that there is nothing to remove."""

    model_config = ConfigDict(extra="forbid")

    redundancies: list[RedundantPart] = Field(max_length=6)


@ends_loop_on_nonsense
async def find_redundancies(state: LoopState) -> dict[str, Any]:
    """Quote redundant parts; what breaks a rule is put aside before the expert is bothered."""
    variables: dict[str, object] = {"text": state["text"], "memory": memory_of("redundancy_checker", state)}
    answer = await ask_as("redundancy_checker", "find_redundancies", state, variables, Redundancies)
    source = stored_text(state["source"])
    found = {part.quote.strip(): part for part in answer.value.redundancies}
    redundancies = [screened(quote, part.reason, state["text"], source) for quote, part in found.items()]
    return {
        "exchange": in_exchange(state, redundancies=redundancies),
        "loop_calls": [*state["loop_calls"], *answer.calls],
    }


def screened(quote: str, reason: str, text: str, source: str) -> Redundancy:
    """A quote that keeps to the rules stays open for the expert; any other is kept in the text."""
    problem = objection(quote, text, source)
    return Redundancy(
        quote=quote,
        reason=reason,
        verdict="kept" if problem else "open",
        justification=problem,
        judge="guard" if problem else "",
    )


def objection(quote: str, text: str, source: str) -> str:
    """Which rule a quote breaks; empty if none."""
    if len(quote.split()) > MOST_WORDS:
        return f"It has more than {MOST_WORDS} words."
    places = len(occurrences(text, quote))
    if places == 0:
        return "The text does not contain these words."
    if places > 1:
        return f"The text contains these words {places} times, so it is unclear which are meant."
    before = [detail["text"] for detail in lost_content(source, text)]
    lost = [item["text"] for item in lost_content(source, remove(text, quote)) if item["text"] not in before]
    return f"Without it the text would lose: {', '.join(lost)}." if lost else ""
