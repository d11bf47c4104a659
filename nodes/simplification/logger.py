"""The logger: files a finished exchange, tells the agents, and decides whether the run is over (SoMS, "Logger")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from nodes.simplification.agent import options
from nodes.simplification.selector import visits
from nodes.simplification.versions import as_version
from state.simplification import Agent, Exchange, Memory, SimplificationState, Version


async def log_exchange(state: SimplificationState) -> dict[str, Any]:
    """Append the exchange to the conversation history and the new version to the versions; update the memories."""
    version = as_version(state["entry"], state["next_loop"], state["text"], state["lost"])  # type: ignore[arg-type]
    filed: dict[str, Any] = {
        "versions": [version],
        "all_changes": state["changes"],
        "calls": state["loop_calls"],
        "changes": [],
        "loop_calls": [],
    }
    if state["next_loop"] == "single":
        return {**filed, "stop_reason": "single rewrite"}
    exchange: Exchange = {**state["exchange"], "changed": state["text"] != state["versions"][-1]["text"]}
    return {
        **filed,
        "exchange": exchange,
        "history": [exchange],
        "memories": list(_memories(exchange)),
        "stop_reason": stop_reason(state, exchange, version),
    }


def stop_reason(
    state: SimplificationState, newest: Exchange, version: Version
) -> Literal["", "entries used up", "target reached"]:
    """Why no further loop is entered; empty if there is one to enter."""
    chosen = options(state)
    if all(visits(state, lead) + (lead == newest["loop"]) >= chosen.entries for lead in chosen.loops):
        return "entries used up"
    aims = [
        (version["grade"], chosen.target_grade),
        (version["words"], chosen.max_words),
    ]
    wanted = [(value, aim) for value, aim in aims if aim is not None]
    reached = bool(wanted) and all(value <= aim for value, aim in wanted)
    return "target reached" if chosen.stop == "adaptive" and reached else ""


def _memories(exchange: Exchange) -> Iterator[Memory]:
    """What each agent with a memory learns from an exchange, in natural language."""
    entry = exchange["entry"]
    for agent, text in _learnt(exchange):
        yield Memory(agent=agent, entry=entry, text=text)
    if exchange["changed"]:
        lead = exchange["loop"].replace("_", " ")
        for agent in ("language_clarifier", "redundancy_checker"):
            text = f"Entry {entry}: the {lead} loop changed the text; the version shown now is the newest."
            yield Memory(agent=agent, entry=entry, text=text)


def _learnt(exchange: Exchange) -> Iterator[tuple[Agent, str]]:
    yield from _clarified(exchange)
    yield from _edited(exchange)
    yield from _reviewed(exchange)
    for detail in exchange["sent_back"]:
        yield "simplifier", f'I was told that my text had lost "{detail["text"]}", and to put it back.'


def _clarified(exchange: Exchange) -> Iterator[tuple[Agent, str]]:
    for question in exchange["questions"]:
        if question["answer"]:
            yield "medical_expert", f"I was asked: {question['text']} I said: {question['answer']}"
            yield "simplifier", f"A reader asked: {question['text']} The medical expert said: {question['answer']}"


def _edited(exchange: Exchange) -> Iterator[tuple[Agent, str]]:
    for item in exchange["suggestions"]:
        wording = f'"{item["original"]}" -> "{item["replacement"]}"'
        yield "language_clarifier", f"I suggested {wording}: {item['verdict']}. {item['reason']}"
        if item["judge"] == "simplifier":
            did = "accepted" if item["verdict"] == "accepted" else "rejected"
            yield "simplifier", f"I {did} the wording {wording}. {item['reason']}"
    for part in exchange["redundancies"]:
        verdict = f'"{part["quote"]}": {part["verdict"]}. {part["justification"]}'
        yield "redundancy_checker", f"I quoted {verdict}"
        if part["judge"] == "medical_expert":
            yield "medical_expert", f"I judged {verdict}"
        if part["verdict"] == "removed":
            yield "simplifier", f'I left out "{part["quote"]}", for it is redundant: {part["reason"]}'


def _reviewed(exchange: Exchange) -> Iterator[tuple[Agent, str]]:
    for comment in exchange["comments"]:
        yield "medical_expert", f"I commented on a rewritten text: {comment}"
        yield "simplifier", f"The medical expert commented on my text: {comment}"
    if exchange["accurate"]:
        yield "medical_expert", "I stated that the rewritten text was accurate."
        yield "simplifier", "The medical expert stated that my text was accurate."
