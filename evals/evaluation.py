"""A run with its scores: the tables of a paper and its figures, what the reports are made of.

Every measure of every row has its interval, and what differs between rows is paired by sample.

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
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from evals.run import RunConfig, RunFolder
from evals.statistics import (
    Interval,
    PairedTest,
    apply_holm_correction,
    compare_paired_scores,
    estimate_mean,
    estimate_statistic,
)
from evals.task import Figure, Item, Measure, Row, Table, Task
from runs.jobs import Record, iterate_results
from runs.record import Cost, compute_costs
from state.errors import ErrorKind

SystemOutputs = Mapping[tuple[str, str], Record]
"""What the systems left, by the sample's id and the system's name."""
SampleValues = Mapping[str, float]
"""Of a measure, by sample."""


class ScoredRow(NamedTuple):
    """A row of a table, scored."""

    row: Row
    items: Sequence[Item]
    cells: Mapping[str, Interval]
    """By measure: its value with a 95% interval; a measure that applies to no text is left out."""
    values: Mapping[str, SampleValues]
    """By measure, for those that are means over the samples."""


class Contrast(NamedTuple):
    """What a row has more than the baseline, over the samples that both have."""

    row: Row
    baseline: Row
    measure: Measure
    test: PairedTest
    """Corrected for all contrasts of the measure (Holm)."""


class ScoredTable(NamedTuple):
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

    def find_row(self, name: str) -> ScoredRow | None:
        """The line of a row, if it was run."""
        return next((line for line in self.lines if line.row.name == name), None)


def score_table(
    task: Task,
    table: Table,
    corpus: str,
    samples: Sequence[Record],
    outputs: SystemOutputs,
    *,
    seed: int,
) -> ScoredTable:
    """Scores a table over the samples of a corpus.

    Args:
        task: Of the table.
        table: Which rows and measures.
        corpus: Name of the corpus.
        samples: All of the corpus.
        outputs: What the systems left, by system and sample; what failed is missing.
        seed: Of the resampling.
    """
    measures = [task.find_measure(name) for name in table.measures]
    rows = ((row, collect_row_items(row, samples, outputs)) for row in map(task.find_row, table.rows))
    found = [_score_row(row, items, measures, seed) for row, items in rows if items]
    return ScoredTable(
        table=table,
        corpus=corpus,
        samples=len(samples),
        lines=found,
        contrasts=_compare_with_baseline(table, measures, found, seed),
    )


def collect_row_items(row: Row, samples: Sequence[Record], outputs: SystemOutputs) -> list[Item]:
    """The row's texts, of those samples that have one."""
    found = []
    for sample in samples:
        output = {} if row.system is None else outputs.get((sample["id"], row.system))
        item = None if output is None else row.item(sample, output)
        if item is not None:
            found.append(item)
    return found


def _score_row(row: Row, items: Sequence[Item], measures: Sequence[Measure], seed: int) -> ScoredRow:
    values: dict[str, SampleValues] = {}
    cells: dict[str, Interval] = {}
    for measure in measures:
        if measure.score is not None:
            scored = ((item.sample["id"], measure.score(item)) for item in items)
            values[measure.name] = {sample: value for sample, value in scored if value is not None}
            if values[measure.name]:
                scores = values[measure.name].values()
                cells[measure.name] = estimate_mean(scores, seed=seed)
        elif measure.statistic is not None and items and measure.statistic(items) is not None:
            cells[measure.name] = estimate_statistic(items, measure.statistic, seed=seed)
    return ScoredRow(row, items, cells, values)


def _compare_with_baseline(
    table: Table, measures: Sequence[Measure], lines: Sequence[ScoredRow], seed: int
) -> list[Contrast]:
    baseline = next((line for line in lines if line.row.name == table.baseline), None)
    if baseline is None:
        return []
    others = [line for line in lines if line.row.system and line is not baseline]
    found: list[Contrast] = []
    for measure in measures:
        compared = {line.row: line.values.get(measure.name, {}) for line in others}
        known = baseline.values.get(measure.name, {})
        tests = {row: test for row, ours in compared.items() if (test := compare_paired_scores(ours, known, seed=seed))}
        found += [Contrast(row, baseline.row, measure, test) for row, test in apply_holm_correction(tests).items()]
    return found


def select_published_figures(table: Table, corpus: str) -> Mapping[str, Mapping[str, float]]:
    """The paper's rows for a corpus, or those that it gives without naming one."""
    return table.published.get(corpus, table.published.get("", {}))


_SCORES_FORMAT: Final = 2
"""Of scores.json."""


class FailedRun(NamedTuple):
    """A system that failed on a sample; running the evaluation again tries it again."""

    sample: str
    system: str
    error: str

    @property
    def kind(self) -> ErrorKind:
        """Of the error, as `runs.jobs` writes it before its message."""
        return cast("ErrorKind", self.error.partition(":")[0])


