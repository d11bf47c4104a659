"""Results on a terminal: the simplified text, what became of the source's details, and the story of a run."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.table import Table

from draftroom.consoles import ERR, OUT, spoken, tell
from draftroom.rendering.rendering import named, warnings
from draftroom.rendering.simplification.story import (
    NOT_ADVICE,
    UNIT,
    Entry,
    accepted_losses,
    changes_of_the_run,
    entries,
    lost_by_sentence,
    measured,
    origin,
    sides,
)
from draftroom.rendering.terminal import new_table, print_account, print_changes, print_line, print_table, print_text
from runs.record import RunRecord
from state.records import Values
from state.simplification import Exchange, Redundancy, TextChange, Version, WordingSuggestion

Line = tuple[str, str]
"""A line and its style."""


def print_simplified(_: RunRecord, values: Values) -> None:
    """Print the simplified text to standard output."""
    print_text(values["simplified"])


def print_findings(record: RunRecord, values: Values) -> None:
    """Print to standard error what a reader of the text should know: versions, lost details, problems, glossary."""
    print_table(ERR, versions_table(values.get("versions", [])))
    for line, style in _outcome(values):
        tell(line, style=style)
    for warning in warnings(values, UNIT):
        tell(f"Please note: {warning}.", style="yellow")
    tell(NOT_ADVICE, style="yellow")
    tell(f"The run ended: {values['stop_reason']}. Run {record['id']}", style="dim")


def print_story(record: RunRecord, values: Values, only: int | None) -> None:
    """Print every entry to standard output, or only entry `only`; then the whole change, versions and costs."""
    for entry in entries(values):
        if only in {None, entry.number}:
            _print_entry(entry)
    if only is not None:
        return
    if changes := changes_of_the_run(values):
        print_line("\nFrom the source to the newest version", "bold underline")
        print_changes(changes)
        OUT.print()
    for line, style in _outcome(values):
        print_line(line, style)
    print_table(OUT, versions_table(values.get("versions", [])))
    print_account(record, values, UNIT)


def versions_table(versions: Sequence[Version]) -> Table:
    """The measures of each version."""
    table = new_table("version", "loop", "FKGL", "words", "lost", words={"loop"}, title="Versions of the text")
    for version in versions:
        numbers = (f"{version['grade']:.1f}", str(version["words"]), str(len(version["lost"])))
        table.add_row(str(version["number"]), origin(version), *numbers)
    return table


def _outcome(values: Values) -> Iterator[Line]:
    """What is lost, sentence by sentence, which loops ended early, and the glossary."""
    lost = lost_by_sentence(values)
    if lost:
        yield "Lost from the source, or changed:", "yellow"
    for sentence, details in lost.items():
        yield f"- {named(details)}, in: {sentence}", "yellow"
    if accepted := accepted_losses(values):
        yield accepted, "dim"
    for exchange in values.get("history", []):
        if exchange["problem"]:
            yield f"Entry {exchange['entry']}, {spoken(exchange['loop'])}, ended early: {exchange['problem']}", "yellow"
    for term in values.get("glossary", []):
        yield f"Glossary: {term['term']}: {term['explanation']}", "cyan"


def _print_entry(entry: Entry) -> None:
    grades = measured(entry)
    print_line(f"\nEntry {entry.number}, {entry.loop}{f': {grades}' if grades else ''}", "bold underline")
    for line, style in _said(entry.exchange) if entry.exchange else ():
        print_line(f"  {line}", style)
    for change in entry.changes:
        print_line(f"  {_changed(change)}", "green")


def _said(exchange: Exchange) -> Iterator[Line]:
    """The conversation of an entry, in its order."""
    yield f"chosen: {exchange['chosen_because']}", "dim"
    for question in exchange["questions"]:
        yield f"question {question['number']}: {question['text']}", "cyan"
        yield f"  answer: {question['answer'] or 'none was given'}", "magenta"
    for thought in exchange["reasoning"]:
        yield f"reasoned: {thought}", "blue"
    for suggestion in exchange["suggestions"]:
        yield _suggested(suggestion), "cyan"
    for part in exchange["redundancies"]:
        yield _quoted(part), "cyan"
    for comment in exchange["comments"]:
        yield f"accuracy: {comment}", "magenta"
    for detail in exchange["sent_back"]:
        yield f'sent back: {detail["kind"]} "{detail["text"]}" in: {detail["sentence"]}', "yellow"
    if exchange["problem"]:
        yield f"ended early: {exchange['problem']}", "yellow"


def _suggested(item: WordingSuggestion) -> str:
    judged = f"{item['verdict']} by the {spoken(item['judge'])}" if item["judge"] else item["verdict"]
    why = f": {item['reason']}" if item["reason"] else ""
    return f'suggestion (round {item["round"]}): "{item["original"]}" -> "{item["replacement"]}", {judged}{why}'


def _quoted(part: Redundancy) -> str:
    judged = f"{part['verdict']} by the {spoken(part['judge'])}" if part["judge"] else part["verdict"]
    why = f": {part['justification']}" if part["justification"] else ""
    return f'redundant: "{part["quote"]}" ({part["reason"]}), {judged}{why}'


def _changed(change: TextChange) -> str:
    """A change with its author and its reason."""
    return f"{change['kind']} by the {spoken(change['agent'])}: {sides(change)}, because: {change['because']}"
