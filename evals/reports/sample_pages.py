"""A page for each sample: what each row made of it, what was measured, and what the agents left."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import inf
from statistics import fmean
from typing import NamedTuple

from evals.datasets.samples import SampleKind
from evals.evaluation import Evaluation, FailedRun
from evals.reports.document import HTML_TEMPLATES, format_decimal
from evals.reports.figures import make_slug
from runs.jobs import Record

_TEXT_FIELDS: dict[SampleKind, tuple[str, str]] = {
    "journalism": ("abstract", "summary"),
    "simplification": ("source", "target"),
    "feedback": ("paragraph", "feedback"),
}
"""Where a sample has its source, and the text by a person."""
_MeasuredValues = Mapping[tuple[str, str], Mapping[str, float]]
"""What was measured, by row and sample, then by measure."""


class PageText(NamedTuple):
    """A text as a page shows it."""

    title: str
    """Of the rows that it belongs to."""
    text: str
    figures: Sequence[str] = ()


class SamplePage(NamedTuple):
    """All that is known of a sample."""

    sample: str
    corpus: str
    title: str
    """Of the paper, if the corpus says it."""
    file: str
    texts: Sequence[PageText]
    """The source, the text by a person if there is one, and those of the systems."""
    outputs: Mapping[str, str]
    """What the agents left, as JSON, by system."""
    failures: Sequence[FailedRun]
    rank: float | None
    """The measure that orders the pages, as the mean over the rows of systems; None if nothing was measured."""


def build_sample_pages(evaluation: Evaluation) -> list[SamplePage]:
    """A page for each sample, the worst first by `Task.ranked_by`, before it those of which nothing was measured."""
    measured: dict[tuple[str, str], dict[str, float]] = {}
    for scores in (*evaluation.scores, *(chart.scores for chart in evaluation.charts)):
        for line in scores.lines:
            for measure, values in line.values.items():
                for sample, value in values.items():
                    measured.setdefault((line.row.name, sample), {})[measure] = value
    pages = [_build_sample_page(evaluation, sample, measured) for sample in evaluation.samples]
    ranked_by = evaluation.task.ranked_by
    sign = 1 if ranked_by and evaluation.task.find_measure(ranked_by).better == "lower" else -1
    return sorted(pages, key=lambda page: inf if page.rank is None else sign * page.rank, reverse=True)


def _build_sample_page(evaluation: Evaluation, sample: Record, measured: _MeasuredValues) -> SamplePage:
    task, name = evaluation.task, sample["id"]
    originals = zip(("Source", "Written by a person"), _TEXT_FIELDS[task.kind], strict=True)
    texts = {title: PageText(title, sample[field]) for title, field in originals if sample[field]}
    ranks = []
    for row, item in evaluation.collect_sample_items(sample).items():
        if not task.find_row(row).system:
            continue
        values = measured.get((row, name), {})
        said = [
            f"{each.name} {format_decimal(values[each.name], each.digits)}"
            for each in task.measures
            if each.name in values
        ]
        same = texts.get(item.text)  # rows that show one version of a system's output share it
        title = f"{same.title}; {task.find_row(row).title}" if same else task.find_row(row).title
        texts[item.text] = PageText(title, item.text, said or (same.figures if same else ()))
        ranks += [values[task.ranked_by]] if task.ranked_by in values else []
    return SamplePage(
        sample=name,
        corpus=sample["corpus"],
        title=sample.get("title") or "",
        file=make_page_name(name),
        texts=list(texts.values()),
        outputs={
            system: _serialize_output(output) for (of, system), output in evaluation.outputs.items() if of == name
        },
        failures=[failed for failed in evaluation.failed if failed.sample == name],
        rank=fmean(ranks) if ranks else None,
    )


def _serialize_output(output: Record) -> str:
    """All but the calls, which are counted elsewhere."""
    return json.dumps({key: value for key, value in output.items() if key != "calls"}, ensure_ascii=False, indent=1)


def make_page_name(sample: str) -> str:
    """Name of a sample's page: no two ids share one, also where a file system ignores case."""
    return f"{make_slug(sample) or 'sample'}-{sha256(sample.encode()).hexdigest()[:16]}.html"


def render_sample_page(pages: Sequence[SamplePage], place: int) -> str:
    """The page of the sample at a place, from 0, with links to its neighbours."""
    before, after = (pages[each] if 0 <= each < len(pages) else None for each in (place - 1, place + 1))
    return HTML_TEMPLATES.get_template("sample.html").render(
        page=pages[place], place=place + 1, total=len(pages), before=before, after=after
    )
