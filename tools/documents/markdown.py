"""Markdown to plain text, as far as a language model needs it: prose, headings, lists and code stay as written."""

from __future__ import annotations

import re

_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)")
_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)[^\n]*+\n(?:.*\n)*?(?: {0,3}\1[`~]*[ \t]*$|.*\Z)", re.MULTILINE)
_DEFINITION = re.compile(r"^ {0,3}\[[^\[\]\n]+\]:[ \t]*\S+.*\n?", re.MULTILINE)
_CODE_OR_LINK = re.compile(
    r"(?P<code>`[^`\n]+`)"
    r"|!?\[(?P<text>[^\[\]\n]*)\](?:\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+\"[^\"\n]*\")?\)|\[[^\[\]\n]*\])"
    r"|<(?P<address>(?:https?|mailto):[^<>\s]+)>"
)


def plain_markdown(text: str) -> str:
    """Text without front matter; images and links become their text, code stays as it is."""
    text = without_front_matter(text)
    parts: list[str] = []
    end = 0
    for fence in _FENCE.finditer(text):
        parts += [_plain_prose(text[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join([*parts, _plain_prose(text[end:])])


def without_front_matter(text: str) -> str:
    """Text without the settings above it."""
    return _FRONT_MATTER.sub("", text, count=1) if _FRONT_MATTER.match(text) else text


def _plain_prose(text: str) -> str:
    text = _DEFINITION.sub("", text)
    return _CODE_OR_LINK.sub(_text_of, _CODE_OR_LINK.sub(_text_of, text))  # twice: an image may stand inside a link


def _text_of(match: re.Match[str]) -> str:
    return match["code"] or match["address"] or match["text"] or ""
