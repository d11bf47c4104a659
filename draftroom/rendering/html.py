"""The run as one HTML page that needs nothing else: no script, no font, no picture from elsewhere.

Everything that models or people wrote is data: Jinja2 escapes it, and Markdown is rendered without HTML, links or
images.
"""

from __future__ import annotations

from jinja2 import Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from draftroom.consoles import plain
from draftroom.records import RunRecord
from draftroom.rendering.curve import HEIGHT, MEASURES, WIDTH, drawing
from draftroom.rendering.rounds import Values, rounds, selected_round, unsupported_facts, warnings

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])
_PAGES = Environment(
    loader=PackageLoader("draftroom.rendering"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
    finalize=lambda value: plain(value) if type(value) is str else value,
)


def to_html(record: RunRecord, values: Values) -> str:
    """The page: article, readability, every round with its changes, notes and advice, and where it all came from."""
    assessments = values.get("assessments", [])
    return _PAGES.get_template("run.html").render(
        record=record,
        paper=values.get("source") or record["input"]["paper"],
        article=_markdown(values.get("article", "")),
        selected=selected_round(values),
        because=values.get("selected_because", ""),
        stop_reason=values.get("stop_reason", ""),
        assessments=assessments,
        measures=MEASURES,
        curve=drawing(assessments) if assessments else None,
        width=WIDTH,
        height=HEIGHT,
        facts=unsupported_facts(values),
        warnings=warnings(values),
        rounds=rounds(values),
        as_html=_markdown,
    )


def _markdown(text: str) -> Markup:
    return Markup(_MARKDOWN.render(plain(text)))  # noqa: S704 - rendered with HTML switched off
