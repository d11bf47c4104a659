"""Which pieces of a PDF page a reader would not see, and why.

Coordinates are those of the page as it is shown, in points from the lower left corner of its media box.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from pdfminer.pdfcolor import PDFColorSpace
from pdfminer.utils import PathSegment, Rect

from tools.documents.pdf.pieces import Piece, Reason

_VISIBLE_CONTRAST = 0.1  # of the range of a colour channel
_SMALLEST_TYPE = 3.0  # points

Colour = tuple[float, float, float]


class Shape(NamedTuple):
    """A filled path or an image."""

    box: Rect
    colour: Colour | None
    """None if it cannot be told, as for images and patterns."""
    opaque: bool
    """Whether it hides everything in its box."""


class Glyphs(NamedTuple):
    """A piece before it is known what is painted around it."""

    piece: Piece
    colour: Colour | None
    drawn: bool
    beneath: int
    """How many shapes were painted before."""


def visible_or_reason(glyphs: Glyphs, shapes: Sequence[Shape], shown: Rect) -> Reason:
    """Why a piece cannot be seen; empty if it can.

    Args:
        glyphs: The piece as it was painted.
        shapes: All shapes of the page in the order of painting.
        shown: The part of the page that viewers show.
    """
    x0, y0, x1, y1 = glyphs.piece["box"]
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if not holds(shown, x, y):
        return "off page"
    if not glyphs.drawn or any(_covers(shape, glyphs.piece["box"]) for shape in shapes[glyphs.beneath :]):
        return "not drawn"
    if glyphs.piece["size"] < _SMALLEST_TYPE:
        return "size"
    behind = (shape.colour for shape in reversed(shapes[: glyphs.beneath]) if holds(shape.box, x, y))
    background = next(behind, (1.0, 1.0, 1.0))
    if glyphs.colour is None or background is None:
        return ""
    contrast = max(abs(ink - paper) for ink, paper in zip(glyphs.colour, background, strict=True))
    return "colour" if contrast < _VISIBLE_CONTRAST else ""


def rgb(value: Any, space: PDFColorSpace) -> Colour | None:
    """Red, green and blue from 0 to 1; None for patterns, palettes and what is no colour."""
    parts = value if isinstance(value, (tuple, list)) else (value,)
    if space.name in ("Pattern", "Indexed", "Lab") or not all(isinstance(part, (int, float)) for part in parts):
        return None
    if space.name in ("Separation", "DeviceN"):  # amounts of ink
        return (1 - max(parts, default=1),) * 3
    if len(parts) == 1:
        return (parts[0],) * 3
    if len(parts) == 3:
        return (parts[0], parts[1], parts[2])
    if len(parts) == 4:
        cyan, magenta, yellow, black = parts
        return ((1 - cyan) * (1 - black), (1 - magenta) * (1 - black), (1 - yellow) * (1 - black))
    return None


def is_rectangle(path: Sequence[PathSegment]) -> bool:
    """Whether a path runs around a box, so that it fills the box entirely."""
    corners = [segment[1:] for segment in path if len(segment) == 3]
    straight = all(a[0] == b[0] or a[1] == b[1] for a, b in pairwise(corners))
    return "".join(str(segment[0]) for segment in path) in ("mlllh", "mllllh", "mllll") and straight


def holds(box: Rect, x: float, y: float) -> bool:
    """Whether a point lies in a box."""
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def overlap(a: Rect, b: Rect) -> Rect:
    """What two boxes share; upside down if they share nothing."""
    return (max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3]))


def _covers(shape: Shape, box: Rect) -> bool:
    x0, y0, x1, y1 = box
    margin = 0.25 * (y1 - y0)  # ascenders and descenders may stick out
    return shape.opaque and holds(shape.box, x0 + 0.5, y0 + margin) and holds(shape.box, x1 - 0.5, y1 - margin)
