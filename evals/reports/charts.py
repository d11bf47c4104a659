"""The figures of a paper with our points: a measure over the number of rounds or entries, curve by curve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from evals.evaluation import Evaluation
from evals.metrics.bootstrap import Interval
from evals.scores import Scores, score
from evals.task import Figure, Measure, Table

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""Names of the curves in a plot; the paper's have the small letters."""


class Curve(NamedTuple):
    """One curve for one measure."""

    letter: str
    name: str
    ours: Mapping[int, Interval]
    paper: Mapping[int, float]


class Panel(NamedTuple):
    """The curves of one measure."""

    measure: Measure
    curves: Sequence[Curve]


class Chart(NamedTuple):
    """A figure for one corpus."""

    figure: Figure
    corpus: str
    scores: Scores
    """Of all rows that the curves consist of."""
    panels: Sequence[Panel]

    @property
    def title(self) -> str:
        """Of the figure and the corpus."""
        return f"{self.figure.title}, {self.corpus}"


def charts(evaluation: Evaluation) -> list[Chart]:
    """Every figure for every corpus; those without a point of ours are left out."""
    every = (
        _chart(evaluation, figure, corpus.name)
        for corpus in evaluation.config.corpora
        for figure in evaluation.task.figures
    )
    return [chart for chart in every if chart.panels]


def _chart(evaluation: Evaluation, figure: Figure, corpus: str) -> Chart:
    scores = score(
        evaluation.task,
        _as_table(figure),
        corpus,
        evaluation.of_corpus(corpus),
        evaluation.outputs,
        seed=evaluation.config.seed,
        marks=evaluation.marks,
    )
    every = (Panel(evaluation.task.measure(name), _curves(figure, name, scores)) for name in figure.measures)
    return Chart(figure, corpus, scores, [panel for panel in every if panel.curves])


def _as_table(figure: Figure) -> Table:
    """The rows of all curves, each once, compared with none."""
    rows = dict.fromkeys(row for curve in figure.curves.values() for row in curve.values())
    return Table(figure.title, list(rows), figure.measures, published={}, baseline="")


def _curves(figure: Figure, measure: str, scores: Scores) -> list[Curve]:
    """Those of which a system was run, for a text of the corpus is no curve; each keeps its letter in all panels."""
    found = []
    for letter, (name, rows) in zip(LETTERS, figure.curves.items(), strict=False):
        lines = {number: line for number, row in rows.items() if (line := scores.line(row)) and measure in line.cells}
        printed = figure.published.get(name, {})
        paper = {number: figures[measure] for number, figures in printed.items() if measure in figures}
        if any(line.row.system for line in lines.values()):
            found.append(Curve(letter, name, {number: line.cells[measure] for number, line in lines.items()}, paper))
    return found
