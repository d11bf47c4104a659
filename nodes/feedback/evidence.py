"""What was asked and found, as prompts show it."""

from __future__ import annotations

from collections.abc import Iterable

from nodes.feedback.paper import shown
from state.feedback import Candidate, Evidence, ParagraphState, StepRecord


def evidence_shown(state: ParagraphState) -> str:
    """Answered questions with their ids and places; what was asked in vain is not among them."""
    return "\n".join(_answer_shown(item, state) for item in state["evidence"])


def log_shown(state: ParagraphState) -> str:
    """What was done so far, in order, for the controller only: unanswered questions never reach the reviewer."""
    found = {item["id"]: item for item in state["evidence"]}
    return "\n".join(
        _step_shown(record, found.get(evidence_id(record["step"]["id"])), state) for record in state["log"]
    )


def evidence_id(step: str) -> str:
    """The id of what a step has found: that of the step with another letter."""
    return f"e{step[1:]}"


def place_of(item: Evidence) -> str:
    """Where an answer comes from, in words."""
    if item["source"] == "model":
        return "the model itself"
    where = "the paper" if item["source"] == "paper" else item["title"] or item["address"]
    section = f", {item['section']}" if item["section"] else ""
    return f"{where}{section}" + (f", page {item['page']}" if item["page"] else "")


def candidates_shown(candidates: Iterable[Candidate]) -> str:
    """Weaknesses that the detector noticed; with the type inside the sentence, small models copy it."""
    return "\n".join(
        f'- words: "{item["quote"]}"\n  problem: {item["problem"]}\n  label: {item["label"]}' for item in candidates
    )


def _answer_shown(item: Evidence, state: ParagraphState) -> str:
    quote = f': "{shown(item["quote"], state)}"' if item["quote"] else ""
    return (
        f"[{item['id']}] Question: {item['question']}\n"
        f"     Answer: {shown(item['answer'], state)} (from {place_of(item)}{quote})"
    )


def _step_shown(record: StepRecord, found: Evidence | None, state: ParagraphState) -> str:
    if found:
        return _answer_shown(found, state)
    outcome = "Not asked" if record["outcome"] == "skipped" else "No answer was found"
    return f"- {outcome}: {record['step']['question']}"
