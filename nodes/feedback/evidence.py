"""What was asked and found, as prompts show it."""

from __future__ import annotations

from collections.abc import Iterable

from nodes.feedback.paper import shown
from state.feedback import Candidate, Evidence, StepRecord


def evidence_shown(evidence: Iterable[Evidence]) -> str:
    """Answered questions with their ids and places."""
    return "\n".join(map(_answer_shown, evidence))


def place_of(item: Evidence) -> str:
    """Where an answer comes from, in words."""
    if item["source"] == "model":
        return "the model itself"
    where = "the paper" if item["source"] == "paper" else item["title"] or item["address"]
    section = f", {item['section']}" if item["section"] else ""
    return f"{where}{section}" + (f", page {item['page']}" if item["page"] else "")


def _answer_shown(item: Evidence) -> str:
    quote = f': "{shown(item["quote"])}"' if item["quote"] else ""
    return (
        f"[{item['id']}] Question: {item['question']}\n"
        f"     Answer: {shown(item['answer'])} (from {place_of(item)}{quote})"
    )


def unanswered_shown(log: Iterable[StepRecord]) -> str:
    """What was asked in vain or not asked, for the controller only: it never reaches the reviewer."""
    return "\n".join(
        f"- {'Not asked' if record['outcome'] == 'skipped' else 'No answer was found'}: {record['step']['question']}"
        for record in log
        if record["outcome"] != "answered"
    )


def candidates_shown(candidates: Iterable[Candidate]) -> str:
    """Weaknesses that the detector noticed; with the type inside the sentence, small models copy it."""
    return "\n".join(
        f'- words: "{item["quote"]}"\n  problem: {item["problem"]}\n  label: {item["label"]}' for item in candidates
    )
