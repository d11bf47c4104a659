"""The agent selector: chooses the lead agent of the next loop (SoMS, "Agent Selector")."""

from __future__ import annotations

from contextlib import suppress
from typing import Annotated, Any, Literal

from pydantic import Field, create_model

from nodes.shared import AgentAnswer, get_limits, get_model_settings, load_step_prompt
from nodes.simplification.agent import (
    PROMPTS,
    ask_simplification_role,
    build_text_variables,
    format_exchange,
    get_simplification_settings,
    make_empty_exchange,
)
from state.errors import ContextOverflowError, NoUsableAnswer
from state.model_settings import LengthLimit
from state.records import CallRecord
from state.settings import Lead
from state.simplification import SimplificationState
from tools.models.fitting import fit_prompt

DONE: Literal["done"] = "done"


class HistorySummary(AgentAnswer):
    """What the oldest exchanges came to."""

    summary: Annotated[str, LengthLimit("review_words")] = Field(min_length=1)


async def condense_history(state: SimplificationState) -> SimplificationState:
    """Summarise all exchanges but the newest if the history does not fit the selector's context, or change nothing."""
    # 1. Find out whether the selector is asked next, and whether its prompt fits as it is.
    fresh, choices = state["history"][state["summarised"] :], list_agent_choices(state)
    if not fresh or len(choices) < 2:  # with one choice nobody is asked
        return {}
    prompt = await load_step_prompt(PROMPTS, "select_agent", state)
    prompt_variables = {**_build_selector_variables(state, choices), "limits": get_limits(state)}
    with suppress(ContextOverflowError):
        fitted = await fit_prompt(prompt, prompt_variables, "history", get_model_settings("agent_selector", state))
        if not fitted.trims:
            return {}
    # 2. Summarise.
    oldest = fresh[:-1] or fresh
    variables: dict[str, object] = {
        "summary": state["history_summary"],
        "exchanges": "\n\n".join(map(format_exchange, oldest)),
    }
    try:
        answer = await ask_simplification_role(
            "agent_selector", "condense_history", state, variables, HistorySummary, trim="exchanges"
        )
    except NoUsableAnswer as error:  # the selector then sees what fits, and the trimming is on record
        return {"calls": error.spent}
    return {
        "history_summary": answer.value.summary,
        "summarised": state["summarised"] + len(oldest),
        "calls": answer.calls,
    }


class ReasonedChoice(AgentAnswer):
    """First why, then which agent."""

    reason: Annotated[str, LengthLimit("note_words")]


async def select_agent(state: SimplificationState) -> SimplificationState:
    """Choose among the lead agents that may act again and open the exchange of the entry, or end the run."""
    choices = list_agent_choices(state)
    agent, because, calls = choices[0], "No other agent may be entered again.", list[CallRecord]()
    if len(choices) > 1:
        open_agents: Any = Literal[tuple(choices)]
        schema = create_model("AgentChoice", __base__=ReasonedChoice, agent=(open_agents, ...))
        variables = _build_selector_variables(state, choices)
        try:
            answer = await ask_simplification_role(
                "agent_selector", "select_agent", state, variables, schema, trim="history", entry=state["entry"] + 1
            )
        except NoUsableAnswer as error:  # it named no open agent twice
            because = f"The selector chose no agent that may be entered ({error.problem}), so the first of them acts."
            calls = error.spent
        else:
            chosen = answer.value.model_dump()
            agent, because, calls = chosen["agent"], chosen["reason"], answer.calls
    if agent == DONE:
        return {"next_loop": DONE, "stop_reason": "nothing more to change", "calls": calls}
    entry, visit = state["entry"] + 1, count_visits(state, agent) + 1
    return {
        "entry": entry,
        "next_loop": agent,
        "exchange": make_empty_exchange(entry, agent, visit, because),
        "changes": [],
        "loop_calls": [],
        "to_correct": [],
        "loop_round": 0,
        "calls": calls,
    }


def list_agent_choices(state: SimplificationState) -> list[Any]:
    """List the names of the lead agents that may act again, and `done` if the run may end early."""
    chosen = get_simplification_settings(state)
    leads: list[Any] = [lead for lead in chosen.loops if count_visits(state, lead) < chosen.entries]
    # Until a loop changes nothing, there is no sign that the text is finished.
    may_end = chosen.stop == "adaptive" and any(not exchange["changed"] for exchange in state["history"])
    return [*leads, DONE] if may_end else leads


def count_visits(state: SimplificationState, lead: Lead) -> int:
    """Return how often the loop of a lead agent was entered."""
    return sum(exchange["loop"] == lead for exchange in state["history"])


def _build_selector_variables(state: SimplificationState, choices: list[Any]) -> dict[str, object]:
    """Return the variables of the selector's prompt, with the exchanges that are not summarised."""
    entries = get_simplification_settings(state).entries
    open_choices = [
        f"- `{DONE}`, if no agent would improve the text any further"
        if choice == DONE
        else f"- `{choice}` (may act {entries - count_visits(state, choice)} more times)"
        for choice in choices
    ]
    return {
        **build_text_variables(state),
        "summary": state["history_summary"],
        "history": "\n\n".join(map(format_exchange, state["history"][state["summarised"] :])),
        "choices": "\n".join(open_choices),
    }
