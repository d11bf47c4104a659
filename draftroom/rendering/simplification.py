"""Results of medical simplification in each format: the plain text, what it lost, and the loops that led to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.table import Table

from draftroom.rendering.html import page
from draftroom.rendering.markdown import on_one_line, please_note, provenance, table
from draftroom.rendering.rendering import (
    ERR,
    OUT,
    Rendering,
    by_sentence,
    json_of,
    named,
    new_table,
    print_account,
    print_changes,
    print_line,
    print_table,
    print_text,
    spoken,
    tell,
    warnings,
)
from runs.record import RunRecord
from state.records import LostDetail, Values
from state.simplification import Exchange, Redundancy, SimplificationOutput, TextChange, Version, WordingSuggestion
from tools.text import Change, plain, word_changes

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


def to_markdown(record: RunRecord, values: Values) -> str:
    """The simplified text and its appendix."""
    parts = [
        plain(values.get("simplified", "")).strip(),
        "---",
        NOT_ADVICE,
        _glossary(values),
        "## Details of the source that the text has lost or changed",
        _lost(values),
        on_one_line(accepted_losses(values)),
        "## How this text was made",
        _ending(values),
        _versions(values),
        *(_story(entry) for entry in entries(values)),
        please_note(values, UNIT),
        provenance(record, values),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _glossary(values: Values) -> str:
    rows = [[term["term"], term["explanation"]] for term in values.get("glossary", [])]
    return f"## Glossary\n\n{table(['term', 'explanation'], rows)}" if rows else ""


def _lost(values: Values) -> str:
    rows = [[named(details), sentence] for sentence, details in lost_by_sentence(values).items()]
    none = "Nothing else was found." if values.get("accepted") else "None was found."
    return table(["details", "sentence of the source"], rows) if rows else none


def _ending(values: Values) -> str:
    ended = f"The run ended: {values['stop_reason']}." if values.get("simplified") else "The run has no result yet."
    return f"{ended} Grades are United States school grades (Flesch-Kincaid); lower is easier to read."


def _versions(values: Values) -> str:
    rows = [
        [
            str(version["number"]),
            origin(version),
            f"{version['grade']:.1f}",
            str(version["words"]),
            str(len(version["lost"])),
        ]
        for version in values.get("versions", [])
    ]
    return table(["version", "loop", "FKGL", "words", "lost"], rows)


def _story(entry: Entry) -> str:
    """An entry in brief: why, what came of it, and every change with its reason."""
    lines = [
        f"### Entry {entry.number}, {entry.loop}: {outcome(entry)}",
        "",
        *([f"- Chosen: {on_one_line(entry.exchange['chosen_because'])}"] if entry.exchange else []),
        *([f"- {measured(entry).capitalize()}"] if entry.version else []),
        *(
            f"- {change['kind'].capitalize()}: {on_one_line(sides(change))} ({on_one_line(change['because'])})"
            for change in entry.changes
        ),
    ]
    return "\n".join(lines)


def to_html(record: RunRecord, values: Values) -> str:
    """The page."""
    return page(
        "simplification.html",
        record,
        values,
        UNIT,
        simplified=values.get("simplified", ""),
        stop_reason=values.get("stop_reason", ""),
        not_advice=NOT_ADVICE,
        lost=lost_by_sentence(values),
        accepted=accepted_losses(values),
        glossary=values.get("glossary", []),
        versions=values.get("versions", []),
        changes=changes_of_the_run(values),
        entries=entries(values),
        outcome=outcome,
        measured=measured,
        origin=origin,
    )


def milestone(node: str, update: Values, values: Values) -> str:
    """A line after each choice of the selector and after each entry."""
    if node == "select_agent" and "exchange" in update:
        return f"Next is the {spoken(update['next_loop'])}: {update['exchange']['chosen_because']}"
    if node != "log_exchange":
        return ""
    version: Version = update["versions"][-1]
    entry = Entry(
        number=version["number"],
        exchange=update.get("exchange"),
        changes=update["all_changes"],
        version=version,
        previous=values["versions"][-2],
    )
    return f"Entry {entry.number}, {entry.loop}: {outcome(entry)}; {measured(entry)}"


RENDERING = Rendering(
    unit=UNIT,
    milestone=milestone,
    print_result=print_simplified,
    print_warnings=print_findings,
    print_details=print_story,
    formats={
        ".md": to_markdown,
        ".markdown": to_markdown,
        ".html": to_html,
        ".json": json_of(SimplificationOutput, note=NOT_ADVICE),
    },
)
