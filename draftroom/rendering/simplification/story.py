"""The story of a simplification, entry by entry, read from the state of its graph."""

from __future__ import annotations

from dataclasses import dataclass

from draftroom.consoles import spoken
from draftroom.rendering.rendering import by_sentence, named
from state.records import LostDetail, Values
from state.simplification import Exchange, TextChange, Version
from tools.text.edits import Change, word_changes

UNIT = "entry"

NOT_ADVICE = (
    "This text was written by language models. Nobody should act on it without the original: it may have lost or "
    "changed what matters, also what no check has found."
)
"""Stands in every form of the result."""


@dataclass(frozen=True)
class Entry:
    """One entry into a loop, or the single rewrite of a run without a society."""

    number: int
    exchange: Exchange | None
    """None if nothing was said: the single rewrite."""
    changes: list[TextChange]
    version: Version | None
    """The text that came of it; None if it has not ended yet."""
    previous: Version | None
    """The text that it began with."""

    @property
    def loop(self) -> str:
        """The loop as a person calls it."""
        loop = self.exchange["loop"] if self.exchange else "single rewrite"
        return spoken(loop)


def entries(values: Values) -> list[Entry]:
    """All entries, also one that has begun and has no version yet."""
    versions: dict[int, Version] = {version["number"]: version for version in values.get("versions", [])}
    exchanges: dict[int, Exchange] = {exchange["entry"]: exchange for exchange in values.get("history", [])}
    under_way = values.get("exchange")
    if under_way and under_way["entry"]:
        exchanges.setdefault(under_way["entry"], under_way)
    changes: list[TextChange] = [*values.get("all_changes", []), *values.get("changes", [])]
    return [
        Entry(
            number=number,
            exchange=exchanges.get(number),
            changes=[change for change in changes if change["entry"] == number],
            version=versions.get(number),
            previous=versions.get(number - 1),
        )
        for number in sorted({*exchanges, *versions} - {0})
    ]


def lost_by_sentence(values: Values) -> dict[str, list[LostDetail]]:
    """The lost details under the sentence of the source that holds them, each sentence once and in its order.

    Those that a person has accepted are left out.
    """
    accepted = values.get("accepted", [])
    return by_sentence(detail for detail in values.get("lost", []) if detail not in accepted)


def accepted_losses(values: Values) -> str:
    """One line for the losses that a person has accepted; empty if there are none."""
    accepted = values.get("accepted", [])
    return f"Lost, and accepted by a person: {named(accepted)}." if accepted else ""


def outcome(entry: Entry) -> str:
    """What came of what was said, in one clause."""
    exchange = entry.exchange
    if exchange is None:
        return "rewritten by one model"
    if exchange["problem"]:
        return "ended early, because an agent gave no usable answer"
    match exchange["loop"]:
        case "layperson":
            answers = [question["answer"] for question in exchange["questions"]]
            return _share(sum(map(bool, answers)), len(answers), "questions", "answered")
        case "language_clarifier":
            verdicts = [suggestion["verdict"] for suggestion in exchange["suggestions"]]
            return _share(verdicts.count("accepted"), len(verdicts), "suggestions", "accepted")
        case "redundancy_checker":
            kept = [part["verdict"] for part in exchange["redundancies"]]
            return _share(kept.count("removed"), len(kept), "quoted parts", "removed")


def origin(version: Version) -> str:
    """Where a version comes from: a loop, or the source itself."""
    return spoken(version["loop"]) or "source"


def measured(entry: Entry) -> str:
    """How the text reads after the entry, compared with before; empty if it has not ended yet."""
    if entry.version is None:
        return ""
    before = f"{entry.previous['grade']:.1f} -> " if entry.previous else ""
    lost = len(entry.version["lost"])
    details = f"{lost} detail{'' if lost == 1 else 's'} lost"
    return f"grade {before}{entry.version['grade']:.1f}, {entry.version['words']} words, {details}"


def sides(change: TextChange) -> str:
    """What was there and what is there now; one of them is nothing where something was added or removed."""
    return " -> ".join(f'"{text}"' if text else "nothing" for text in (change["before"], change["after"]))


def changes_of_the_run(values: Values) -> list[Change]:
    """From the source to the newest version, word by word."""
    versions: list[Version] = values.get("versions", [])
    return word_changes(versions[0]["text"], versions[-1]["text"]) if len(versions) > 1 else []


def _share(part: int, whole: int, things: str, what: str) -> str:
    return f"{part} of {whole} {things} {what}" if whole else f"no {things}"
