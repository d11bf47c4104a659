"""HTML pages that need nothing else: no script, no font, no picture from elsewhere.

Everything that models or people wrote is data: Jinja2 escapes it, and Markdown is rendered without HTML, links or
images.
"""

from __future__ import annotations

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from tools.text import strip_control_characters

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])


def build_template_environment(package: str) -> Environment:
    """The templates of a package, which may extend `page.html`, which has the styles of all pages.

    They know the filter `as_html` and print no control characters.
    """
    found = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("tools")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: strip_control_characters(value) if type(value) is str else value,
    )
    found.filters["as_html"] = as_html
    return found


def as_html(text: str) -> Markup:
    """Markdown rendered."""
    return Markup(_MARKDOWN.render(strip_control_characters(text)))  # noqa: S704 - rendered with HTML switched off
