"""What became of each figure from run A to run B, over the samples that both have."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from statistics import fmean
from typing import NamedTuple

from evals.evaluation import Evaluation
from evals.metrics.bootstrap import holm
from evals.reports.pairs import compared
from evals.scores import Contrast, Line
from evals.task import Measure, Row


class Change(NamedTuple):
    """What became of a figure."""

    row: Row
    measure: Measure
    samples: int
    before: float
    after: float
    contrast: Contrast | None
    """B less A; None for a statistic of all texts at once."""


class Move(NamedTuple):
    """What became of one sample."""

    sample: str
    row: Row
    before: float
    after: float


def changes(a: Evaluation, b: Evaluation, corpus: str, common: Collection[str]) -> list[Change]:
    """Of every row of a system and every measure that both runs have; p-values are corrected for the rows (Holm).

    Args:
        a: The first run.
        b: The second run.
        corpus: Name of the corpus.
        common: Samples that both runs have.
    """
    found = [
        change
        for before, after, measure in _shared(a, b, corpus)
        if (change := _change(before, after, measure, common, a.config.seed))
    ]
    return [change for name in dict.fromkeys(each.measure.name for each in found) for change in _corrected(name, found)]


def moves(a: Evaluation, b: Evaluation, corpus: str, common: Collection[str]) -> list[Move]:
    """Of every sample by the measure that orders the samples, the largest first."""
    found = [
        Move(sample, before.row, value, after.values[measure.name][sample])
        for before, after, measure in _shared(a, b, corpus)
        if measure.name == a.task.ranked_by and measure.score
        for sample, value in before.values[measure.name].items()
        if sample in common and sample in after.values[measure.name]
    ]
    changed = [move for move in found if move.before != move.after]
    return sorted(changed, key=lambda move: abs(move.after - move.before), reverse=True)


def _shared(a: Evaluation, b: Evaluation, corpus: str) -> Iterator[tuple[Line, Line, Measure]]:
    before, after = _lines(a, corpus), _lines(b, corpus)
    for key in before:
        if key in after:
            yield before[key], after[key], a.task.measure(key[1])


def _lines(run: Evaluation, corpus: str) -> dict[tuple[str, str], Line]:
    """Rows of systems, by row and measure, whatever table they are in."""
    lines = [line for scores in run.scores if scores.corpus == corpus for line in scores.lines if line.row.system]
    return {(line.row.name, measure): line for line in lines for measure in line.cells}


def _change(before: Line, after: Line, measure: Measure, common: Collection[str], seed: int) -> Change | None:
    if measure.statistic is not None:
        return _of_all_texts(before, after, measure, common)
    theirs, ours = before.values[measure.name], after.values[measure.name]
    comparison = compared(ours, theirs, seed=seed, among=common)
    if comparison is None:
        return None
    both = [sample for sample in theirs if sample in ours and sample in common]
    means = [fmean(values[sample] for sample in both) for values in (theirs, ours)]
    contrast = Contrast(after.row, before.row, measure, comparison.difference, comparison.samples, comparison.p_value)
    return Change(after.row, measure, len(both), means[0], means[1], contrast)


def _of_all_texts(before: Line, after: Line, measure: Measure, common: Collection[str]) -> Change | None:
    assert measure.statistic is not None  # noqa: S101 - the caller has looked
    texts = [{item.sample["id"]: item for item in line.items} for line in (before, after)]
    both = [sample for sample in texts[0] if sample in texts[1] and sample in common]
    if not both:
        return None
    was, became = (measure.statistic([items[sample] for sample in both]) for items in texts)
    return None if was is None or became is None else Change(after.row, measure, len(both), was, became, None)


def _corrected(name: str, found: list[Change]) -> list[Change]:
    """The changes of one measure."""
    of_measure = [change for change in found if change.measure.name == name]
    p_values = iter(holm([change.contrast.p_value for change in of_measure if change.contrast]))
    return [
        change._replace(contrast=change.contrast._replace(p_value=next(p_values))) if change.contrast else change
        for change in of_measure
    ]
