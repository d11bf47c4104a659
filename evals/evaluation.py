"""A run with its scores: what the reports are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple, cast

from evals.marks import MEASURES, Marks, marked_table, read_marks
from evals.run_folder import RunConfig, RunFolder
from evals.scores import Outputs, Scores, items_of, score
from evals.task import Item, Table, Task
from evals.usage import Cost, costs
from state.errors import Kind
from tools.jobs import Record, read_results


class Failed(NamedTuple):
    """A system that failed on a sample; running the evaluation again tries it again."""

    sample: str
    system: str
    error: str

    @property
    def kind(self) -> Kind:
        """Of the error, as `tools.jobs` writes it before its message."""
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
    marks: Marks
    """What models found of the texts, if any were asked."""

    def of_corpus(self, corpus: str) -> list[Record]:
        """Its samples."""
        return [sample for sample in self.samples if sample["corpus"] == corpus]

    def items(self, sample: Record) -> dict[str, Item]:
        """The texts of a sample, by the row's name, in the order of the rows; those that were not run are left out."""
        found = {row.name: items_of(row, [sample], self.outputs, self.marks) for row in self.task.rows}
        return {name: items[0] for name, items in found.items() if items}


def evaluate(task: Task, folder: RunFolder) -> Evaluation:
    """Scores what is in a run's folder, whether all of it has ended or not."""
    config = folder.config()
    marks = read_marks(folder.path)
    if marks:
        table = marked_table(task, config.rows)
        compared = [_with_marks(each) if each.comparison else each for each in task.tables]
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
            score(task, table, corpus.name, _of(samples, corpus.name), outputs, seed=config.seed, marks=marks)
            for corpus in config.corpora
            for table in task.tables
        ],
        costs=costs(outputs),
        marks=marks,
    )


def _with_marks(table: Table) -> Table:
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
