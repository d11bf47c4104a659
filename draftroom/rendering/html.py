"""A document as one HTML page that needs nothing else.

A comment stands in the margin as a float at its quote, so that style sheets alone keep it in place and off the others;
on a narrow screen and on paper it stands below the paragraph. The page holds it twice and shows it once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from draftroom.rendering import blocks as b
from draftroom.rendering.blocks import LineChart, Note, NotedPaper, ResultDocument
from tools.html_pages import templates

WIDTH, HEIGHT = 640, 300
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 70, 16, 30
_LABEL = 14  # least distance of two labels


def write_html(document: ResultDocument) -> str:
    """Write the page."""
    notes = next((block for block in document.result if isinstance(block, NotedPaper)), None)
    return _PAGES.get_template("document.html").render(document=document, notes=notes)


class QuotedPiece(NamedTuple):
    """Words of a paragraph, and the comment that quotes them; no words if the paragraph has lost them."""

    text: str
    note: Note | None


class ShownParagraph(NamedTuple):
    """A paragraph of the paper with what is said about it."""

    paragraph: b.NotedParagraph
    pieces: list[QuotedPiece]
    computed: list[Note]


def place_notes(notes: NotedPaper) -> tuple[list[ShownParagraph], list[Note]]:
    """Cut each paragraph at the quotes of its comments; the second part are notes about no paragraph."""
    by_paragraph: dict[str, list[Note]] = defaultdict(list)
    for note in notes.notes:
        by_paragraph[note.paragraph].append(note)
    shown = []
    for paragraph in notes.paper:
        own = by_paragraph.pop(paragraph.id, [])
        pieces = list(_cut(paragraph.text, [note for note in own if note.rank]))
        shown.append(ShownParagraph(paragraph, pieces, [note for note in own if not note.rank]))
    return shown, [note for rest in by_paragraph.values() for note in rest]


def _cut(text: str, notes: list[Note]) -> Iterator[QuotedPiece]:
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


class Polyline(NamedTuple):
    """One series as points of the drawing."""

    label: str
    points: list[tuple[float, float]]
    label_y: float
    """Height of the label: that of the last point, moved so that no label lies on another."""


class Drawing(NamedTuple):
    """Coordinates in a field of `WIDTH` by `HEIGHT`, y pointing down, with the marks of both axes."""

    lines: list[Polyline]
    heights: list[tuple[float, str]]
    places: list[tuple[float, str]]


def draw(chart: LineChart) -> Drawing:
    """Lay a chart out."""
    values = [value for series in chart.series.values() for value in series]
    low, high = int(min(values)) - 1, int(max(values)) + 2
    span = max(len(chart.labels) - 1, 1)

    def x(place: int) -> float:
        return round(_LEFT + place * (WIDTH - _LEFT - _RIGHT) / span, 1)

    def y(value: float) -> float:
        return round(_TOP + (high - value) * (HEIGHT - _TOP - _BOTTOM) / (high - low), 1)

    ends = spread([y(series[-1]) for series in chart.series.values()], _LABEL, HEIGHT - _BOTTOM)
    lines = [
        Polyline(label, [(x(place), y(value)) for place, value in enumerate(series)], end)
        for (label, series), end in zip(chart.series.items(), ends, strict=True)
    ]
    marks = range(low, high + 1, max(1, (high - low) // 6))
    return Drawing(
        lines, [(y(mark), str(mark)) for mark in marks], [(x(place), label) for place, label in enumerate(chart.labels)]
    )


def spread(wanted: Sequence[float], gap: float, lowest: float) -> list[float]:
    """Return heights at least `gap` apart, in the order of those wanted and near them, none below `lowest`."""
    placed, order = list(wanted), sorted(range(len(wanted)), key=wanted.__getitem__)
    for above, place in pairwise(order):
        placed[place] = max(placed[place], placed[above] + gap)
    for rest, place in enumerate(reversed(order)):
        placed[place] = min(placed[place], lowest - rest * gap)
    return placed


_PAGES = templates("draftroom.rendering")
_PAGES.filters["slug"] = lambda label: label.lower().replace(" ", "-")
_PAGES.tests["block"] = lambda block, name: type(block).__name__ == name
_PAGES.globals |= {"draw": draw, "place_notes": place_notes, "chart_width": WIDTH, "chart_height": HEIGHT}
