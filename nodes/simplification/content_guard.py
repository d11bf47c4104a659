"""The content guard: what of the source a version has lost is reported in the result (ours, not the paper's)."""

from __future__ import annotations

from state.records import LostDetail
from state.simplification import SimplificationState
from tools.checks.medical_terms import forms, medical_names
from tools.checks.omissions import lost_content
from tools.documents.reading import stored_text


async def check_content(state: SimplificationState) -> SimplificationState:
    """List what the newest text has lost of the source."""
    return {"lost": lost_content(stored_text(state["source"]), state["text"])}


def newly_lost(before: str, after: str, source: str) -> list[LostDetail]:
    """What of the source a change of the text loses."""
    lost_before = lost_content(source, before)
    return [detail for detail in lost_content(source, after) if detail not in lost_before]


def foreign_names(text: str, source: str) -> list[str]:
    """Names of a text, of drugs and conditions too, that its source lacks and that are no plain words for its own.

    They are what the source would lose of the text, were it made from it.
    """
    plain = (" ".join(form) for name in medical_names(source) for form in forms(name.text))
    found = lost_content(text, "\n\n".join([source, *plain]))
    return [item["text"] for item in found if item["kind"] == "name"]
