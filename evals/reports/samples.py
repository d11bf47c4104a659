"""A page for each sample: what each row made of it, what was measured, and what the agents left."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from math import inf
from statistics import fmean
from typing import NamedTuple

from evals.datasets.samples import Kind
from evals.evaluation import Evaluation, Failed
from evals.reports.document import PAGES, figure
from evals.reports.figures import slug
from runs.many import Record

_FIELDS: dict[Kind, tuple[str, str]] = {
    "journalism": ("abstract", "summary"),
    "simplification": ("source", "target"),
    "feedback": ("paragraph", "feedback"),
}
"""Where a sample has its source, and the text by a person."""
_Measured = Mapping[tuple[str, str], Mapping[str, float]]
"""What was measured, by row and sample, then by measure."""


class ShownText(NamedTuple):
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
    texts: Sequence[ShownText]
    """The source, the text by a person if there is one, and those of the systems."""
    outputs: Mapping[str, str]
    """What the agents left, as JSON, by system."""
    failures: Sequence[Failed]
    rank: float | None
    """The measure that orders the pages, as the mean over the rows of systems; None if nothing was measured."""


def sample_pages(evaluation: Evaluation) -> list[SamplePage]:
    """A page for each sample, the worst first by `Task.ranked_by`, before it those of which nothing was measured."""
    measured: dict[tuple[str, str], dict[str, float]] = {}
    for scores in (*evaluation.scores, *(chart.scores for chart in evaluation.charts)):
        for line in scores.lines:
            for measure, values in line.values.items():
                for sample, value in values.items():
                    measured.setdefault((line.row.name, sample), {})[measure] = value
    pages = [_page(evaluation, sample, measured) for sample in evaluation.samples]
    ranked_by = evaluation.task.ranked_by
    sign = 1 if ranked_by and evaluation.task.measure(ranked_by).better == "lower" else -1
    return sorted(pages, key=lambda page: inf if page.rank is None else sign * page.rank, reverse=True)


def _page(evaluation: Evaluation, sample: Record, measured: _Measured) -> SamplePage:
    task, name = evaluation.task, sample["id"]
    originals = zip(("Source", "Written by a person"), _FIELDS[task.kind], strict=True)
    texts = {title: ShownText(title, sample[field]) for title, field in originals if sample[field]}
    ranks = []
    for row, item in evaluation.items(sample).items():
        if not task.row(row).system:
            continue
        values = measured.get((row, name), {})
        said = [
            f"{each.name} {figure(values[each.name], each.digits)}" for each in task.measures if each.name in values
        ]
        same = texts.get(item.text)  # rows that show one version of a system's output share it
        title = f"{same.title}; {task.row(row).title}" if same else task.row(row).title
        texts[item.text] = ShownText(title, item.text, said or (same.figures if same else ()))
        ranks += [values[task.ranked_by]] if task.ranked_by in values else []
    return SamplePage(
        sample=name,
        corpus=sample["corpus"],
        title=sample.get("title") or "",
        file=page_name(name),
        texts=list(texts.values()),
        outputs={system: _as_json(output) for (of, system), output in evaluation.outputs.items() if of == name},
        failures=[failed for failed in evaluation.failed if failed.sample == name],
        rank=fmean(ranks) if ranks else None,
    )


def _as_json(output: Record) -> str:
    """All but the calls, which are counted elsewhere."""
    return json.dumps({key: value for key, value in output.items() if key != "calls"}, ensure_ascii=False, indent=1)


def page_name(sample: str) -> str:
    """Name of a sample's page: no two ids share one, also where a file system ignores case."""
    return f"{slug(sample) or 'sample'}-{sha256(sample.encode()).hexdigest()[:16]}.html"


def as_page(pages: Sequence[SamplePage], place: int) -> str:
    """The page of the sample at a place, from 0, with links to its neighbours."""
    before, after = (pages[each] if 0 <= each < len(pages) else None for each in (place - 1, place + 1))
    return PAGES.get_template("sample.html").render(
        page=pages[place], place=place + 1, total=len(pages), before=before, after=after
    )
