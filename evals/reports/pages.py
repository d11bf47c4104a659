"""The HTML pages of a run, which need nothing else: the report, lists of the samples, and a page for each sample.

A sample's page has what each row made of it, each text once, with what was measured of it and what changed from text to
text, and what the agents said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from math import inf
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from evals.datasets.samples import Kind
from evals.evaluation import Evaluation, Failed
from evals.reports.document import Picture, ReportDocument, figure, slug
from evals.reports.plots import INK, PAPER
from evals.scores import Scores
from evals.task import Item, Task
from runs.many import Record
from state.files import write_atomically
from tools.html_pages import templates
from tools.text import Change, plain, word_changes

GENERATOR = "Draftroom evaluation"
"""Marks the pages as ours, so that those of samples that are gone can be removed."""

_CODE_ONLY = MarkdownIt("zero").enable("backticks")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_PAGE = re.compile(r"[a-z0-9-]+-[0-9a-f]{16}\.html")
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

    titles: Sequence[str]
    """Of the rows that it belongs to."""
    text: str
    figures: Mapping[str, str]
    """By measure."""
    changes: Sequence[Change] = ()
    """From the source."""
    before: str = ""
    """Title of the same system's text before it."""
    revisions: Sequence[Change] = ()
    """From that text."""


class SamplePage(NamedTuple):
    """All that is known of a sample."""

    sample: str
    corpus: str
    title: str
    """Of the paper, if the corpus says it."""
    file: str
    originals: Sequence[ShownText]
    """The source, and the text by a person if there is one."""
    texts: Sequence[ShownText]
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


def sample_pages(evaluation: Evaluation, scores: Sequence[Scores]) -> list[SamplePage]:
    """A page for each sample, the worst first by `Task.ranked_by`, and before it those of which nothing was measured.

    Args:
        evaluation: A run, scored.
        scores: Where the pages' figures are taken from: those of the tables and of the charts.
    """
    figures = _measured(scores)
    pages = [_page(evaluation, sample, figures) for sample in evaluation.samples]
    return sorted(pages, key=lambda page: _badness(page, evaluation.task), reverse=True)


def best_first(pages: Sequence[SamplePage], task: Task) -> list[SamplePage]:
    """The pages the other way round, so that those of which nothing was measured come last.

    Args:
        pages: Worst first.
        task: What was evaluated.
    """
    turned = pages[::-1]  # also where two are as good as each other
    return sorted(turned, key=lambda page: _badness(page, task))


def _badness(page: SamplePage, task: Task) -> float:
    if page.rank is None:
        return inf
    return page.rank if task.measure(task.ranked_by).better == "lower" else -page.rank


def _page(evaluation: Evaluation, sample: Record, figures: _Measured) -> SamplePage:
    task, name = evaluation.task, sample["id"]
    items = evaluation.items(sample)
    systems = dict.fromkeys(row.system for row in task.rows if row.system)
    outputs = {each: evaluation.outputs[name, each] for each in systems if (name, each) in evaluation.outputs}
    return SamplePage(
        sample=name,
        corpus=sample["corpus"],
        title=sample.get("title") or "",
        file=page_name(name),
        originals=_originals(task, sample, items, figures),
        texts=_systems_texts(task, sample, items, figures),
        transcripts={system: task.transcript(sample, output) for system, output in outputs.items()},
        failures=[failed for failed in evaluation.failed if failed.sample == name],
        ranks=_ranks(task, name, items, figures),
    )


def _ranks(task: Task, sample: str, items: Mapping[str, Item], figures: _Measured) -> dict[str, float]:
    rows = [task.row(name) for name in items]
    values = {row.title: figures.get((row.name, sample), {}).get(task.ranked_by) for row in rows if row.system}
    return {title: value for title, value in values.items() if value is not None}


def _measured(scores: Iterable[Scores]) -> _Measured:
    """What the cells of tables and figures are means of."""
    lines = (line for each in scores for line in each.lines)
    columns = ((line.row.name, name, values) for line in lines for name, values in line.values.items())
    found: dict[tuple[str, str], dict[str, float]] = {}
    for row, measure, values in columns:
        for sample, value in values.items():
            found.setdefault((row, sample), {})[measure] = value
    return found


def _originals(task: Task, sample: Record, items: Mapping[str, Item], figures: _Measured) -> list[ShownText]:
    """The source, and the text by a person if there is one."""
    found = []
    for title, field in zip(("Source", "Written by a person"), _FIELDS[task.kind], strict=True):
        if text := sample[field]:
            rows = [name for name, item in items.items() if task.row(name).system is None and item.text == text]
            found.append(ShownText([title], text, _figures(task, sample, rows, figures)))
    return found


