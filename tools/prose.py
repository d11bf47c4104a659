"""Cleaning of prose as a model decoded it: constrained decoding ends a text at its bound, and small models loop."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tools.sentences import sentences

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
