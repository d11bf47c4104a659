"""Render a result document as one self-contained HTML page.

Comments float in the margin beside their quotes, placed by CSS without scripts. On narrow screens and on paper they
stand below the paragraph, so the page holds each comment twice and shows it once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from draftroom.rendering import blocks as b
from draftroom.rendering.blocks import Note, NotedPaper, ResultDocument
from tools.html_pages import build_template_environment


def render_html(document: ResultDocument) -> str:
    """Render a result document as the text of a self-contained HTML page."""
    notes = next((block for block in document.result if isinstance(block, NotedPaper)), None)
    return _TEMPLATES.get_template("document.html").render(document=document, notes=notes)


class QuotedPiece(NamedTuple):
    """Tuple of words of a paragraph and the comment that quotes them, or None; without words if not found."""

    text: str
    note: Note | None


class ShownParagraph(NamedTuple):
    """Tuple of a paragraph of the paper, its text split at quotes, and its computed findings."""

    paragraph: b.NotedParagraph
    pieces: list[QuotedPiece]
    computed: list[Note]


def group_notes_by_paragraph(notes: NotedPaper) -> tuple[list[ShownParagraph], list[Note]]:
    """Return the paragraphs split at the quotes of their comments, and the notes without a paragraph."""
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
    """Yield the pieces of a text between and within quotes; of two overlapping ones the first gets the words."""
    spans = []
    for note in notes:
        start = note.start if text.startswith(note.quote, note.start) else text.find(note.quote)
        # A note whose quote is missing stands at the beginning, without words.
        spans.append((start, start + len(note.quote), note) if start >= 0 else (0, 0, note))
    done = 0
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
