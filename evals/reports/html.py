"""A report as HTML pages that need nothing else."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from markdown_it import MarkdownIt
from markupsafe import Markup, escape

from evals.reports.document import Document, Picture
from evals.reports.figure_style import INK, PAPER
from evals.reports.notation import figure
from evals.reports.samples import Page, best_first
from evals.task import Task
from tools.html_pages import templates
from tools.plain_characters import plain

GENERATOR = "Draftroom evaluation"
"""Marks the pages as ours, so that those of samples that are gone can be removed."""

_CODE_ONLY = MarkdownIt("zero").enable("backticks")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def report_page(document: Document) -> str:
    """The report, with its plots inside."""
    return _PAGES.get_template("report.html").render(document=document)


def list_pages(pages: Sequence[Page], task: Task) -> dict[str, str]:
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


def sample_page(pages: Sequence[Page], place: int) -> str:
    """The page of the sample at a place, from 0, with links to its neighbours."""
    return _PAGES.get_template("sample.html").render(
        page=pages[place],
        place=place + 1,
        total=len(pages),
        before=pages[place - 1] if place else None,
        after=pages[place + 1] if place + 1 < len(pages) else None,
    )


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
