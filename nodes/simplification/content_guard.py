"""The content guard: what of the source a version has lost is reported in the result (ours, not the paper's)."""

from __future__ import annotations

from state.records import LostDetail
from state.simplification import SimplificationState
from tools.checks.medical_terms import find_medical_names, list_name_forms
from tools.checks.omissions import find_lost_details
from tools.documents.reading import load_source_text


async def check_content(state: SimplificationState) -> SimplificationState:
    """List what the newest text has lost of the source."""
    return {"lost": find_lost_details(load_source_text(state["source"]), state["text"])}


STATISTIC_KINDS = frozenset(("interval", "effect size"))
"""What a text in plain words may leave out."""
MAX_LOST_SHARE = 1 / 3
"""Share of its words, and of its checked details but for statistics, that a text may lose by being written anew."""


def describe_excessive_loss(before: str, after: str, source: str, max_words: int | None) -> str:
    """Say how much of a text is lost in the one that was written in its place; empty if it is not too much.

    Args:
        before: The text.
        after: The new one.
        source: The abstract that both were made from.
        max_words: Length that the text should keep to, which may be less.
    """
    had, has = (len(text.split()) for text in (before, after))
    if has < (1 - MAX_LOST_SHARE) * min(had, max_words or had):
        return f"it has only {has} of the {had} words that the text had: give the entire text"
    gone = find_lost_details(source, before)
    kept = [item for item in find_lost_details(source, "") if item not in gone]
    lost = [
        item["text"] for item in list_newly_lost_details(before, after, source) if item["kind"] not in STATISTIC_KINDS
    ]
    if len(lost) > MAX_LOST_SHARE * sum(item["kind"] not in STATISTIC_KINDS for item in kept):
        return f"it has lost what must stay: {', '.join(lost)}"
    return ""


def list_newly_lost_details(before: str, after: str, source: str) -> list[LostDetail]:
    """What of the source a change of the text loses."""
    lost_before = find_lost_details(source, before)
    return [detail for detail in find_lost_details(source, after) if detail not in lost_before]


def list_unsupported_names(text: str, source: str) -> list[str]:
    """Names of a text, of drugs and conditions too, that its source lacks and that are no plain words for its own.

    They are what the source would lose of the text, were it made from it.
    """
    plain = (" ".join(form) for name in find_medical_names(source) for form in list_name_forms(name.text))
    found = find_lost_details(text, "\n\n".join([source, *plain]))
    return [item["text"] for item in found if item["kind"] == "name"]