class Chart(NamedTuple):
    """A figure for one corpus."""

    figure: Figure
    scores: ScoredTable
    """Of all rows that the curves consist of."""
    measures: Sequence[Measure]
    """Those of which there are points of a system, for a text of the corpus is no curve."""


class Evaluation(NamedTuple):
    """A run, scored."""

    task: Task
    config: RunConfig
    samples: Sequence[Record]
    outputs: SystemOutputs
    """By the sample's id and the system's name."""
    failed: Sequence[FailedRun]
    missing: int
    """Runs of a system on a sample that have not ended: the evaluation was stopped."""
    scores: Sequence[ScoredTable]
    """Of each table for each corpus: the tables in their order, for the first corpus, then for the second."""
    charts: Sequence[Chart]
    """Of each figure for each corpus; those without a point of ours are left out."""
    costs: Sequence[Cost]

    def collect_sample_items(self, sample: Record) -> dict[str, Item]:
        """The texts of a sample, by the row's name, in the order of the rows; those that were not run are left out."""
        found = {row.name: collect_row_items(row, [sample], self.outputs) for row in self.task.rows}
        return {name: items[0] for name, items in found.items() if items}


def score_run(task: Task, folder: RunFolder) -> Evaluation:
    """Scores what is in a run's folder, whether all of it has ended or not."""
    config, samples = folder.read_run_config(), folder.read_samples()
    results = {
        (result["id"], result["system"]): result for result in iterate_results(folder.outputs_file)
    }  # the newest
    outputs = {key: result["output"] for key, result in results.items() if "error" not in result}
    wanted = {(sample["id"], system) for sample in samples for system in task.list_systems(config.rows)}

    def scored(table: Table, corpus: str) -> ScoredTable:
        of_corpus = [sample for sample in samples if sample["corpus"] == corpus]
        return score_table(task, table, corpus, of_corpus, outputs, seed=config.seed)

    corpora = [corpus.name for corpus in config.corpora]
    charts = [
        _build_chart(task, figure, scored(_build_curve_table(figure), name))
        for name in corpora
        for figure in task.figures
    ]
    return Evaluation(
        task=task,
        config=config,
        samples=samples,
        outputs=outputs,
        failed=[FailedRun(*key, result["error"]) for key, result in results.items() if "error" in result],
        missing=len(wanted - results.keys()),
        scores=[scored(table, name) for name in corpora for table in task.tables],
        charts=[chart for chart in charts if chart.measures],
        costs=compute_costs(outputs),
    )


def _build_curve_table(figure: Figure) -> Table:
    """The rows of all curves, each once, compared with none."""
    rows = dict.fromkeys(row for curve in figure.curves.values() for row in curve.values())
    return Table(figure.title, list(rows), figure.measures, published={}, baseline="")


def _build_chart(task: Task, figure: Figure, scores: ScoredTable) -> Chart:
    drawn = {name for line in scores.lines if line.row.system for name in line.cells}
    return Chart(figure, scores, [task.find_measure(name) for name in figure.measures if name in drawn])


def list_system_extensions(task: Task, config: RunConfig, system: str) -> list[str]:
    """Names of the extensions that a system ran with."""
    own = task.systems[system].context.model_dump(include={"extensions"}, exclude_unset=True)
    extensions: list[str] = {**config.settings, **own}["extensions"]
    return extensions


def serialize_scores(evaluation: Evaluation) -> str:
    """The content of scores.json."""
    config = evaluation.config
    content = {
        "format": _SCORES_FORMAT,
        "task": config.task,
        "paper": evaluation.task.source,
        "begun": config.begun,
        "version": config.version,
        "commit": config.commit,
        "seed": config.seed,
        "models": {role: model["model"] for role, model in config.models.items()},
        "finished": not evaluation.missing and not evaluation.failed,
        "extensions": {
            name: list_system_extensions(evaluation.task, config, name)
            for name in evaluation.task.list_systems(config.rows)
        },
        "tables": [_serialize_table(scores) for scores in evaluation.scores],
        "figures": [_serialize_table(chart.scores) for chart in evaluation.charts],
        "costs": evaluation.costs,
        "failed": [failed._asdict() for failed in evaluation.failed],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _serialize_table(scores: ScoredTable) -> dict[str, Any]:
    return {
        "table": scores.table.title,
        "corpus": scores.corpus,
        "samples": scores.samples,
        "baseline": scores.table.baseline,
        "rows": [_serialize_row(line) for line in scores.lines],
        "published": select_published_figures(scores.table, scores.corpus),
        "contrasts": [_serialize_contrast(contrast) for contrast in scores.contrasts],
    }


def _serialize_row(line: ScoredRow) -> dict[str, Any]:
    return {
        "row": line.row.name,
        "title": line.row.title,
        "system": line.row.system,
        "paper": line.row.paper,
        "texts": len(line.items),
        "figures": {measure: cell._asdict() for measure, cell in line.cells.items()},
        "values": line.values,
    }


def _serialize_contrast(contrast: Contrast) -> dict[str, Any]:
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
