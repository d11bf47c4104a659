"""Scoring a run: the tables and figures of a paper, from which the reports are made.

Every figure has an interval, and rows are compared by tests that are paired by sample.

`scores.json` holds the scores for other tools, in these fields:

format      2; changes with the layout
task, paper, begun, version, commit, seed, models (name by role)
finished    whether every system has an output for every sample
extensions  names of the extensions that were on, by system
tables      for each table and corpus: table, corpus, samples, baseline, and
            rows: row, title, system, texts, figures (by measure: value, low and high ends of the 95% interval),
                  values (by measure and sample, where a figure is a mean), paper (the paper's row to compare with)
            published: the paper's figures by row and measure
            contrasts: row, baseline, measure, difference, low, high, samples, p (corrected)
figures     the rows of the curves in the same way
costs       system, role, model, samples, calls, input_tokens, output_tokens, seconds, reasks, trims
failed      sample, system, error
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import Any, Final, NamedTuple, cast

from evals.run import RunConfig, RunFolder
from evals.statistics import (
    Interval,
    PairedTest,
    apply_holm_correction,
    compare_paired_scores,
    estimate_clustered_mean,
    estimate_mean,
    estimate_statistic,
)
from evals.task import Figure, Item, Measure, Row, Table, Task
from runs.jobs import Record, iterate_results
from runs.record import Cost, compute_costs
from state.errors import ErrorKind

_FEWEST_CLUSTERS: Final = 10  # texts from which an interval is over texts, and not over their parts
_SCORES_FORMAT: Final = 2  # version of the layout of scores.json

SystemOutputs = Mapping[tuple[str, str], Record]  # outputs by the sample's id and the system's name
SampleValues = Mapping[str, float]  # the values of a measure by sample


class ScoredRow(NamedTuple):
    """The texts of a row with their scores: an estimate for each measure, and the value of each sample."""

    row: Row
    items: Sequence[Item]
    cells: Mapping[str, Interval]
    """Values with 95% intervals by measure; a measure that applies to no text is left out."""
    values: Mapping[str, SampleValues]
    """Values by measure and sample, for measures that are means over the samples."""


class Contrast(NamedTuple):
    """A row's tested difference from the baseline in one measure, over the samples that both have."""

    row: Row
    baseline: Row
    measure: Measure
    test: PairedTest
    """Corrected for all contrasts of the measure (Holm)."""


class ScoredTable(NamedTuple):
    """The scored rows of a table for one corpus, and their differences from the baseline."""

    table: Table
    corpus: str
    samples: int
    lines: Sequence[ScoredRow]
    contrasts: Sequence[Contrast]

    @property
    def title(self) -> str:
        """Title of the table with the name of the corpus."""
        return f"{self.table.title}, {self.corpus}"

    def find_row(self, name: str) -> ScoredRow | None:
        """Return the scores of a row by its name, or None if it has no text."""
        return next((line for line in self.lines if line.row.name == name), None)


def score_table(
    task: Task, table: Table, corpus: str, samples: Sequence[Record], outputs: SystemOutputs, *, seed: int
) -> ScoredTable:
    """Score the rows of a table that have a text over the samples of a corpus, and compare them with the baseline.

    The outputs are by the sample's id and the system's name; failed runs have none.
    """
    measures = [task.find_measure(name) for name in table.measures]
    rows = ((row, collect_row_items(row, samples, outputs)) for row in map(task.find_row, table.rows))
    lines = [_score_row(row, items, measures, seed) for row, items in rows if items]
    return ScoredTable(table, corpus, len(samples), lines, _compare_with_baseline(table, measures, lines, seed))


def collect_row_items(row: Row, samples: Sequence[Record], outputs: SystemOutputs) -> list[Item]:
    """List the item (text and its origin) of a row for each sample that has one; failed runs have none."""
    found = []
    for sample in samples:
        # A text of the corpus needs no output, and a failed run has none.
        output = {} if row.system is None else outputs.get((sample["id"], row.system))
        item = None if output is None else row.item(sample, output)
        if item is not None:
            found.append(item)
    return found


def _score_row(row: Row, items: Sequence[Item], measures: Sequence[Measure], seed: int) -> ScoredRow:
    """Compute a row's estimate and values for each measure, leaving out measures that apply to no text."""
    values: dict[str, SampleValues] = {}
    cells: dict[str, Interval] = {}
    for measure in measures:
        if measure.score is not None:
            scored = ((item.sample["id"], measure.score(item)) for item in items)
            known = {sample: value for sample, value in scored if value is not None}
            values[measure.name] = known
            if known:
                cells[measure.name] = estimate_mean(known.values(), seed=seed)
        elif measure.parts is not None:
            parts = {item.sample["id"]: scores for item in items if (scores := measure.parts(item))}
            values[measure.name] = {sample: fmean(scores) for sample, scores in parts.items()}
            if parts:
                # Parts of a text are dependent, but an interval over few texts would be of no use.
                scored_parts = [*chain(*parts.values())]
                texts = [sample for sample, scores in parts.items() for _ in scores]
                clusters = texts if len(parts) >= _FEWEST_CLUSTERS else range(len(texts))
                cells[measure.name] = estimate_clustered_mean(scored_parts, clusters, seed=seed)
        # A statistic may be undefined, such as the F1 of a label that no sample has.
        elif measure.statistic and (estimate := estimate_statistic(items, measure.statistic, seed=seed)):
            cells[measure.name] = estimate
    return ScoredRow(row, items, cells, values)


