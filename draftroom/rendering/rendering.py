"""What the command must know to show the runs of a system, and what every result tells: aids, warnings, all as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from draftroom.consoles import spoken
from runs.record import RunRecord
from state.documents import FORMAT_NAMES, DocumentFormat
from state.records import CallRecord, Fact, LostDetail, Values

Detail = TypeVar("Detail", Fact, LostDetail)
Render = Callable[[RunRecord, Values], str | bytes]
Print = Callable[[RunRecord, Values], None]


@dataclass(frozen=True)
class Dialogue:
    """How a person answers the question at which a run pauses."""

    describe: Callable[[Values], str]
    """The question as text."""
    these: str
    """What a person answers with, for a sentence: these questions."""
    line: str
    """What a line of the answer is: a question."""

    def answer(self, lines: list[str] | None) -> dict[str, Any]:
        """What the graph wants to hear: a person's lines, or None for those that it has itself."""
        return {"advice": lines}


@dataclass(frozen=True)
class Rendering:
    """How the runs of a system are told and shown."""

    unit: str
    """What it counts its calls by, as a person says it: round, entry or paragraph."""
    milestone: Callable[[str, Values, Values], str]
    """From a node, what it has just written and the state with it: a line, empty if it is not worth one."""
    print_result: Print
    print_warnings: Print
    print_details: Callable[[RunRecord, Values, int | None], None]
    """The whole story, or that of one round, entry or paragraph."""
    formats: Mapping[str, Render]
    """By the suffix of a file."""
    of_the_paper: Mapping[str, DocumentFormat] = field(default_factory=dict)
    """Formats that are the paper itself with something added, and the format in which it must have come."""
    dialogue: Dialogue | None = None
    """None if its runs never pause."""

    def refusal(self, suffix: str, paper: DocumentFormat) -> str:
        """Why a result on a paper of some format cannot be had as `suffix`; empty if it can."""
        needed = self.of_the_paper.get(suffix, paper)
        return "" if needed == paper else f"only a paper that is {FORMAT_NAMES[needed]} can be annotated so"


def by_sentence(details: Iterable[Detail]) -> dict[str, list[Detail]]:
    """Details under the sentence that holds them, each sentence once and in its order."""
    found: dict[str, list[Detail]] = {}
    for detail in details:
        found.setdefault(detail["sentence"], []).append(detail)
    return found


def named(details: Iterable[Detail]) -> str:
    """Details in a line, each with its kind."""
    return ", ".join(f'{detail["kind"]} "{detail["text"]}"' for detail in details)


def warnings(values: Mapping[str, Any], unit: str) -> list[str]:
    """What is wrong with the result as a whole, how the paper was read, and what was cut from prompts and answers.

    Args:
        values: State of the graph.
        unit: What the system counts its calls by: round, entry or paragraph.
    """
    source = values.get("source")
    read = source["warnings"] if source else []
    calls = values.get("calls", [])
    return [*values.get("warnings", []), *read, *trimmings(calls, unit), *cuts(calls, unit)]


def trimmings(calls: Iterable[CallRecord], unit: str) -> list[str]:
    """One sentence for each prompt that was shortened."""
    sentences = [
        f"in {unit} {call['round']} the {spoken(call['role'])} saw only the first {trim['words_kept']:,} of "
        f"{trim['words_before']:,} words of the {spoken(trim['variable'])}, "
        "because more does not fit its model's context"
        for call in calls
        for trim in call["trims"]
    ]
    return list(dict.fromkeys(sentences))


def cuts(calls: Iterable[CallRecord], unit: str) -> list[str]:
    """One sentence for each answer that exceeded a limit."""
    sentences = [
        f"in {unit} {call['round']} the {spoken(call['role'])} gave {cut}"
        for call in calls
        for cut in call.get("cuts", [])
    ]
    return list(dict.fromkeys(sentences))


def aids_line(aids: Sequence[str] | None) -> str:
    """One line for any result: `Aids: none (the paper's system)`, or their names."""
    if aids is None:
        return "Aids: not on record"
    return "Aids: " + (", ".join(aids) or "none (the paper's system)")


def json_of(output: type[Any], **more: str) -> Callable[[RunRecord, Mapping[str, Any]], str]:
    """A renderer of one object with `run`, what `more` names, and the keys of `output`, the graph's output schema."""

    def to_json(record: RunRecord, values: Mapping[str, Any]) -> str:
        result = {"run": record, **more, **{key: values.get(key) for key in output.__annotations__}}
        return json.dumps(result, ensure_ascii=False, indent=2) + "\n"

    return to_json
