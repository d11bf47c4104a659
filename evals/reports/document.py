"""A report before anybody prints it: sentences, tables and pictures, and how figures are written in them.

All of it is plain text: whoever prints it escapes it, because ids, names and messages come from files and models.
Templates print it as HTML and Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markupsafe import Markup, escape
from pandas import DataFrame, isna

from evals.statistics import Interval
from tools.html_pages import build_template_environment
from tools.text import strip_control_characters, to_single_line

PAPER_ROW_PREFIX = "paper: "
"""How the name of a row begins that is printed in the paper, and was not measured here."""
_LINK_START = re.compile(r"\](?=[(\[:])")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE_ONLY = MarkdownIt("zero").enable("backticks")


class Picture(NamedTuple):
    """A figure, in both formats."""

    name: str
    """Of its files, without their endings."""
    title: str
    svg: bytes
    png: bytes


class ReportSection(NamedTuple):
    """A part of a report; what it lacks is empty."""

    title: str
    text: str = ""
    points: Sequence[str] = ()
    table: DataFrame | None = None
    words: int = 1
    """How many of the table's columns, the first ones, hold words; all others hold figures."""
    pictures: Sequence[Picture] = ()


class ReportDocument(NamedTuple):
    """A report."""

    title: str
    facts: Sequence[str]
    """What it is about: paper, models, samples."""
    summary: Sequence[str]
    """What a reader wants to know first."""
    sections: Sequence[ReportSection]


def build_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> DataFrame:
    """A table of text."""
    return DataFrame([[to_single_line(cell) for cell in row] for row in rows], columns=list(header), dtype=str)


def format_decimal(value: float | None, digits: int = 2) -> str:
    """A figure with so many digits after the point, or a dash where there is none; there is no negative zero."""
    return "-" if value is None or isna(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def format_difference(value: float, digits: int) -> str:
    """A figure with its sign."""
    return f"{round(value, digits) + 0.0:+.{digits}f}"


def format_bounds(low: float, high: float, digits: int) -> str:
    """Both ends of an interval."""
    return f"[{format_decimal(low, digits)}, {format_decimal(high, digits)}]"


def format_estimate(found: Interval | None, *, scale: float = 1.0, digits: int = 2) -> str:
    """A figure with its interval, or a dash where there is none."""
    if found is None:
        return format_decimal(None)
    value, low, high = (scale * part for part in found)
    return f"{format_decimal(value, digits)} {format_bounds(low, high, digits)}"


def format_p_value(value: float) -> str:
    """A p-value; the smallest ones are no more exact than that."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def describe_intervals(units: str) -> str:
    """Says what stands in brackets.

    Args:
        units: What was resampled: "samples".
    """
    return f"In brackets: 95% intervals (bootstrap over the {units})."


def render_report_html(report: ReportDocument, **more: Any) -> str:
    """The report as a page, with its figures inside.

    Args:
        report: What is printed.
        more: Of the samples' pages, which are linked.
    """
    return HTML_TEMPLATES.get_template("report.html").render(report=report, **more)


def render_report_markdown(report: ReportDocument) -> str:
    """The report as Markdown, with links to its figures."""
    return _MARKDOWN_TEMPLATES.get_template("report.md").render(report=report)


def escape_markdown(text: str) -> str:
    """Text on one line that opens no tag, no link, no picture and no table cell.

    Code spans and emphasis are left as they are: the tasks' notes use them, and they do no harm elsewhere.
    """
    text = to_single_line(text).replace("\\", "\\\\").replace("|", "\\|")
    return _TAG_START.sub("&lt;", _LINK_START.sub("\\]", text))


def _render_inline_code(text: str) -> Markup:
    """Text with what stands between backticks as code."""
    return Markup(_CODE_ONLY.renderInline(strip_control_characters(text)))  # noqa: S704 - rendered with HTML switched off


def _render_svg(picture: Picture) -> Markup:
    """A figure as an element of the page."""
    drawn = _COMMENT.sub("", picture.svg.decode())
    drawn = drawn[drawn.index("<svg") + len("<svg") :]
    return Markup(f'<svg role="img" aria-label="{escape(strip_control_characters(picture.title))}"{drawn}')  # noqa: S704 - Matplotlib's


HTML_TEMPLATES = build_template_environment("evals.reports")
HTML_TEMPLATES.filters.update(inline=_render_inline_code, svg=_render_svg)
_MARKDOWN_TEMPLATES = build_template_environment("evals.reports")
_MARKDOWN_TEMPLATES.autoescape = False
_MARKDOWN_TEMPLATES.filters["escaped"] = escape_markdown