def _systems_texts(task: Task, sample: Record, items: Mapping[str, Item], figures: _Measured) -> list[ShownText]:
    """The texts of the systems. Rows that show the same version of a system's output share one."""
    rows: dict[tuple[str, int], list[str]] = {}
    for name, item in items.items():
        if system := task.row(name).system:
            rows.setdefault((system, item.version), []).append(name)
    source = sample[task.made_from] if task.made_from else ""
    found = []
    for (system, version), names in rows.items():
        text = items[names[0]].text
        shown = ShownText(_titles(task, names), text, _figures(task, sample, names, figures))
        if source and text:
            shown = shown._replace(changes=word_changes(source, text))
        if earlier := [each for name, each in rows if name == system and each < version]:
            before = rows[system, max(earlier)]
            revisions = word_changes(items[before[0]].text, text)
            shown = shown._replace(before=_titles(task, before)[0], revisions=revisions)
        found.append(shown)
    return found


def _titles(task: Task, rows: Sequence[str]) -> list[str]:
    return [task.row(name).title for name in rows]


def _figures(task: Task, sample: Record, rows: Sequence[str], figures: _Measured) -> dict[str, str]:
    """What was measured of any of the rows, in the order of the task's measures."""
    values = {name: value for row in rows for name, value in figures.get((row, sample["id"]), {}).items()}
    return {each.name: figure(values[each.name], each.digits) for each in task.measures if each.name in values}


def page_name(sample: str) -> str:
    """Name of a sample's page: no two ids share one, also where a file system ignores case."""
    return f"{slug(sample) or 'sample'}-{sha256(sample.encode()).hexdigest()[:16]}.html"


def is_page_name(name: str) -> bool:
    """Whether a file may be a sample's page."""
    return _PAGE.fullmatch(name) is not None


def report_page(document: ReportDocument) -> str:
    """The report, with its plots inside."""
    return _PAGES.get_template("report.html").render(document=document)


def list_pages(pages: Sequence[SamplePage], task: Task) -> dict[str, str]:
    """Lists of the samples, by the name of the file.

    Args:
        pages: Of the samples, worst first.
        task: What was evaluated.
    """
    template = _PAGES.get_template("samples.html")
    rows = [row.title for row in task.rows if any(row.title in page.ranks for page in pages)]
    digits = task.measure(task.ranked_by).digits if rows else 0
    render = partial(template.render, rows=rows, ranked_by=task.ranked_by, shown=partial(figure, digits=digits))
    return {
        "index.html": render(pages=pages, order="worst first"),
        "best-first.html": render(pages=best_first(pages, task), order="best first"),
    }


def sample_page(pages: Sequence[SamplePage], place: int) -> str:
    """The page of the sample at a place, from 0, with links to its neighbours."""
    return _PAGES.get_template("sample.html").render(
        page=pages[place],
        place=place + 1,
        total=len(pages),
        before=pages[place - 1] if place else None,
        after=pages[place + 1] if place + 1 < len(pages) else None,
    )


def write_sample_pages(folder: Path, pages: Sequence[SamplePage], task: Task) -> None:
    """Write the pages of the samples and their lists, and remove those of samples that the run no longer has.

    Files that are not ours are left alone.

    Args:
        folder: Where they lie.
        pages: Of the samples, worst first.
        task: What was evaluated.

    Raises:
        OSError: The folder cannot be written.
    """
    folder.mkdir(exist_ok=True)
    for place, page in enumerate(pages):
        write_atomically(folder / page.file, sample_page(pages, place).encode())
    for name, text in list_pages(pages, task).items():
        write_atomically(folder / name, text.encode())
    kept = {page.file for page in pages}
    for path in folder.iterdir():
        if path.name not in kept and is_page_name(path.name) and _is_ours(path):
            path.unlink()


def _is_ours(path: Path) -> bool:
    return path.is_file() and f'content="{GENERATOR}"'.encode() in path.read_bytes()[:1000]


def _inline(text: str) -> Markup:
    """Text with what stands between backticks as code."""
    return Markup(_CODE_ONLY.renderInline(plain(text)))  # noqa: S704 - rendered with HTML switched off


def _svg(picture: Picture) -> Markup:
    """A plot as an element of the page, in the page's own colours."""
    drawn = _COMMENT.sub("", picture.svg.decode())
    drawn = drawn[drawn.index("<svg") + len("<svg") :].replace(INK, "currentColor").replace(PAPER, "none")
    return Markup(f'<svg role="img" aria-label="{escape(plain(picture.description))}"{drawn}')  # noqa: S704 - Matplotlib's


_PAGES = templates("evals.reports")
_PAGES.globals["generator"] = GENERATOR
_PAGES.filters.update(inline=_inline, svg=_svg)