def _compare_with_baseline(
    table: Table, measures: Sequence[Measure], lines: Sequence[ScoredRow], seed: int
) -> list[Contrast]:
    """List the tests of each system's row against the baseline, corrected by measure; empty without baseline."""
    baseline = next((line for line in lines if line.row.name == table.baseline), None)
    if baseline is None:
        return []
    # Texts of the corpus are not compared: they are references, and not systems.
    others = [line for line in lines if line.row.system and line is not baseline]
    found: list[Contrast] = []
    for measure in measures:
        compared = {line.row: line.values.get(measure.name, {}) for line in others}
        known = baseline.values.get(measure.name, {})
        tests = {row: test for row, ours in compared.items() if (test := compare_paired_scores(ours, known, seed=seed))}
        found += [Contrast(row, baseline.row, measure, test) for row, test in apply_holm_correction(tests).items()]
    return found


def select_published_figures(table: Table, corpus: str) -> Mapping[str, Mapping[str, float]]:
    """Return the paper's figures by row and measure for a corpus, or those for any corpus; may be empty."""
    return table.published.get(corpus, table.published.get("", {}))


class FailedRun(NamedTuple):
    """The error of a system on a sample; resuming the evaluation tries it again."""

    sample: str
    system: str
    error: str

    @property
    def kind(self) -> ErrorKind:
        """Kind of the error, which `runs.jobs` writes before the message."""
        return cast("ErrorKind", self.error.partition(":")[0])


class Chart(NamedTuple):
    """A figure with the scores of its rows for one corpus; nothing is drawn yet."""

    figure: Figure
    scores: ScoredTable
    """Scores of all rows in the curves."""
    measures: Sequence[Measure]
    """Measures with at least one point of a system; texts of the corpus alone make no curve."""


class Evaluation(NamedTuple):
    """A run as it was read from its folder, with its scores, failures and costs."""

    task: Task
    config: RunConfig
    samples: Sequence[Record]
    outputs: SystemOutputs
    failed: Sequence[FailedRun]
    missing: int
    """Number of outputs that are missing because the evaluation was stopped."""
    scores: Sequence[ScoredTable]
    """All tables for the first corpus, then for the next."""
    charts: Sequence[Chart]
    """All figures for the first corpus, then for the next, without empty figures."""
    costs: Sequence[Cost]

    def collect_sample_items(self, sample: Record) -> dict[str, Item]:
        """Return a sample's items by the row's name, in the task's order; rows without a text are left out."""
        found = {row.name: collect_row_items(row, [sample], self.outputs) for row in self.task.rows}
        return {name: items[0] for name, items in found.items() if items}


def score_run(task: Task, folder: RunFolder) -> Evaluation:
    """Read the outputs in a run's folder and score them; the run may be incomplete, and nothing is written."""
    # 1. Read the outputs. A retried run has several results, of which the newest counts.
    config, samples = folder.read_run_config(), folder.read_samples()
    results = {(result["id"], result["system"]): result for result in iterate_results(folder.outputs_file)}
    outputs = {key: result["output"] for key, result in results.items() if "error" not in result}
    expected = {(sample["id"], system) for sample in samples for system in task.list_systems(config.rows)}

    # 2. Score the tables and figures of each corpus.
    scores: list[ScoredTable] = []
    charts: list[Chart] = []
    for corpus in config.corpora:
        own = [sample for sample in samples if sample["corpus"] == corpus.name]
        scores += [score_table(task, table, corpus.name, own, outputs, seed=config.seed) for table in task.tables]
        for figure in task.figures:
            # A figure is scored like a table of all its rows that has no baseline.
            rows = dict.fromkeys(row for curve in figure.curves.values() for row in curve.values())
            table = Table(figure.title, list(rows), figure.measures, baseline="")
            points = score_table(task, table, corpus.name, own, outputs, seed=config.seed)
            drawn = {name for line in points.lines if line.row.system for name in line.cells}
            if measures := [task.find_measure(name) for name in figure.measures if name in drawn]:
                charts.append(Chart(figure, points, measures))

    return Evaluation(
        task=task,
        config=config,
        samples=samples,
        outputs=outputs,
        failed=[FailedRun(*key, result["error"]) for key, result in results.items() if "error" in result],
        missing=len(expected - results.keys()),
        scores=scores,
        charts=charts,
        costs=compute_costs(outputs),
    )


def list_system_extensions(task: Task, config: RunConfig, system: str) -> list[str]:
    """List the names of the extensions that were on in a system: its own setting, or else that of the run."""
    own = task.systems[system].context.model_dump(include={"extensions"}, exclude_unset=True)
    extensions: list[str] = {**config.settings, **own}["extensions"]
    return extensions


def serialize_scores(evaluation: Evaluation) -> str:
    """Serialise a scored run as the text of scores.json, in the layout of the module's docstring."""
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
    """Return a scored table as an entry of `tables` or `figures` in scores.json."""
    rows = [
        {
            "row": line.row.name,
            "title": line.row.title,
            "system": line.row.system,
            "paper": line.row.paper,
            "texts": len(line.items),
            "figures": {measure: cell._asdict() for measure, cell in line.cells.items()},
            "values": line.values,
        }
        for line in scores.lines
    ]
    contrasts = [
        {
            "row": contrast.row.name,
            "baseline": contrast.baseline.name,
            "measure": contrast.measure.name,
            "difference": contrast.test.difference.value,
            "low": contrast.test.difference.low,
            "high": contrast.test.difference.high,
            "samples": contrast.test.samples,
            "p": contrast.test.p_value,
        }
        for contrast in scores.contrasts
    ]
    return {
        "table": scores.table.title,
        "corpus": scores.corpus,
        "samples": scores.samples,
        "baseline": scores.table.baseline,
        "rows": rows,
        "published": select_published_figures(scores.table, scores.corpus),
        "contrasts": contrasts,
    }
