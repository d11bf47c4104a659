"""A Markdown text as words: its blocks without markup, its sentences, and only those that a model finished."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise
from typing import Final, NamedTuple

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


_END: Final = re.compile(r"(?<=[.!?])[\"'”’)\]]{0,3}\s(?=[\"'“‘(\[]{0,2}[^\W_])")
_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:et al|e\.g|i\.e|cf|vs|ca|approx|Figs?|Eqs?|Refs?|No|Drs?|Prof|Mr|Mrs|Ms|St|Jr|spp?|var)|\b[A-Z])\.$"
)
_SMALL_START: Final = re.compile(r"[\"'“‘(\[]{0,2}[a-z]")
_LONG_WORD: Final = re.compile(r"\b[^\W\d_]{4,}")
_ADDRESS: Final = re.compile(r"(?:https?://|www\.|doi:\s?|\b10\.\d{4,9}/)\S+")
_HYPHENS: Final = {0x2010: "-", 0x2011: "-"}  # the typographic hyphen and the one that does not break


class Sentence(NamedTuple):
    """A sentence, or a heading."""

    text: str
    heading: bool
    """Capitals carry no meaning in it: a Markdown heading, a line in title case, or a line of capitals."""


def sentences(text: str) -> list[Sentence]:
    """Splits a Markdown (or plain) text into sentences, without web addresses and DOIs."""
    found: list[Sentence] = []
    for block in blocks(text):
        words = " ".join(_ADDRESS.sub(" ", block.text.translate(_HYPHENS)).split())
        found.extend(Sentence(part, block.heading or _titled(part)) for part in _split(words))
    return found


def sentence_ends(text: str) -> list[int]:
    """Where another sentence begins in a text, all but the first."""
    ends = [0]
    for match in _END.finditer(text):
        before = text[max(ends[-1], match.start() - 12) : match.start()]
        if not _ABBREVIATION.search(before) and not _SMALL_START.match(text, match.end()):
            ends.append(match.end())
    return ends[1:]


def _split(text: str) -> list[str]:
    ends = [0, *sentence_ends(text), len(text)]
    return [part for start, end in pairwise(ends) if (part := text[start:end].strip())]


def _titled(sentence: str) -> bool:
    if sentence.isupper() and len(sentence.split()) > 1:
        return True
    words = _LONG_WORD.findall(sentence)
    return len(words) > 1 and not sentence.endswith((".", "!", "?")) and all(word[0].isupper() for word in words)


_REMAINS_OF_JSON = re.compile(r"\]\s*[\]}]|}\s*[\]}]|{\s*}|\[\s*\]")
"""Brackets that close, or hold nothing: a small model goes on writing the format inside a text."""
_WORD = re.compile(r"[^\W\d_]{2}")
_LEFT_IN_FRONT = re.compile(r"^(?:[.,;:)\]}]+\s+)+")
"""The end of something that is not there."""


def finished_paragraphs(paragraphs: Iterable[str]) -> list[str]:
    """Paragraphs with whole sentences of prose only, each sentence once; empty if there is none."""
    return without_repetition(whole_sentences(paragraph) for paragraph in paragraphs)


def whole_sentences(paragraph: str) -> str:
    """Drop what is no sentence, and an unfinished last one: decoding ends a paragraph at its bound, in mid-sentence."""
    texts = [sentence.text for sentence in sentences(_LEFT_IN_FRONT.sub("", paragraph))]
    finished = texts if texts and texts[-1].rstrip("\"'”’)]").endswith((".", "!", "?")) else texts[:-1]
    return " ".join(text for text in finished if _WORD.search(text) and not _REMAINS_OF_JSON.search(text))


def without_repetition(paragraphs: Iterable[str]) -> list[str]:
    """Leave out sentences that stand there already: a small model that loops says one over and over."""
    seen: set[str] = set()
    kept: list[str] = []
    for paragraph in paragraphs:
        fresh = dict.fromkeys(item.text for item in sentences(paragraph) if item.text.casefold() not in seen)
        seen.update(sentence.casefold() for sentence in fresh)
        kept += [" ".join(fresh)] if fresh else []
    return kept
