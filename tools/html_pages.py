"""Templates for self-contained HTML pages, without external scripts, fonts or pictures.

Text by models or people is untrusted: Jinja2 escapes it, and Markdown is rendered without HTML, links and images.
"""

from __future__ import annotations

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from tools.text import strip_control_characters

_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table").disable(["link", "image", "autolink"])


def build_template_environment(package: str) -> Environment:
    """Build the Jinja2 environment, with escaping and the filter `as_html`, for the folder `templates` of a package.

    Templates may extend `page.html`, which holds the common styles; control characters are not printed.
    """
    environment = Environment(
        loader=ChoiceLoader([PackageLoader(package), PackageLoader("tools")]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: strip_control_characters(value) if type(value) is str else value,
    )
    environment.filters["as_html"] = as_html
    return environment


def as_html(text: str) -> Markup:
    """Render Markdown as HTML that is safe in a page; HTML, links and images in it are shown as they are written."""
    return Markup(_MARKDOWN.render(strip_control_characters(text)))  # noqa: S704 - rendered with HTML switched off
