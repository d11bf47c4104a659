"""An exchange: one entry into a loop, as a record and in words."""

from __future__ import annotations

from collections.abc import Iterator

from state.settings import Lead
from state.simplification import Exchange


def begin_exchange(entry: int, loop: Lead, visit: int, because: str) -> Exchange:
    """An exchange in which nothing has been said."""
    return Exchange(
        entry=entry,
        loop=loop,
        visit=visit,
        chosen_because=because,
        questions=[],
        reasoning=[],
        suggestions=[],
        redundancies=[],
        comments=[],
        accurate=False,
        sent_back=[],
        changed=False,
        problem="",
    )


def in_words(exchange: Exchange) -> str:
    """The exchange as the conversation history tells it."""
    lead = exchange["loop"].replace("_", " ")
    lines = list(_said(exchange)) or ["Nothing to change was found."]
    outcome = "The text was changed." if exchange["changed"] else "The text stayed as it was."
    return "\n".join([f"Entry {exchange['entry']}, {lead} loop:", *(f"- {line}" for line in lines), f"- {outcome}"])


def _said(exchange: Exchange) -> Iterator[str]:
    for question in exchange["questions"]:
        yield f"Layperson asked: {question['text']} Medical expert answered: {question['answer'] or '(no answer)'}"
    for thought in exchange["reasoning"]:
        yield f"Simplifier reasoned: {thought}"
    for suggestion in exchange["suggestions"]:
        wording = f'"{suggestion["original"]}" -> "{suggestion["replacement"]}"'
        yield f"Language clarifier proposed {wording}: {suggestion['verdict']} ({suggestion['reason']})"
    for part in exchange["redundancies"]:
        quoted = f'"{part["quote"]}" ({part["reason"]})'
        yield f"Redundancy checker quoted {quoted}: {part['verdict']} ({part['justification']})"
    for comment in exchange["comments"]:
        yield f"Medical expert commented on the rewritten text: {comment}"
    if exchange["accurate"]:
        yield "Medical expert stated: the rewritten text is accurate."
    for detail in exchange["sent_back"]:
        yield f'The simplifier was told that "{detail["text"]}" was lost.'
    if exchange["problem"]:
        yield "The loop ended early, because an agent gave no usable answer."
