"""Whether the rows come out in the paper's order."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from evals.metrics.bootstrap import holm
from evals.reports.document import Section
from evals.reports.notation import CHANCE, difference, figure, interval, p_value
from evals.reports.pairs import Comparison, compared
from evals.scores import Reversal, Scores, published_figures
from evals.task import Measure, Task


def ordered_pairs(task: Task, scores: Scores) -> int:
    """How many pairs of rows have an order in the paper, over all measures, and were run here."""
    measures = [task.measure(name) for name in scores.table.measures]
    return sum(_ordered(scores, measure) for measure in measures if measure.better != "neither")


def order_sections(scores: Scores, *, seed: int) -> list[Section]:
    """The pairs whose order did not come out; none if there is no such pair."""
    if not scores.reversals:
        return []
    comparisons = _corrected([_compared(scores, reversal, seed) for reversal in scores.reversals])
    points = [_told(*each) for each in zip(scores.reversals, comparisons, strict=True)]
    title = f"Where the paper's order did not come out, {scores.corpus}"
    return [Section(title, text="p-values are corrected for this list (Holm).", points=points, level=3)]


def _ordered(scores: Scores, measure: Measure) -> int:
    published = published_figures(scores.table, scores.corpus)
    figures = [
        published[line.row.paper][measure.name]
        for line in scores.lines
        if line.row.paper in published and measure.name in published[line.row.paper] and measure.name in line.cells
    ]
    return sum(one != other for one, other in combinations(figures, 2))


def _compared(scores: Scores, reversal: Reversal, seed: int) -> Comparison | None:
    better, worse = (scores.line(row.name) for row in (reversal.better, reversal.worse))
    if better is None or worse is None or reversal.difference is None:
        return None
    name = reversal.measure.name
    return compared(better.values[name], worse.values[name], seed=seed)


def _corrected(comparisons: Sequence[Comparison | None]) -> list[Comparison | None]:
    p_values = iter(holm([each.p_value for each in comparisons if each is not None]))
    return [None if each is None else each._replace(p_value=next(p_values)) for each in comparisons]


def _told(reversal: Reversal, comparison: Comparison | None) -> str:
    """Figures of both, in the paper and here, and whether the difference may be chance."""
    digits = reversal.measure.digits
    papers, ours = (_both(figures, digits) for figures in (reversal.published, reversal.ours))
    return (
        f"{reversal.measure.name}: the paper has {reversal.better.title} before {reversal.worse.title} "
        f"({papers[0]} and {papers[1]}), here {ours[0]} and {ours[1]}: {_judged(comparison, digits)}."
    )


def _both(figures: Sequence[float], digits: int) -> list[str]:
    return [figure(each, digits) for each in figures]


def _judged(comparison: Comparison | None, digits: int) -> str:
    if comparison is None:
        return "not tested sample by sample"
    mean, low, high = comparison.difference
    verdict = "beyond chance" if comparison.p_value < CHANCE else "may be chance"
    ends = f" {interval(low, high, digits)}" if comparison.samples > 1 else ""
    return f"a difference of {difference(mean, digits)}{ends}, {p_value(comparison.p_value)}, {verdict}"
