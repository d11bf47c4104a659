"""A document as one HTML page that needs nothing else.

A comment stands in the margin as a float at its quote, so that style sheets alone keep it in place and off the others;
on a narrow screen and on paper it stands below the paragraph. The page holds it twice and shows it once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from draftroom.rendering import blocks as b
from draftroom.rendering.blocks import Note, NotedPaper, ResultDocument
from tools.html_pages import build_template_environment


def render_html(document: ResultDocument) -> str:
    """Write the page."""
    notes = next((block for block in document.result if isinstance(block, NotedPaper)), None)
    return _TEMPLATES.get_template("document.html").render(document=document, notes=notes)


class QuotedPiece(NamedTuple):
    """Words of a paragraph, and the comment that quotes them; no words if the paragraph has lost them."""

    text: str
    note: Note | None


class ShownParagraph(NamedTuple):
    """A paragraph of the paper with what is said about it."""

    paragraph: b.NotedParagraph
    pieces: list[QuotedPiece]
    computed: list[Note]


def group_notes_by_paragraph(notes: NotedPaper) -> tuple[list[ShownParagraph], list[Note]]:
    """Cut each paragraph at the quotes of its comments; the second part are notes about no paragraph."""
    by_paragraph: dict[str, list[Note]] = defaultdict(list)
    for note in notes.notes:
        by_paragraph[note.paragraph].append(note)
    shown = []
    for paragraph in notes.paper:
        own = by_paragraph.pop(paragraph.id, [])
        pieces = list(_split_at_quotes(paragraph.text, [note for note in own if note.rank]))
        shown.append(ShownParagraph(paragraph, pieces, [note for note in own if not note.rank]))
    return shown, [note for rest in by_paragraph.values() for note in rest]


def _split_at_quotes(text: str, notes: list[Note]) -> Iterator[QuotedPiece]:
    """Cut a text at the quotes; where quotes overlap, the words belong to the first of them."""
    done = 0
    spans = []
    for note in notes:
        start = note.start if text.startswith(note.quote, note.start) else text.find(note.quote)
        # A quote that is not there stands at the beginning, with no words.
        spans.append((start, start + len(note.quote), note) if start >= 0 else (0, 0, note))
    for start, end, note in sorted(spans, key=lambda span: (*span[:2], span[2].rank)):
        if start > done:
            yield QuotedPiece(text[done:start], None)
        yield QuotedPiece(text[max(start, done) : end], note)
        done = max(done, end)
    if done < len(text):
        yield QuotedPiece(text[done:], None)


_TEMPLATES = build_template_environment("draftroom.rendering")
_TEMPLATES.filters["slug"] = lambda label: label.lower().replace(" ", "-")
_TEMPLATES.tests["block"] = lambda block, name: type(block).__name__ == name
_TEMPLATES.globals["place_notes"] = group_notes_by_paragraph
