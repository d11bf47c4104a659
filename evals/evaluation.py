"""A run with its scores: the tables of a paper and its figures, what the reports are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from evals.model_scores import MEASURES, ModelScores, model_scores_table, read_model_scores
from evals.run_folder import RunConfig, RunFolder
from evals.scores import Outputs, Scores, items_of, score
from evals.statistics import Interval
from evals.task import Figure, Item, Measure, Table, Task
from runs.many import Record, read_results
from runs.usage import Cost, costs
from state.errors import Kind


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
    model_scores: ModelScores
    """What models found of the texts, if any were asked."""

    def of_corpus(self, corpus: str) -> list[Record]:
        """Its samples."""
        return [sample for sample in self.samples if sample["corpus"] == corpus]

    def items(self, sample: Record) -> dict[str, Item]:
        """The texts of a sample, by the row's name, in the order of the rows; those that were not run are left out."""
        found = {row.name: items_of(row, [sample], self.outputs, self.model_scores) for row in self.task.rows}
        return {name: items[0] for name, items in found.items() if items}


def evaluate(task: Task, folder: RunFolder) -> Evaluation:
    """Scores what is in a run's folder, whether all of it has ended or not."""
    config = folder.config()
    model_scores = read_model_scores(folder.path)
    if model_scores:
        table = model_scores_table(task, config.rows)
        compared = [_with_model_scores(each) if each.comparison else each for each in task.tables]
        task = replace(task, measures=[*task.measures, *MEASURES], tables=[*compared, table])
    samples = folder.samples()
    results = newest(read_results(folder.outputs_file))
    outputs = {key: result["output"] for key, result in results.items() if "error" not in result}
    wanted = {(sample["id"], system) for sample in samples for system in systems_of(task, config.rows)}
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
                _of(samples, corpus.name),
                outputs,
                seed=config.seed,
                model_scores=model_scores,
            )
            for corpus in config.corpora
            for table in task.tables
        ],
        costs=costs(outputs),
        model_scores=model_scores,
    )


def _with_model_scores(table: Table) -> Table:
    return replace(table, measures=[*table.measures, *(measure.name for measure in MEASURES)])


def texts_of(evaluation: Evaluation) -> dict[tuple[str, str], Item]:
    """Every text of the run's rows, by the sample's id and the row's name; rows with no text of a sample lack it."""
    found = ((sample["id"], evaluation.items(sample)) for sample in evaluation.samples)
    wanted = set(evaluation.config.rows)
    return {(name, row): item for name, items in found for row, item in items.items() if row in wanted and item.text}


def newest(results: Sequence[Record]) -> dict[tuple[str, str], Record]:
    """The newest result of each sample and system."""
    return {(result["id"], result["system"]): result for result in results}


def systems_of(task: Task, rows: Sequence[str]) -> list[str]:
    """Names of the systems that rows are taken from, each once, in the order of the rows."""
    systems = (task.row(name).system for name in rows)
    return list(dict.fromkeys(system for system in systems if system is not None))


def _of(samples: Sequence[Record], corpus: str) -> list[Record]:
    return [sample for sample in samples if sample["corpus"] == corpus]


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
        model_scores=evaluation.model_scores,
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
