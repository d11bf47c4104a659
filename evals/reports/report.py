"""The report of an evaluation: what a reader wants to know first, then the tables, then the run itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evals.datasets import FieldStatistics
from evals.evaluation import Evaluation
from evals.reports.differences import TEST, difference_sections, is_beyond_chance
from evals.reports.document import Document, Picture, Section
from evals.reports.notation import what_intervals_are
from evals.reports.orders import order_sections, ordered_pairs
from evals.reports.run_sections import (
    cost_sections,
    facts,
    failure_sections,
    note_sections,
    progress,
    statistics_sections,
    system_sections,
)
from evals.reports.score_table import mean_sections, place, printed_sections, score_section
from evals.scores import Scores, published_figures
from evals.task import Task

_KEY = (
    f"{what_intervals_are('samples')} ↓ lower is better, ↑ higher is better. Rows that begin with “paper:” are printed "
    "in the paper, for its own models and samples."
)


def report(
    evaluation: Evaluation, statistics: Sequence[FieldStatistics] = (), pictures: Sequence[Picture] = ()
) -> Document:
    """All that is known of a run, as one document.

    Args:
        evaluation: A run, scored.
        statistics: Of its data.
        pictures: Its plots.
    """
    task = evaluation.task
    summary = [*progress(evaluation), *(said for scores in evaluation.scores for said in _in_short(task, scores))]
    return Document(
        title=task.name.replace("_", " ").capitalize(),
        facts=facts(task, evaluation.config),
        summary=[*summary, TEST, _KEY],
        sections=[
            *(section for scores in evaluation.scores for section in _table(evaluation, scores)),
            *mean_sections(evaluation),
            *printed_sections(evaluation),
            *([Section("Plots", pictures=pictures)] if pictures else []),
            *system_sections(task, evaluation.config),
            *cost_sections(evaluation.costs),
            *statistics_sections(statistics),
            *failure_sections(evaluation),
            *note_sections(task),
        ],
    )


def _in_short(task: Task, scores: Scores) -> Iterator[str]:
    """How much differs, and whether the rows came out in the paper's order."""
    said = []
    if scores.contrasts:
        beyond, baseline = sum(map(is_beyond_chance, scores.contrasts)), scores.contrasts[0].baseline.title
        said.append(f"{beyond} of {len(scores.contrasts)} differences to {baseline} are beyond chance")
    elif (
        not scores.table.comparison
        and scores.line(scores.table.baseline) is None
        and any(line.row.system for line in scores.lines)
    ):
        said.append(f"nothing is compared, because {task.row(scores.table.baseline).title} was not run")
    if pairs := ordered_pairs(task, scores):
        said.append(f"the paper's order came out in {pairs - len(scores.reversals)} of {pairs} pairs of rows")
    if said:
        yield f"{place(scores)}: {'; '.join(said)}."


def _table(evaluation: Evaluation, scores: Scores) -> Iterator[Section]:
    """A table that any row of was run or printed, what differs in it, and where it contradicts the paper."""
    if scores.table.comparison and not scores.contrasts:
        return
    if scores.lines or published_figures(scores.table, scores.corpus):
        yield score_section(evaluation.task, scores)
        yield from difference_sections(scores)
        yield from order_sections(scores, seed=evaluation.config.seed)
