"""The pages of the samples, worst first: what each row made of a sample, and what the agents said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import inf
from statistics import fmean
from typing import NamedTuple

from evals.evaluation import Evaluation, Failed
from evals.reports.names import page_name
from evals.reports.sample_texts import Measured, Shown, measured, originals, systems_texts
from evals.scores import Scores
from evals.task import Item, Task
from tools.jobs import Record


class Page(NamedTuple):
    """All that is known of a sample."""

    sample: str
    corpus: str
    title: str
    """Of the paper, if the corpus says it."""
    file: str
    originals: Sequence[Shown]
    """The source, and the text by a person if there is one."""
    texts: Sequence[Shown]
    """Of the systems."""
    transcripts: Mapping[str, str]
    """In Markdown, by system."""
    failures: Sequence[Failed]
    ranks: Mapping[str, float]
    """The measure that orders the pages, by the title of the row; of systems only."""

    @property
    def rank(self) -> float | None:
        """The mean over the rows; None if nothing was measured."""
        return fmean(self.ranks.values()) if self.ranks else None


def sample_pages(evaluation: Evaluation, scores: Sequence[Scores]) -> list[Page]:
    """A page for each sample, the worst first by `Task.ranked_by`, and before it those of which nothing was measured.

    Args:
        evaluation: A run, scored.
        scores: Where the pages' figures are taken from: those of the tables and of the charts.
    """
    figures = measured(scores)
    pages = [_page(evaluation, sample, figures) for sample in evaluation.samples]
    return sorted(pages, key=lambda page: _badness(page, evaluation.task), reverse=True)


def best_first(pages: Sequence[Page], task: Task) -> list[Page]:
    """The pages the other way round, so that those of which nothing was measured come last.

    Args:
        pages: Worst first.
        task: What was evaluated.
    """
    turned = pages[::-1]  # also where two are as good as each other
    return sorted(turned, key=lambda page: _badness(page, task))


def _badness(page: Page, task: Task) -> float:
    if page.rank is None:
        return inf
    return page.rank if task.measure(task.ranked_by).better == "lower" else -page.rank


def _page(evaluation: Evaluation, sample: Record, figures: Measured) -> Page:
    task, name = evaluation.task, sample["id"]
    items = evaluation.items(sample)
    systems = dict.fromkeys(row.system for row in task.rows if row.system)
    outputs = {each: evaluation.outputs[name, each] for each in systems if (name, each) in evaluation.outputs}
    return Page(
        sample=name,
        corpus=sample["corpus"],
        title=sample.get("title") or "",
        file=page_name(name),
        originals=originals(task, sample, items, figures),
        texts=systems_texts(task, sample, items, figures),
        transcripts={system: task.transcript(sample, output) for system, output in outputs.items()},
        failures=[failed for failed in evaluation.failed if failed.sample == name],
        ranks=_ranks(task, name, items, figures),
    )


def _ranks(task: Task, sample: str, items: Mapping[str, Item], figures: Measured) -> dict[str, float]:
    rows = [task.row(name) for name in items]
    values = {row.title: figures.get((row.name, sample), {}).get(task.ranked_by) for row in rows if row.system}
    return {title: value for title, value in values.items() if value is not None}
