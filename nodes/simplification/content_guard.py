"""The content guard, an extension: reports the details of the source that a version has lost."""

from __future__ import annotations

from state.records import LostDetail
from state.simplification import SimplificationState
from tools.checks.medical_terms import find_medical_names, list_name_forms
from tools.checks.omissions import find_lost_details
from tools.documents.reading import load_source_text


async def check_content(state: SimplificationState) -> SimplificationState:
    """Set `lost` to the details of the source that the newest text has lost."""
    return {"lost": find_lost_details(load_source_text(state["source"]), state["text"])}


def list_newly_lost_details(before: str, after: str, source: str) -> list[LostDetail]:
    """List the details of the source that `after` has lost, but not those that `before` already lacked."""
    lost_before = find_lost_details(source, before)
    return [detail for detail in find_lost_details(source, after) if detail not in lost_before]


def list_unsupported_names(text: str, source: str) -> list[str]:
    """List the names in a text, of drugs and conditions too, for which the source has no name or plain word."""
    forms = (" ".join(form) for name in find_medical_names(source) for form in list_name_forms(name.text))
    # These are the details that the source, extended by plain words for its names, would lose of the text.
    found = find_lost_details(text, "\n\n".join([source, *forms]))
    return [item["text"] for item in found if item["kind"] == "name"]
