"""A run with its scores: the tables of a paper and its figures, what the reports are made of.

`scores.json` holds them for other tools that plot or compare, and has these fields:

format      1; another number means another layout
task, paper, begun, version, commit, seed, models (name by role)
finished    whether every run of a system on a sample has ended
extensions        names of those that each system ran with, by system
tables      for each table and corpus: table, corpus, samples, baseline, and
            rows: row, title, system, texts, figures (by measure: value, low, high of its 95% interval),
                  values (by measure and sample, where a figure is a mean), paper (the row it is compared with)
            published: the paper's figures by row and measure
            contrasts: row, baseline, measure, difference, low, high, samples, p (corrected)
            reversals: measure, better, worse (rows, by the paper), published and ours (two figures each)
charts      for each figure and corpus: figure, corpus, across, and
            panels: measure, curves (curve, ours: number, value, low, high; paper: number, value)
costs       system, role, model, samples, calls, input_tokens, output_tokens, seconds, reasks, trims
failed      sample, system, error
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from evals.run import RunConfig, RunFolder
from evals.scores import (
    Contrast,
    Outputs,
    Reversal,
    ScoredRow,
    Scores,
    items_of,
    published_figures,
    score,
)
from evals.statistics import Interval
from evals.task import Figure, Item, Measure, Table, Task
from runs.many import Record, read_results
from runs.record import Cost, costs
from state.errors import Kind

_FORMAT: Final = 1
"""Of scores.json."""


class Failed(NamedTuple):
    """A system that failed on a sample; running the evaluation again tries it again."""

    sample: str
    system: str
    error: str

    @property
    def kind(self) -> Kind:
        """Of the error, as `runs.many` writes it before its message."""
        return cast("Kind", self.error.partition(":")[0])


class Evaluation(NamedTuple):
    """A run, scored."""

    task: Task
    config: RunConfig
    samples: Sequence[Record]
    outputs: Outputs
    """By the sample's id and the system's name."""
    failed: Sequence[Failed]
    missing: int
    """Runs of a system on a sample that have not ended: the evaluation was stopped."""
    scores: Sequence[Scores]
    """Of each table for each corpus: the tables in their order, for the first corpus, then for the second."""
    costs: Sequence[Cost]

    def of_corpus(self, corpus: str) -> list[Record]:
        """Its samples."""
        return [sample for sample in self.samples if sample["corpus"] == corpus]

    def items(self, sample: Record) -> dict[str, Item]:
        """The texts of a sample, by the row's name, in the order of the rows; those that were not run are left out."""
        found = {row.name: items_of(row, [sample], self.outputs) for row in self.task.rows}
        return {name: items[0] for name, items in found.items() if items}


def evaluate(task: Task, folder: RunFolder) -> Evaluation:
    """Scores what is in a run's folder, whether all of it has ended or not."""
    config, samples = folder.config(), folder.samples()
    results = {(result["id"], result["system"]): result for result in read_results(folder.outputs_file)}  # the newest
    outputs = {key: result["output"] for key, result in results.items() if "error" not in result}
    wanted = {(sample["id"], system) for sample in samples for system in task.systems_of(config.rows)}
    return Evaluation(
        task=task,
        config=config,
        samples=samples,
        outputs=outputs,
        failed=[Failed(*key, result["error"]) for key, result in results.items() if "error" in result],
        missing=len(wanted - results.keys()),
        scores=[
            score(
                task,
                table,
                corpus.name,
                [sample for sample in samples if sample["corpus"] == corpus.name],
                outputs,
                seed=config.seed,
            )
            for corpus in config.corpora
            for table in task.tables
        ],
        costs=costs(outputs),
    )


def extensions_of(task: Task, config: RunConfig, system: str) -> list[str]:
    """Names of the extensions that a system ran with."""
    own = task.systems[system].context.model_dump(include={"extensions"}, exclude_unset=True)
    extensions: list[str] = {**config.settings, **own}["extensions"]
    return extensions


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


def scores_file(evaluation: Evaluation, charts: Sequence[Chart]) -> str:
    """The file's content.

    Args:
        evaluation: A run, scored.
        charts: Its figures.
    """
    config = evaluation.config
    content = {
        "format": _FORMAT,
        "task": config.task,
        "paper": evaluation.task.source,
        "begun": config.begun,
        "version": config.version,
        "commit": config.commit,
        "seed": config.seed,
        "models": {role: model["model"] for role, model in config.models.items()},
        "finished": not evaluation.missing and not evaluation.failed,
        "extensions": {
            name: extensions_of(evaluation.task, config, name) for name in evaluation.task.systems_of(config.rows)
        },
        "tables": [_scored_table(scores) for scores in evaluation.scores],
        "charts": [_drawn_chart(chart) for chart in charts],
        "costs": evaluation.costs,
        "failed": [failed._asdict() for failed in evaluation.failed],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _scored_table(scores: Scores) -> dict[str, Any]:
    return {
        "table": scores.table.title,
        "corpus": scores.corpus,
        "samples": scores.samples,
        "baseline": scores.table.baseline,
        "rows": [_scored_row(line) for line in scores.lines],
        "published": published_figures(scores.table, scores.corpus),
        "contrasts": [_contrast(contrast) for contrast in scores.contrasts],
        "reversals": [_reversal(reversal) for reversal in scores.reversals],
    }


def _scored_row(line: ScoredRow) -> dict[str, Any]:
    return {
        "row": line.row.name,
        "title": line.row.title,
        "system": line.row.system,
        "paper": line.row.paper,
        "texts": len(line.items),
        "figures": {measure: cell._asdict() for measure, cell in line.cells.items()},
        "values": line.values,
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    mean, low, high = contrast.test.difference
    return {
        "row": contrast.row.name,
        "baseline": contrast.baseline.name,
        "measure": contrast.measure.name,
        "difference": mean,
        "low": low,
        "high": high,
        "samples": contrast.test.samples,
        "p": contrast.test.p_value,
    }


def _reversal(reversal: Reversal) -> dict[str, Any]:
    return {
        "measure": reversal.measure.name,
        "better": reversal.better.name,
        "worse": reversal.worse.name,
        "published": reversal.published,
        "ours": reversal.ours,
    }


def _drawn_chart(chart: Chart) -> dict[str, Any]:
    panels = [
        {"measure": panel.measure.name, "curves": [_drawn_curve(curve) for curve in panel.curves]}
        for panel in chart.panels
    ]
    return {"figure": chart.figure.title, "corpus": chart.corpus, "across": chart.figure.across, "panels": panels}


def _drawn_curve(curve: Curve) -> dict[str, Any]:
    return {
        "curve": curve.name,
        "ours": [{"number": number, **point._asdict()} for number, point in sorted(curve.ours.items())],
        "paper": [{"number": number, "value": value} for number, value in sorted(curve.paper.items())],
    }
