"""Scores of a run: every measure of every row with its interval, and what differs between rows, paired by sample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evals.statistics import Interval, PairedTest, holm, mean_interval, paired_test, statistic_interval
from evals.task import Item, Measure, Row, Table, Task
from runs.many import Record

Outputs = Mapping[tuple[str, str], Record]
"""What the systems left, by the sample's id and the system's name."""
Values = Mapping[str, float]
"""Of a measure, by sample."""


class ScoredRow(NamedTuple):
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
    test: PairedTest
    """Corrected for all contrasts of the measure (Holm)."""


class Scores(NamedTuple):
    """A table, scored for one corpus."""

    table: Table
    corpus: str
    samples: int
    lines: Sequence[ScoredRow]
    contrasts: Sequence[Contrast]

    @property
    def title(self) -> str:
        """Of the table and the corpus."""
        return f"{self.table.title}, {self.corpus}"

    def line(self, name: str) -> ScoredRow | None:
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
) -> Scores:
    """Scores a table over the samples of a corpus.

    Args:
        task: Of the table.
        table: Which rows and measures.
        corpus: Name of the corpus.
        samples: All of the corpus.
        outputs: What the systems left, by system and sample; what failed is missing.
        seed: Of the resampling.
    """
    measures = [task.measure(name) for name in table.measures]
    rows = ((row, items_of(row, samples, outputs)) for row in map(task.row, table.rows))
    found = [_line(row, items, measures, seed) for row, items in rows if items]
    return Scores(
        table=table,
        corpus=corpus,
        samples=len(samples),
        lines=found,
        contrasts=_contrasts(table, measures, found, seed),
    )


def items_of(row: Row, samples: Sequence[Record], outputs: Outputs) -> list[Item]:
    """The row's texts, of those samples that have one."""
    found = []
    for sample in samples:
        output = {} if row.system is None else outputs.get((sample["id"], row.system))
        item = None if output is None else row.item(sample, output)
        if item is not None:
            found.append(item)
    return found


def _line(row: Row, items: Sequence[Item], measures: Sequence[Measure], seed: int) -> ScoredRow:
    values: dict[str, Values] = {}
    cells: dict[str, Interval] = {}
    for measure in measures:
        if measure.score is not None:
            scored = ((item.sample["id"], measure.score(item)) for item in items)
            values[measure.name] = {sample: value for sample, value in scored if value is not None}
            if values[measure.name]:
                scores = values[measure.name].values()
                cells[measure.name] = mean_interval(scores, seed=seed)
        elif measure.statistic is not None and items and measure.statistic(items) is not None:
            cells[measure.name] = statistic_interval(items, measure.statistic, seed=seed)
    return ScoredRow(row, items, cells, values)


def _contrasts(table: Table, measures: Sequence[Measure], lines: Sequence[ScoredRow], seed: int) -> list[Contrast]:
    baseline = next((line for line in lines if line.row.name == table.baseline), None)
    if baseline is None:
        return []
    others = [line for line in lines if line.row.system and line is not baseline]
    found: list[Contrast] = []
    for measure in measures:
        tests = {line.row: test for line in others if (test := _tested(line, baseline, measure, seed))}
        found += [Contrast(row, baseline.row, measure, test) for row, test in holm(tests).items()]
    return found


def _tested(one: ScoredRow, other: ScoredRow, measure: Measure, seed: int) -> PairedTest | None:
    return paired_test(one.values.get(measure.name, {}), other.values.get(measure.name, {}), seed=seed)


def published_figures(table: Table, corpus: str) -> Mapping[str, Mapping[str, float]]:
    """The paper's rows for a corpus, or those that it gives without naming one."""
    return table.published.get(corpus, table.published.get("", {}))
