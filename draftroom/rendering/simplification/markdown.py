"""The simplified text as Markdown, with an appendix that says what it lost and how it was made."""

from __future__ import annotations

from draftroom.rendering.markdown import on_one_line, please_note, provenance, table
from draftroom.rendering.rendering import named
from draftroom.rendering.simplification.story import (
    NOT_ADVICE,
    UNIT,
    Entry,
    accepted_losses,
    entries,
    lost_by_sentence,
    measured,
    origin,
    outcome,
    sides,
)
from runs.record import RunRecord
from state.records import Values
from tools.text.characters import plain


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
