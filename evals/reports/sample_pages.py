"""Pages of samples: the texts of all rows for a sample, their scores, and the outputs of the agents."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from math import inf
from statistics import fmean
from typing import NamedTuple

from evals.datasets.samples import SampleKind
from evals.evaluation import Evaluation, FailedRun
from evals.reports.document import HTML_TEMPLATES, format_decimal
from runs.jobs import Record

# The fields of a sample with its source and with the text by a person.
_TEXT_FIELDS: dict[SampleKind, tuple[str, str]] = {
    "journalism": ("abstract", "summary"),
    "simplification": ("source", "target"),
    "feedback": ("paragraph", "feedback"),
}
_MeasuredValues = Mapping[tuple[str, str], Mapping[str, float]]  # by row and sample, then by measure


class PageText(NamedTuple):
    """A text on a page, with its title and its formatted scores."""

    title: str
    text: str
    figures: Sequence[str] = ()


class SamplePage(NamedTuple):
    """The content of a sample's page, not rendered: texts, outputs and failures."""

    sample: Record
    file: str
    texts: Sequence[PageText]
    """The source, the text by a person if there is one, and the texts of the systems."""
    outputs: Mapping[str, str]
    """Outputs as JSON, by system."""
    failures: Sequence[FailedRun]
    rank: float | None
    """Mean of `Task.ranked_by` over the rows of systems; None if it was not measured."""


def build_sample_pages(evaluation: Evaluation) -> list[SamplePage]:
    """Build, but do not render, a page for each sample: those without scores, then the worst by `ranked_by` first."""
    measured: dict[tuple[str, str], dict[str, float]] = {}
    for scores in (*evaluation.scores, *(chart.scores for chart in evaluation.charts)):
        for line in scores.lines:
            for measure, values in line.values.items():
                for sample, value in values.items():
                    measured.setdefault((line.row.name, sample), {})[measure] = value
    # The file's name is the sample's place in the run, because an id may be no name of a file.
    pages = [
        _build_sample_page(evaluation, sample, f"{number}.html", measured)
        for number, sample in enumerate(evaluation.samples, start=1)
    ]
    ranked_by = evaluation.task.ranked_by
    # The order is descending: a measure of which higher is better is negated, so that its worst value comes first.
    sign = 1 if ranked_by and evaluation.task.find_measure(ranked_by).better == "lower" else -1
    return sorted(pages, key=lambda page: inf if page.rank is None else sign * page.rank, reverse=True)


def _build_sample_page(evaluation: Evaluation, sample: Record, file: str, measured: _MeasuredValues) -> SamplePage:
    """Build the page of a sample; `measured` has the values of all rows and samples."""
    task, name = evaluation.task, sample["id"]
    originals = zip(("Source", "Written by a person"), _TEXT_FIELDS[task.kind], strict=True)
    texts = {title: PageText(title, sample[field]) for title, field in originals if sample[field]}
    ranks = []
    for row, item in evaluation.collect_sample_items(sample).items():
        if not task.find_row(row).system:
            continue
        values = measured.get((row, name), {})
        known = [each for each in task.measures if each.name in values]
        figures = [f"{each.name} {format_decimal(values[each.name], each.digits)}" for each in known]
        # Rows with the same text, such as a round that is also the selected draft, share a block of the page.
        same = texts.get(item.text)
        title = f"{same.title}; {task.find_row(row).title}" if same else task.find_row(row).title
        texts[item.text] = PageText(title, item.text, figures or (same.figures if same else ()))
        ranks += [values[task.ranked_by]] if task.ranked_by in values else []
    # The calls are left out, because the report counts them.
    outputs = {
        system: json.dumps({key: output[key] for key in output if key != "calls"}, ensure_ascii=False, indent=1)
        for (owner, system), output in evaluation.outputs.items()
        if owner == name
    }
    failures = [failed for failed in evaluation.failed if failed.sample == name]
    return SamplePage(sample, file, list(texts.values()), outputs, failures, fmean(ranks) if ranks else None)


def render_sample_page(pages: Sequence[SamplePage], place: int) -> str:
    """Render the page at a place, counted from 0, in HTML with links to its neighbours."""
    return HTML_TEMPLATES.get_template("sample.html").render(pages=pages, place=place)
