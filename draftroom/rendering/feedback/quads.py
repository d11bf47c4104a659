"""Where on its pages a quote stands: one box a line, in the coordinates that annotations use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from state.documents import Word

_SAME_LINE = 0.5
"""Share of the height of the lower one that two words of a line have in common at least; indices are that low."""
_TURNS = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}
"""Cosine and sine of the angle by which a viewer turns a page."""


class Box(NamedTuple):
    """A box in points from the lower left corner of the page."""

    x0: float
    y0: float
    x1: float
    y1: float


def words_between(words: Iterable[Word], start: int, end: int) -> list[Word]:
    """The words of which characters lie between two offsets."""
    return [word for word in words if word["start"] < end and word["end"] > start]


def quads(words: Iterable[Word], rotation: int) -> list[list[float]]:
    """A quadrilateral a line for words of one page (ISO 32000-1, 12.5.6.10).

    The corners come in the order that viewers expect, whatever the standard says: upper left, upper right, lower left,
    lower right as the text is read.

    Args:
        words: In reading order.
        rotation: Of the page, clockwise in degrees.
    """
    cosine, sine = _TURNS[rotation % 360]
    lines = _lines(_upright(Box(*word["box"]), cosine, sine) for word in words)
    corners = [((b.x0, b.y1), (b.x1, b.y1), (b.x0, b.y0), (b.x1, b.y0)) for b in lines]
    return [[at for u, v in line for at in (cosine * u - sine * v, sine * u + cosine * v)] for line in corners]


def bounds(quadrilaterals: Iterable[list[float]]) -> Box:
    """The smallest box around all of them."""
    xs = [x for quad in quadrilaterals for x in quad[::2]]
    ys = [y for quad in quadrilaterals for y in quad[1::2]]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _upright(box: Box, cosine: int, sine: int) -> Box:
    """The box as the page is shown."""
    us = [cosine * x + sine * y for x, y in ((box.x0, box.y0), (box.x1, box.y1))]
    vs = [cosine * y - sine * x for x, y in ((box.x0, box.y0), (box.x1, box.y1))]
    return Box(min(us), min(vs), max(us), max(vs))


def _lines(boxes: Iterable[Box]) -> Iterator[Box]:
    """Boxes of words to boxes of lines; a line ends where the next word is not to the right of it at its height."""
    line: Box | None = None
    for box in boxes:
        if line and box.x0 >= line.x0 and _overlap(line, box) >= _SAME_LINE * min(line.y1 - line.y0, box.y1 - box.y0):
            line = Box(line.x0, min(line.y0, box.y0), max(line.x1, box.x1), max(line.y1, box.y1))
            continue
        if line:
            yield line
        line = box
    if line:
        yield line


def _overlap(a: Box, b: Box) -> float:
    return min(a.y1, b.y1) - max(a.y0, b.y0)
