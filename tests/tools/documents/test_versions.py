"""Paragraphs of a new version beside those of the one before."""

from __future__ import annotations

from state.documents import Paragraph
from tools.documents.versions import match_paragraphs


def paragraphs(**texts: str) -> list[Paragraph]:
    return [Paragraph(id=name, section="", text=text, page=0, words=[]) for name, text in texts.items()]


def names(before: list[Paragraph], after: list[Paragraph]) -> dict[str, str]:
    return {old: new["id"] for old, new in match_paragraphs(before, after).items()}


TEA = "The seedlings that were watered with cold tea grew taller than the others after three weeks."
REWRITTEN = "The seedlings that were watered with cold tea were no taller than the others after three weeks."


def test_a_repeated_paragraph_is_paired_once_each():
    assert names(paragraphs(p1=TEA, p2=TEA), paragraphs(p1=TEA, p2=TEA)) == {"p1": "p1", "p2": "p2"}


def test_the_more_alike_one_is_chosen():
    after = paragraphs(p1="The seedlings that were watered grew, after three weeks, taller than we were.", p2=REWRITTEN)
    assert names(paragraphs(p1=TEA), after) == {"p1": "p2"}
