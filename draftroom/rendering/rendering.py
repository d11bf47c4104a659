"""What the command must know to show the runs of a system, and what every result has, above all on a terminal.

Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import typer
from rich.console import Console
from rich.markdown import Markdown
from rich.table import Table
from rich.text import Text

from runs.record import RunRecord
from state.documents import FORMAT_NAMES, DocumentFormat
from state.records import CallRecord, Fact, LostDetail, Values
from tools.text import Change, plain

OUT = Console(highlight=False)
ERR = Console(stderr=True, highlight=False)


def tell(text: str, style: str = "") -> None:
    """Print a line to standard error, exactly as it is: it is never read as markup."""
    ERR.print(Text(plain(text), style=style), soft_wrap=True)


def spoken(name: str) -> str:
    """A name of the code as a person reads it: `language_clarifier` is the language clarifier."""
    return name.replace("_", " ")


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


def extensions_line(extensions: Sequence[str] | None) -> str:
    """One line for any result: `Extensions: none (the paper's system)`, or their names."""
    if extensions is None:
        return "Extensions: not on record"
    return "Extensions: " + (", ".join(extensions) or "none (the paper's system)")


def json_of(output: type[Any], **more: str) -> Callable[[RunRecord, Mapping[str, Any]], str]:
    """A renderer of one object with `run`, what `more` names, and the keys of `output`, the graph's output schema."""

    def to_json(record: RunRecord, values: Mapping[str, Any]) -> str:
        result = {"run": record, **more, **{key: values.get(key) for key in output.__annotations__}}
        return json.dumps(result, ensure_ascii=False, indent=2) + "\n"

    return to_json


_STYLES = {"same": "", "removed": "red strike", "added": "green"}
_MARKS = {"removed": ("[-", "-]"), "added": ("{+", "+}")}
_FILE_WIDTH = 160  # without a terminal nothing is known of the width; a row should stay one line
_NARROW = 70
"""Columns of a terminal below which a table's own columns would be too thin to read."""


def print_text(markdown: str) -> None:
    """Print a text to standard output: rendered on a terminal, otherwise as it is."""
    text = plain(markdown).strip()
    if OUT.is_terminal:
        OUT.print(Markdown(text, hyperlinks=False))
    else:
        typer.echo(text)


def print_line(text: str, style: str) -> None:
    """Print a line to standard output, exactly as it is: it is never read as markup."""
    OUT.print(Text(plain(text), style=style), soft_wrap=True)


def print_changes(changes: Iterable[Change]) -> None:
    """Print changes in colour, or between marks where there is none."""
    text = Text()
    for change in changes:
        before, after = ("", "") if OUT.is_terminal else _MARKS.get(change.kind, ("", ""))
        text.append(f"{before}{plain(change.text)}{after}", style=_STYLES[change.kind])
    OUT.print(text, soft_wrap=not OUT.is_terminal)


def print_table(console: Console, table: Table) -> None:
    """Print a table whose rows stay whole where no terminal limits them; on a narrow one, each row as a few lines."""
    if not console.is_terminal:
        console.width = _FILE_WIDTH
    if console.width >= _NARROW:
        console.print(table)
        return
    if table.title:
        console.print(table.title, style="bold")
    names = [str(column.header) for column in table.columns]
    for cells in zip(*(column.cells for column in table.columns), strict=True):
        for name, cell in zip(names, cells, strict=True):
            if str(cell):
                console.print(f"{name}: " if name else "", cell, sep="", style="" if name else "bold")
        console.print()


def new_table(*columns: str, words: Iterable[str] = (), title: str | None = None) -> Table:
    """A table whose columns hold numbers, but for the first one and those named in `words`."""
    table = Table(title=title, title_justify="left")
    for place, name in enumerate(columns):
        table.add_column(name, justify="left" if place == 0 or name in words else "right")
    return table


def print_account(record: RunRecord, values: Mapping[str, Any], unit: str) -> None:
    """Print what the run cost, what a reader should know, and what went wrong."""
    print_table(OUT, _usage_table(record, unit))
    for warning in warnings(values, unit):
        print_line(f"Please note: {warning}.", "yellow")
    for failure in record["failures"]:
        print_line(f"Failed at {failure['time']} ({failure['kind']}): {failure['message']}", "red")


def _usage_table(record: RunRecord, unit: str) -> Table:
    """What each role cost in each round or entry."""
    columns = (unit, "role", "calls", "tokens in", "tokens out", "seconds", "retries", "re-asks", "trims")
    table = new_table(*columns, words={"role"})
    for part in record["usage"]:
        about = "~" if part["tokens_estimated"] else ""
        numbers: Iterable[Any] = (
            part["calls"],
            f"{about}{part['input_tokens']:,}",
            f"{about}{part['output_tokens']:,}",
            f"{part['seconds']:.1f}",
            part["http_retries"],
            part["reasks"],
            part["trims"],
        )
        table.add_row(str(part["round"]), spoken(part["role"]), *map(str, numbers))
    return table
