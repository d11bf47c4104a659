"""A run with its scores: the tables of a paper and its figures, what the reports are made of.

`scores.json` holds them for other tools that plot or compare, and has these fields:

format      2; another number means another layout
task, paper, begun, version, commit, seed, models (name by role)
finished    whether every run of a system on a sample has ended
extensions  names of those that each system ran with, by system
tables      for each table and corpus: table, corpus, samples, baseline, and
            rows: row, title, system, texts, figures (by measure: value, low, high of its 95% interval),
                  values (by measure and sample, where a figure is a mean), paper (the row it is compared with)
            published: the paper's figures by row and measure
            contrasts: row, baseline, measure, difference, low, high, samples, p (corrected)
figures     the rows of the curves in the same way
costs       system, role, model, samples, calls, input_tokens, output_tokens, seconds, reasks, trims
failed      sample, system, error
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, cast

from evals.run import RunConfig, RunFolder
from evals.scores import (
    Contrast,
    Outputs,
    ScoredRow,
    Scores,
    items_of,
    published_figures,
    score,
)
from evals.task import Figure, Item, Measure, Table, Task
from runs.many import Record, read_results
from runs.record import Cost, costs
from state.errors import Kind

_FORMAT: Final = 2
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


class Chart(NamedTuple):
    """A figure for one corpus."""

    figure: Figure
    scores: Scores
    """Of all rows that the curves consist of."""
    measures: Sequence[Measure]
    """Those of which there are points of a system, for a text of the corpus is no curve."""


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
    charts: Sequence[Chart]
    """Of each figure for each corpus; those without a point of ours are left out."""
    costs: Sequence[Cost]

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

    def scored(table: Table, corpus: str) -> Scores:
        of_corpus = [sample for sample in samples if sample["corpus"] == corpus]
        return score(task, table, corpus, of_corpus, outputs, seed=config.seed)

    corpora = [corpus.name for corpus in config.corpora]
    charts = [_chart(task, figure, scored(_as_table(figure), name)) for name in corpora for figure in task.figures]
    return Evaluation(
        task=task,
        config=config,
        samples=samples,
        outputs=outputs,
        failed=[Failed(*key, result["error"]) for key, result in results.items() if "error" in result],
        missing=len(wanted - results.keys()),
        scores=[scored(table, name) for name in corpora for table in task.tables],
        charts=[chart for chart in charts if chart.measures],
        costs=costs(outputs),
    )


def _as_table(figure: Figure) -> Table:
    """The rows of all curves, each once, compared with none."""
    rows = dict.fromkeys(row for curve in figure.curves.values() for row in curve.values())
    return Table(figure.title, list(rows), figure.measures, published={}, baseline="")


def _chart(task: Task, figure: Figure, scores: Scores) -> Chart:
    drawn = {name for line in scores.lines if line.row.system for name in line.cells}
    return Chart(figure, scores, [task.measure(name) for name in figure.measures if name in drawn])


def extensions_of(task: Task, config: RunConfig, system: str) -> list[str]:
    """Names of the extensions that a system ran with."""
    own = task.systems[system].context.model_dump(include={"extensions"}, exclude_unset=True)
    extensions: list[str] = {**config.settings, **own}["extensions"]
    return extensions


def scores_file(evaluation: Evaluation) -> str:
    """The content of scores.json."""
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
        "figures": [_scored_table(chart.scores) for chart in evaluation.charts],
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
