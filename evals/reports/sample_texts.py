"""The texts of one sample, each once, with what was measured of it and what changed from text to text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from evals.datasets import Kind
from evals.reports.notation import figure
from evals.scores import Scores
from evals.task import Item, Task
from tools.jobs import Record
from tools.word_changes import Change, word_changes

_FIELDS: dict[Kind, tuple[str, str]] = {
    "journalism": ("abstract", "summary"),
    "simplification": ("source", "target"),
    "feedback": ("paragraph", "feedback"),
}
"""Where a sample has its source, and the text by a person."""

Measured = Mapping[tuple[str, str], Mapping[str, float]]
"""What was measured, by row and sample, then by measure."""


class Shown(NamedTuple):
    """A text as a page shows it."""

    titles: Sequence[str]
    """Of the rows that it belongs to."""
    text: str
    figures: Mapping[str, str]
    """By measure."""
    changes: Sequence[Change] = ()
    """From the source."""
    before: str = ""
    """Title of the same system's text before it."""
    revisions: Sequence[Change] = ()
    """From that text."""


def measured(scores: Iterable[Scores]) -> Measured:
    """What the cells of tables and figures are means of."""
    lines = (line for each in scores for line in each.lines)
    columns = ((line.row.name, name, values) for line in lines for name, values in line.values.items())
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row, measure, values in columns:
        for sample, value in values.items():
            found.setdefault((row, sample), {})[measure] = value
    return found


def originals(task: Task, sample: Record, items: Mapping[str, Item], figures: Measured) -> list[Shown]:
    """The source, and the text by a person if there is one."""
    found = []
    for title, field in zip(("Source", "Written by a person"), _FIELDS[task.kind], strict=True):
        if text := sample[field]:
            rows = [name for name, item in items.items() if task.row(name).system is None and item.text == text]
            found.append(Shown([title], text, _figures(task, sample, rows, figures)))
    return found


def systems_texts(task: Task, sample: Record, items: Mapping[str, Item], figures: Measured) -> list[Shown]:
    """The texts of the systems. Rows that show the same version of a system's output share one."""
    rows: dict[tuple[str, int], list[str]] = {}
    for name, item in items.items():
        if system := task.row(name).system:
            rows.setdefault((system, item.version), []).append(name)
    source = sample[task.made_from] if task.made_from else ""
    found = []
    for (system, version), names in rows.items():
        text = items[names[0]].text
        shown = Shown(_titles(task, names), text, _figures(task, sample, names, figures))
        if source and text:
            shown = shown._replace(changes=word_changes(source, text))
        if earlier := [each for name, each in rows if name == system and each < version]:
            before = rows[system, max(earlier)]
            revisions = word_changes(items[before[0]].text, text)
            shown = shown._replace(before=_titles(task, before)[0], revisions=revisions)
        found.append(shown)
    return found


def _titles(task: Task, rows: Sequence[str]) -> list[str]:
    return [task.row(name).title for name in rows]


def _figures(task: Task, sample: Record, rows: Sequence[str], figures: Measured) -> dict[str, str]:
    """What was measured of any of the rows, in the order of the task's measures."""
    values = {name: value for row in rows for name, value in figures.get((row, sample["id"]), {}).items()}
    return {each.name: figure(values[each.name], each.digits) for each in task.measures if each.name in values}
