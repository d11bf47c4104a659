"""Report documents, the formats of figures in them, and rendering as HTML and Markdown.

A document is plain text. The templates escape it, because ids, names and messages come from files and models.
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

PAPER_ROW_PREFIX = "paper: "  # before the names of rows with published figures
_LINK_START = re.compile(r"\](?=[(\[:])")
_TAG_START = re.compile(r"<(?=[A-Za-z/!?])")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE_ONLY = MarkdownIt("zero").enable("backticks")


class Picture(NamedTuple):
    """A drawn figure as the bytes of an SVG file."""

    name: str
    """Name of the files, without suffix."""
    title: str
    svg: bytes


class ReportSection(NamedTuple):
    """A section of a report: its title and, where given, a text, points, a table and pictures."""

    title: str
    text: str = ""
    points: Sequence[str] = ()
    table: DataFrame | None = None
    words: int = 1
    """Number of the leading columns with words; the other columns hold figures."""
    pictures: Sequence[Picture] = ()

    @property
    def has_results(self) -> bool:
        """Whether there is more than a title and a text."""
        return bool(self.points or self.pictures) or (self.table is not None and len(self.table) > 0)


class ReportDocument(NamedTuple):
    """A report that is not rendered yet: its title, facts, summary and sections in plain text."""

    title: str
    facts: Sequence[str]
    summary: Sequence[str]
    sections: Sequence[ReportSection]


def build_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> DataFrame:
    """Build a DataFrame of texts, with each cell on a single line."""
    return DataFrame([[to_single_line(cell) for cell in row] for row in rows], columns=list(header), dtype=str)


def format_decimal(value: float | None, digits: int = 2) -> str:
    """Format a figure with a fixed number of decimals, or as a dash if it is missing (None or NaN)."""
    # Adding 0.0 turns a negative zero into zero.
    return "-" if value is None or isna(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def format_estimate(found: Interval | None, *, scale: float = 1.0, digits: int = 2, has_interval: bool = True) -> str:
    """Format a figure, multiplied by `scale`, with its interval in brackets, or as a dash if it is missing."""
    if found is None:
        return format_decimal(None)
    value, low, high = (format_decimal(scale * part, digits) for part in found)
    return f"{value} [{low}, {high}]" if has_interval else value


def describe_intervals(units: str) -> str:
    """Return the legend of the intervals in brackets; `units` are what was resampled, in the plural."""
    return f"In brackets: 95% intervals (bootstrap over the {units})."


def render_report_html(report: ReportDocument, **more: Any) -> str:
    """Render a report as an HTML page with its figures inside; `more` has variables of the template, e.g. `pages`."""
    return TEMPLATES.get_template("report.html").render(report=report, **more)


def render_report_markdown(report: ReportDocument) -> str:
    """Render a report as Markdown that links to the files of its figures."""
    return TEMPLATES.get_template("report.md").render(report=report)


def escape_markdown(text: str) -> str:
    """Return a text on one line, with the starts of tags, links, pictures and table cells escaped."""
    # Code spans and emphasis stay: the tasks' notes use them, and they are harmless elsewhere.
    text = to_single_line(text).replace("\\", "\\\\").replace("|", "\\|")
    return _TAG_START.sub("&lt;", _LINK_START.sub("\\]", text))


def _render_svg(picture: Picture) -> Markup:
    """Return a figure as an SVG element for HTML pages, with a label for screen readers."""
    # The XML declaration and the doctype before the element are not allowed inside HTML.
    drawn = _COMMENT.sub("", picture.svg.decode())
    drawn = drawn[drawn.index("<svg") + len("<svg") :]
    return Markup(f'<svg role="img" aria-label="{escape(strip_control_characters(picture.title))}"{drawn}')  # noqa: S704 - Matplotlib's


TEMPLATES = build_template_environment("evals.reports")
TEMPLATES.filters.update(
    # Only code between backticks is marked up.
    inline=lambda text: Markup(_CODE_ONLY.renderInline(strip_control_characters(text))),  # noqa: S704 - HTML is off
    svg=_render_svg,
    escaped=escape_markdown,  # for Markdown, where autoescape is off
)
