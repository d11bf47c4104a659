"""The words of a Markdown text without its markup, block by block."""

from __future__ import annotations

from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Plain text and text taken from a PDF pass through the same parser, so what would swallow their words is switched off:
# HTML, link definitions, and code made by indentation.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["code", "reference"])


class TextBlock(NamedTuple):
    """A heading, a paragraph, a list item or a table cell."""

    text: str
    """Its words on one line, without heading, list and emphasis marks."""
    heading: bool


def blocks(text: str) -> list[TextBlock]:
    """Splits a Markdown (or plain) text into its blocks, in order; empty blocks are left out."""
    found: list[TextBlock] = []
    tokens = _MARKDOWN.parse(text)
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.type == "inline":
            heading = before is not None and before.type == "heading_open"
            found.append(TextBlock(_on_one_line(_words(token)), heading))
        elif token.type == "fence":
            found.extend(TextBlock(_on_one_line(part), heading=False) for part in token.content.split("\n\n"))
    return [block for block in found if block.text]


def _words(inline: Token) -> str:
    return "".join(
        " " if child.type in {"softbreak", "hardbreak"} else child.content for child in inline.children or []
    )


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
