"""The content guard: what of the source a version has lost is reported in the result (ours, not the paper's).

With the extension `restore` it also goes back to the simplifier, once an entry: the simplifier writes single sentences
anew, and code puts in those that help, so that nothing else changes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from nodes.simplification.agent import ask_as, has_extension, limits_of
from state.errors import Unanswered
from state.model_settings import AtMost
from state.records import LostDetail
from state.simplification import Exchange, SimplificationState, TextChange
from tools.checks.fidelity import unsupported_facts
from tools.checks.medical_terms import forms, medical_names
from tools.checks.omissions import lost_content
from tools.documents.reading import stored_text
from tools.models.prompts import numbered
from tools.text import sentences

ESSENTIAL = frozenset(("quantity", "negation", "name"))


async def check_content(state: SimplificationState) -> SimplificationState:
    """List what the newest text has lost of the source, and what of it is new and goes back to the simplifier."""
    lost = lost_content(stored_text(state["source"]), state["text"])
    known = state["versions"][-1]["lost"]
    is_single = state["next_loop"] == "single"
    may_return = has_extension("restore", state) and not is_single and not state["exchange"]["sent_back"]
    new = [item for item in lost if item not in known and item["kind"] in ESSENTIAL] if may_return else []
    return {"lost": lost, "to_restore": new[: limits_of(state).comments]}


async def restore_content(state: SimplificationState) -> SimplificationState:
    """Let the simplifier write the lost details back in, sentence by sentence; only repairs that help are kept."""
    lost, source = state["to_restore"], stored_text(state["source"])
    exchange: Exchange = {**state["exchange"], "sent_back": lost}
    variables: dict[str, object] = {
        "points": numbered(f'"{item["text"]}" from: {item["sentence"]}' for item in lost),
        "sentences": numbered(numbered_sentences(state["text"])),
    }
    news: SimplificationState = {"exchange": exchange, "to_restore": []}
    try:
        answer = await ask_as("simplifier", "restore_content", state, variables, Repairs, trim="sentences")
    except Unanswered as error:  # what is lost stays on record
        return {**news, "loop_calls": [*state["loop_calls"], *error.spent]}
    steps = list(
        repaired(
            state["text"],
            answer.value.repairs,
            len(lost),
            helps=lambda before, after: restores(before, after, source),
        )
    )
    changes = [_restoration(exchange, step.before, step.after, lost[step.point - 1]) for step in steps]
    return {
        **news,
        "text": steps[-1].text if steps else state["text"],
        "changes": [*state["changes"], *changes],
        "loop_calls": [*state["loop_calls"], *answer.calls],
    }


def restores(before: str, after: str, source: str) -> bool:
    """Whether a repair brings checked content back, loses none, and adds nothing that the source does not say."""
    lost_before, lost_after = lost_content(source, before), lost_content(source, after)
    return len(lost_after) < len(lost_before) and is_safe(before, after, source)


def is_safe(before: str, after: str, source: str) -> bool:
    """Whether a change of the text loses no checked content and adds nothing that the source does not say."""
    lost_before = lost_content(source, before)
    adds = len(unsupported_facts(after, source)) > len(unsupported_facts(before, source))
    return all(detail in lost_before for detail in lost_content(source, after)) and not adds


def keeps_essentials(before: str, after: str, source: str) -> bool:
    """Whether a change of the text loses no dose, negation or name; other numbers may go, and are reported."""
    return not any(detail["kind"] in ESSENTIAL for detail in newly_lost(before, after, source))


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


def _restoration(exchange: Exchange, before: str, after: str, detail: LostDetail) -> TextChange:
    return TextChange(
        entry=exchange["entry"],
        loop=exchange["loop"],
        round=1,
        agent="simplifier",
        kind="restoration",
        before=before,
        after=after,
        because=f'The text had lost "{detail["text"]}".',
    )


class Repair(BaseModel):
    """A sentence of the text, written anew because of a point on the list."""

    model_config = ConfigDict(extra="forbid")

    point: int = Field(ge=1)
    sentence: int = Field(ge=1)
    rewritten: Annotated[str, AtMost("note_words"), Field(min_length=1)]


class Repairs(BaseModel):
    """The simplifier's answer to what was sent back."""

    model_config = ConfigDict(extra="forbid")

    repairs: Annotated[list[Repair], AtMost("comments")]


class RepairedText(NamedTuple):
    """One repair that was put in, and the text after it."""

    point: int
    before: str
    after: str
    text: str


def numbered_sentences(text: str) -> list[str]:
    """The sentences that a repair names by their number."""
    return [sentence.text for sentence in sentences(text)]


def repaired(
    text: str, repairs: Sequence[Repair], points: int, *, helps: Callable[[str, str], bool]
) -> Iterator[RepairedText]:
    """Put in one repair after the other.

    Args:
        text: The text that was sent back.
        repairs: The simplifier's; those that name a sentence or a point that does not exist are left out.
        points: How many points there were.
        helps: Whether the text after a repair is better than the one before.
    """
    lines = numbered_sentences(text)
    for repair in repairs:
        if repair.sentence > len(lines) or repair.point > points:
            continue
        before, after = lines[repair.sentence - 1], repair.rewritten.strip()
        candidate = text.replace(before, after, 1)
        if candidate != text and helps(text, candidate):
            text = candidate
            lines[repair.sentence - 1] = after
            yield RepairedText(repair.point, before, after, text)
