"""Scores of a run: every measure of every row with its interval, and what differs between rows, paired by sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import NamedTuple

from evals.marks import NO_MARKS, Marks
from evals.metrics.bootstrap import (
    Difference,
    Interval,
    holm,
    mean_interval,
    paired_difference,
    paired_p_value,
    statistic_interval,
)
from evals.task import Item, Measure, Row, Table, Task
from tools.jobs import Record

Values = Mapping[str, float]
"""Of a measure, by sample."""


class Line(NamedTuple):
    """A row of a table, scored."""

    row: Row
    items: Sequence[Item]
    cells: Mapping[str, Interval]
    """By measure: its value with a 95% interval; a measure that applies to no text is left out."""
    values: Mapping[str, Values]
    """By measure, for those that are means over the samples."""


class Contrast(NamedTuple):
    """What a row has more than the baseline, over the samples that both have."""

    row: Row
    baseline: Row
    measure: Measure
    difference: Difference
    samples: int
    p_value: float
    """Of a paired randomisation test, two-sided, corrected for all contrasts of the measure (Holm)."""


class Reversal(NamedTuple):
    """Two rows whose order in the paper did not come out."""

    measure: Measure
    better: Row
    """In the paper."""
    worse: Row
    published: tuple[float, float]
    ours: tuple[float, float]
    difference: Difference | None
    """Ours, of the paper's better row less its worse one; None for a statistic of all texts at once."""


class Scores(NamedTuple):
    """A table, scored for one corpus."""

    table: Table
    corpus: str
    samples: int
    lines: Sequence[Line]
    contrasts: Sequence[Contrast]
    reversals: Sequence[Reversal]

    def line(self, name: str) -> Line | None:
        """The line of a row, if it was run."""
        return next((line for line in self.lines if line.row.name == name), None)


def score(
    task: Task,
    table: Table,
    corpus: str,
    samples: Sequence[Record],
    outputs: Outputs,
    *,
    seed: int,
    marks: Marks = NO_MARKS,
) -> Scores:
    """Scores a table over the samples of a corpus.

    Args:
        task: Of the table.
        table: Which rows and measures.
        corpus: Name of the corpus.
        samples: All of the corpus.
        outputs: What the systems left, by system and sample; what failed is missing.
        seed: Of the resampling.
        marks: What models found of the texts, if any were asked.
    """
    measures = [task.measure(name) for name in table.measures]
    rows = ((row, items_of(row, samples, outputs, marks)) for row in map(task.row, table.rows))
    found = [_line(row, items, measures, seed) for row, items in rows if items]
    return Scores(
        table,
        corpus,
        len(samples),
        found,
        _contrasts(table, measures, found, seed),
        _reversals(table, corpus, measures, found, seed),
    )


Outputs = Mapping[tuple[str, str], Record]
"""By the sample's id and the system's name."""


def items_of(row: Row, samples: Sequence[Record], outputs: Outputs, marks: Marks = NO_MARKS) -> list[Item]:
    """The row's texts, of those samples that have one, with their marks."""
    found = []
    for sample in samples:
        output = {} if row.system is None else outputs.get((sample["id"], row.system))
        item = None if output is None else row.item(sample, output)
        if item is not None:
            found.append(item._replace(marks=marks.get((sample["id"], row.name), {})))
    return found


def _line(row: Row, items: Sequence[Item], measures: Sequence[Measure], seed: int) -> Line:
    values: dict[str, Values] = {}
    cells: dict[str, Interval] = {}
    for measure in measures:
        if measure.score is not None:
            values[measure.name] = _values(measure, items)
            if values[measure.name]:
                cells[measure.name] = mean_interval(list(values[measure.name].values()), seed=seed)
        elif measure.statistic is not None and items and measure.statistic(items) is not None:
            cells[measure.name] = statistic_interval(items, measure.statistic, seed=seed)
    return Line(row, items, cells, values)


def _values(measure: Measure, items: Sequence[Item]) -> Values:
    assert measure.score is not None  # noqa: S101 - the caller has looked
    scored = ((item.sample["id"], measure.score(item)) for item in items)
    return {key: value for key, value in scored if value is not None}


def _contrasts(table: Table, measures: Sequence[Measure], lines: Sequence[Line], seed: int) -> list[Contrast]:
    baseline = next((line for line in lines if line.row.name == table.baseline), None)
    if baseline is None:
        return []
    found: list[Contrast] = []
    for measure in measures:
        of_measure = [
            contrast
            for line in lines
            if line.row.system and line is not baseline and (contrast := _contrast(line, baseline, measure, seed))
        ]
        corrected = holm([contrast.p_value for contrast in of_measure])
        found += [each._replace(p_value=p) for each, p in zip(of_measure, corrected, strict=True)]
    return found


def _contrast(line: Line, baseline: Line, measure: Measure, seed: int) -> Contrast | None:
    ours, theirs = _paired(line, baseline, measure)
    if not ours:
        return None
    difference = paired_difference(ours, theirs, seed=seed)
    p_value = paired_p_value(ours, theirs, seed=seed)
    return Contrast(line.row, baseline.row, measure, difference, len(ours), p_value)


def _paired(one: Line, other: Line, measure: Measure) -> tuple[list[float], list[float]]:
    """Values of the samples that both have, in one order."""
    ours, theirs = one.values.get(measure.name, {}), other.values.get(measure.name, {})
    both = [key for key in ours if key in theirs]
    return [ours[key] for key in both], [theirs[key] for key in both]


def _reversals(
    table: Table, corpus: str, measures: Sequence[Measure], lines: Sequence[Line], seed: int
) -> list[Reversal]:
    """Pairs of rows, both in the paper and run here, whose order is the other way round here."""
    published = published_figures(table, corpus)
    found = []
    for measure in measures:
        if measure.better == "neither":
            continue
        comparable = [
            (line, published[line.row.paper][measure.name])
            for line in lines
            if line.row.paper in published and measure.name in published[line.row.paper] and measure.name in line.cells
        ]
        for one, other in combinations(comparable, 2):
            (better, printed), (worse, printed_worse) = sorted(
                (one, other), key=lambda each: each[1], reverse=measure.better == "higher"
            )
            ours = (better.cells[measure.name].value, worse.cells[measure.name].value)
            if printed == printed_worse or _in_order(ours, measure):
                continue
            difference = _difference(better, worse, measure, seed)
            found.append(Reversal(measure, better.row, worse.row, (printed, printed_worse), ours, difference))
    return found


def _in_order(figures: tuple[float, float], measure: Measure) -> bool:
    better, worse = figures
    return better <= worse if measure.better == "lower" else better >= worse


def _difference(one: Line, other: Line, measure: Measure, seed: int) -> Difference | None:
    ours, theirs = _paired(one, other, measure)
    return paired_difference(ours, theirs, seed=seed) if ours else None


def published_figures(table: Table, corpus: str) -> Mapping[str, Mapping[str, float]]:
    """The paper's rows for a corpus, or those that it gives without naming one."""
    return table.published.get(corpus, table.published.get("", {}))


def mean_over_corpora(scores: Sequence[Scores], row: str, measures: Sequence[str]) -> float | None:
    """The mean of a row's cells over all corpora, as the "Avg." of LLM-CLBR's Table 1; None if one is missing."""
    cells = [line.cells.get(name) if (line := each.line(row)) else None for each in scores for name in measures]
    found = [cell.value for cell in cells if cell is not None]
    return fmean(found) if found and len(found) == len(cells) else None
