"""Cleaning of prose as a model decoded it: constrained decoding ends a text at its bound, and small models loop."""

from __future__ import annotations

from collections.abc import Iterable

from tools.sentences import sentences


def finished_paragraphs(paragraphs: Iterable[str]) -> list[str]:
    """Paragraphs with whole sentences only, each sentence once; empty if there is no whole one."""
    return without_repetition(whole_sentences(paragraph) for paragraph in paragraphs)


def whole_sentences(paragraph: str) -> str:
    """Drop an unfinished last sentence: decoding ends a paragraph at its bound, also in mid-sentence."""
    texts = [sentence.text for sentence in sentences(paragraph)]
    finished = texts if texts and texts[-1].rstrip("\"'”’)]").endswith((".", "!", "?")) else texts[:-1]
    return " ".join(finished)


def without_repetition(paragraphs: Iterable[str]) -> list[str]:
    """Leave out sentences that stand there already: a small model that loops says one over and over."""
    seen: set[str] = set()
    kept: list[str] = []
    for paragraph in paragraphs:
        fresh = dict.fromkeys(item.text for item in sentences(paragraph) if item.text.casefold() not in seen)
        seen.update(sentence.casefold() for sentence in fresh)
        kept += [" ".join(fresh)] if fresh else []
    return kept
