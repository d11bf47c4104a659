"""A run as one HTML page that needs nothing else: no script, no font, no picture from elsewhere.

Everything that models or people wrote is data: Jinja2 escapes it, and Markdown is rendered without HTML, links or
images.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from draftroom.consoles import plain, spoken
from draftroom.records import RunRecord
from draftroom.rendering.notes import warnings

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])


def page(template: str, record: RunRecord, values: Mapping[str, Any], unit: str, **variables: Any) -> str:
    """Fill a template that extends `base.html`.

    Args:
        template: Its file name.
        record: Of the run.
        values: State of the graph.
        unit: What the system counts its calls by: round or entry.
        variables: What this template needs besides.
    """
    return _PAGES.get_template(template).render(
        record=record,
        paper=values.get("source") or record["input"]["paper"],
        warnings=warnings(values, unit),
        unit=unit,
        **variables,
    )


def as_html(text: str) -> Markup:
    """Markdown rendered."""
    return Markup(_MARKDOWN.render(plain(text)))  # noqa: S704 - rendered with HTML switched off


_PAGES = Environment(
    loader=PackageLoader("draftroom.rendering"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=lambda value: plain(value) if type(value) is str else value,
)
_PAGES.filters.update(as_html=as_html, spoken=spoken)
