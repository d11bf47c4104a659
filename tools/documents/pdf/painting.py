"""The words of a PDF page as its operators paint them, and which of them a reader would not see, with PDFium.

What a reader sees depends on things that no extracted text carries: the render mode, the colour of a letter and of
what was painted beneath and above it, the clipping path, the opacity. PDFium tells these of each object of a page (a
run of text, a path, an image, a form with objects of its own), and where each character of such a run stands.
Coordinates are those of the page as it is shown, in points from the lower left corner of what viewers show of it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from ctypes import addressof, byref, c_double, c_float, c_int, c_uint, create_string_buffer
from functools import cache
from itertools import groupby, pairwise
from math import hypot
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from tools.documents.pdf.page_lines import WORD_GAP, Box, Matrix, Piece, Reason

_DEEPEST = 12  # forms within forms
_DESCENT = 0.22  # of the type size, below the baseline
_BOLD = re.compile(r"Bold|Black|Heavy|Demi|Medi(?!um)|BX|Lin(?:Libertine|Biolinum)TB|[,-]B(?:$|I)")
_ITALIC = re.compile(r"Ital|Obl|CMTI|CMSL|[-.]It|[,-]I$")
_MATHS = re.compile(r"CM(?:MI|SY|EX|BSY)|MS[AB]M|Math|Symbol|txmi|txsy|txex|TXMI|TXSY|stmary|rsfs|EU[FS]M|wasy|esint")
_VISIBLE_CONTRAST = 0.1  # of the range of a colour channel
_SMALLEST_TYPE = 3.0  # points
_EVERYWHERE: Box = (-1e9, -1e9, 1e9, 1e9)
_OUTLINED = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_UNDRAWN = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
# PDFium writes U+0002 for the hyphen at the end of a line, and goes on with the next line without a space.
_WORD = re.compile(r"[^\s\x02]+\x02?|\x02")
_CONTROLS = frozenset(map(chr, [*range(9), *range(14, 32)]))

Colour = tuple[float, float, float]


class Shape(NamedTuple):
    """A filled path or an image."""

    box: Box
    colour: Colour | None
    """None if it cannot be told, as for images and patterns."""
    opaque: bool
    """Whether it hides everything in its box."""


class Form(NamedTuple):
    """What a form hands down to the objects that it paints; a page is one, too."""

    matrix: Matrix
    alpha: float = 1.0
    opaque: bool = True
    figure: bool = False


class Look(NamedTuple):
    """How a run of text looks, the same for all its characters."""

    font: int
    wide: float
    """The size along the line, where type is narrowed or widened."""
    along: tuple[float, float]
    """The direction of the line, of length 1."""
    style: str
    """Letters, as those of `Piece`."""
    size: float
    colour: Colour | None
    drawn: bool
    clip: Box
    beneath: int
    """How many shapes were painted before."""


_OF_FONT = 3
"""How many of its fields may differ within a word."""


class Painter:
    """Takes the objects of a page in the order of painting, and then the pieces of its text.

    Args:
        page: Of PDFium.
        text_page: The characters of that page.
        matrix: From the file's own coordinates to those of the page as it is shown.
        shown: Its box, in the latter.
    """

    def __init__(self, page: Any, text_page: Any, matrix: Matrix, shown: Box) -> None:
        self._text_page = text_page
        self._matrix = matrix
        self._shown = shown
        self._fonts: dict[int, tuple[Any, str]] = {}
        self._advances: dict[tuple[int, float, str], float] = {}
        self._runs: dict[int, tuple[Any, Form, int]] = {}
        self._looks: dict[int, Look] = {}
        self._shapes: list[Shape] = []
        self._image_area = 0.0
        count = pdfium.FPDFPage_CountObjects(page)
        self._paint([pdfium.FPDFPage_GetObject(page, at) for at in range(count)], Form(matrix), _DEEPEST)
        self._text = self._characters()
        self._points = [_told_point(pdfium.FPDFText_GetCharOrigin, text_page, at) for at in range(len(self._text))]

    def _characters(self) -> str:
        """One for each of PDFium's; U+FFFD where a font does not tell it, and the picture of a control character."""
        page, unicode, unknown = self._text_page, pdfium.FPDFText_GetUnicode, pdfium.FPDFText_HasUnicodeMapError
        count = range(pdfium.FPDFText_CountChars(page))
        codes = [unicode(page, at) for at in count]
        signs = [chr(code) if code <= sys.maxunicode else "\ufffd" for code in codes]
        for at in [at for at in count if unknown(page, at) > 0 or signs[at] in _CONTROLS]:
            _, name = self._fonts[self._font(pdfium.FPDFText_GetTextObject(page, at))]
            if signs[at] in _CONTROLS and pdfium.FPDFText_IsHyphen(page, at) <= 0:
                signs[at] = chr(0x2400 + codes[at])
            elif _MATHS.search(name):  # other fonts mostly have the codes of ASCII
                signs[at] = "\ufffd"
        return "".join(signs)

    def pieces(self) -> list[Piece]:
        """The pieces of the page, each with the reason why a reader would not see it.

        A page that shows an image and hardly any text beside undrawn one is a scan: that text is what was recognised.
        """
        found = self._glyphs()
        undrawn = sum(not look.drawn for _, look in found)
        scanned = self._image_area > 0.5 * _area(self._shown) and undrawn > 0.9 * len(found)
        for piece, look in found:
            if look.drawn or not scanned:
                piece["hidden"] = visible_or_reason(piece, look, self._shapes, self._shown)
        return [piece for piece, _ in found if piece["hidden"] or "r" not in piece["style"]]

    def _paint(self, items: Sequence[Any], form: Form, deeper: int) -> None:
        kinds = [pdfium.FPDFPageObj_GetType(item) for item in items]
        texts = kinds.count(pdfium.FPDF_PAGEOBJ_TEXT)
        for item, kind in zip(items, kinds, strict=True):
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                self._runs[addressof(item.contents)] = (item, form, len(self._shapes))
            elif kind == pdfium.FPDF_PAGEOBJ_PATH:
                self._shapes += _filled(item, form)
            elif kind == pdfium.FPDF_PAGEOBJ_FORM and deeper:
                count = pdfium.FPDFFormObj_CountObjects(item)
                parts = [pdfium.FPDFFormObj_GetObject(item, at) for at in range(count)]
                self._paint(parts, self._inside(item, parts, form, texts), deeper - 1)
            elif kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
                box = _moved(_bounds(item), form.matrix)
                self._image_area += _area(box) if kind == pdfium.FPDF_PAGEOBJ_IMAGE else 0
                self._shapes.append(Shape(box, None, opaque=False))

    def _inside(self, item: Any, parts: Sequence[Any], outer: Form, beside: int) -> Form:
        """A form is a figure if it is no large part of the page, and has fewer texts than drawings or than its page.

        Whole pages are forms, too, where a publisher has added a line to them.
        """
        kinds = Counter(pdfium.FPDFPageObj_GetType(part) for part in parts)
        texts, drawings = kinds[pdfium.FPDF_PAGEOBJ_TEXT], kinds[pdfium.FPDF_PAGEOBJ_PATH]
        small = _area(_moved(_bounds(item), outer.matrix)) < 0.6 * _area(self._shown)
        return Form(
            matrix=_multiplied(_told_matrix(pdfium.FPDFPageObj_GetMatrix, item), outer.matrix),
            alpha=_told_colour(pdfium.FPDFPageObj_GetFillColor, item)[1] * outer.alpha,
            opaque=outer.opaque and not pdfium.FPDFPageObj_HasTransparency(item),
            figure=outer.figure or (small and (texts < drawings or 0 < texts < beside)),
        )

    def _glyphs(self) -> list[tuple[Piece, Look]]:
        """Words with their looks; a word that changes its look or its line, or has a wide gap, is several."""
        found: list[tuple[Piece, Look]] = []
        for word in _WORD.finditer(self._text):
            before = len(found)
            for start, end, look in self._parts(*word.span()):
                piece = self._piece(start, end, look)
                last, its_look = found[-1] if len(found) > before else (None, look)
                if last and its_look[_OF_FONT:] == look[_OF_FONT:] and _adjoin(last, piece):
                    last["text"] += piece["text"]
                    last["box"] = _around(last["box"], piece["box"])
                else:
                    found.append((piece, look))
        return found

    def _parts(self, start: int, end: int) -> Iterator[tuple[int, int, Look]]:
        """Where the parts of a word begin and end, each of one text object; most words are of one."""
        runs: list[Sequence[int]] = [range(start, end)]
        if self._run(start) != self._run(end - 1):
            runs = [list(places) for _, places in groupby(range(start, end), self._run)]
        for places in runs:
            run = self._run(places[0])
            look = self._looks.get(run) or self._look(run, places[0])
            begins = places[0]
            for at in places[:-1]:
                (x, y), (next_x, next_y) = self._points[at : at + 2]
                step = abs(next_x - x) + abs(next_y - y)  # of a narrow letter and a gap, 0.4 at least
                if step > 0.4 * look.size and step - self._advance(at, look) > WORD_GAP * look.size:
                    yield begins, at + 1, look
                    begins = at + 1
            yield begins, places[-1] + 1, look

    def _advance(self, at: int, look: Look) -> float:
        """How far behind the start of a character the next one begins; the ink of a slanted f goes further."""
        here = self._points[at]
        ligature = here == self._points[at - 1] and not self._text[at - 1].isspace()
        ligature = ligature or here in self._points[at + 1 : at + 2]
        key = look.font, look.wide, self._text[at]
        if key in self._advances and not ligature:
            return self._advances[key]
        box, told = pdfium.FS_RECTF(), c_float()
        pdfium.FPDFText_GetLooseCharBox(self._text_page, at, byref(box))
        _, ink, *_ = _told_numbers(pdfium.FPDFText_GetCharBox, c_double, self._text_page, at)
        width: float = box.right - here[0]
        level = self._matrix[0] * look.along[0] > 0.9  # else the box tells nothing of the width
        if not level or (abs(box.right - ink) < 0.001 * look.size and not ligature):
            sign = ord(self._text[at].replace("\x02", "-"))
            pdfium.FPDFFont_GetGlyphWidth(self._fonts[look.font][0], sign, look.wide, byref(told))
            width = told.value if not level or 0.3 * width < told.value < width else width
        if not ligature:
            self._advances[key] = width
        return width

    def _run(self, at: int) -> int:
        found = pdfium.FPDFText_GetTextObject(self._text_page, at)
        return addressof(found.contents) if found else 0

    def _look(self, run: int, at: int) -> Look:
        """That of a text object, one of whose characters stands at a place."""
        item, form, beneath = self._runs.get(run, (None, Form(self._matrix), len(self._shapes)))
        a, b, c, d, *_ = _multiplied(_told_matrix(pdfium.FPDFText_GetMatrix, self._text_page, at), self._matrix)
        size = pdfium.FPDFText_GetFontSize(self._text_page, at)
        upright = a * size > 0 and d * size > 0 and abs(b) < 0.1 * abs(a) and abs(c) < 0.5 * abs(d)
        mode = pdfium.FPDFTextObj_GetTextRenderMode(item)
        told = pdfium.FPDFPageObj_GetStrokeColor if mode in _OUTLINED else pdfium.FPDFPageObj_GetFillColor
        colour, alpha = _told_colour(told, item)
        font = self._font(item)
        length = hypot(a, b) or 1.0
        look = self._looks[run] = Look(
            font=font,
            wide=round(abs(size) * length, 2),
            along=(a / length, b / length),
            style=_style(self._fonts[font][1]) + ("f" if form.figure else "") + ("" if upright else "r"),
            size=round(abs(size) * hypot(c, d), 2),
            colour=colour,
            drawn=mode not in _UNDRAWN and alpha * form.alpha >= 0.05,
            clip=_clip(item, form.matrix),
            beneath=beneath,
        )
        return look

    def _font(self, item: Any) -> int:
        """Address of the font of a text object, under which it and its name are kept."""
        font = pdfium.FPDFTextObj_GetFont(item)
        address = addressof(font.contents) if font else 0
        if address not in self._fonts:
            name = create_string_buffer(200)
            pdfium.FPDFFont_GetBaseFontName(font, name, len(name))
            self._fonts[address] = font, name.value.decode(errors="replace")
        return address

    def _piece(self, start: int, end: int, look: Look) -> Piece:
        """Upright letters have a box as high as their type, from where the first begins to where the last ends."""
        text = self._text[start:end].replace("\x02", "-")
        if not text.isascii():  # PDFium tells characters beyond U+FFFF in two halves
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        left, baseline = _moved_point(self._points[start], self._matrix)
        right, top = _moved_point(self._points[end - 1], self._matrix)
        advance = self._advance(end - 1, look)
        right, top = right + look.along[0] * advance, top + look.along[1] * advance
        if "r" in look.style:
            box = min(left, right), min(baseline, top), max(left, right), max(baseline, top)
        else:
            bottom = baseline - _DESCENT * look.size
            box = left, bottom, max(left, right), bottom + look.size
        spaced = self._text[max(start - 1, 0)].isspace()
        return Piece(text=text, box=box, baseline=baseline, size=look.size, style=look.style, spaced=spaced, hidden="")


def visible_or_reason(piece: Piece, look: Look, shapes: Sequence[Shape], shown: Box) -> Reason:
    """Why a piece cannot be seen; empty if it can.

    Args:
        piece: What was painted.
        look: How it was painted.
        shapes: All shapes of the page in the order of painting.
        shown: The part of the page that viewers show.
    """
    x0, y0, x1, y1 = piece["box"]
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if not _holds(shown, x, y):
        return "off page"
    margin = 0.25 * (y1 - y0)  # ascenders and descenders may stick out
    covered = any(
        shape.opaque and _holds(shape.box, x0 + 0.5, y0 + margin) and _holds(shape.box, x1 - 0.5, y1 - margin)
        for shape in shapes[look.beneath :]
    )
    if covered or not look.drawn or not _holds(look.clip, x, y):
        return "not drawn"
    if piece["size"] < _SMALLEST_TYPE:
        return "size"
    behind = (shape.colour for shape in reversed(shapes[: look.beneath]) if _holds(shape.box, x, y))
    background = next(behind, (1.0, 1.0, 1.0))
    if look.colour is None or background is None:
        return ""
    contrast = max(abs(ink - paper) for ink, paper in zip(look.colour, background, strict=True))
    return "colour" if contrast < _VISIBLE_CONTRAST else ""


@cache
def _style(font: str) -> str:
    signs = {"b": _BOLD, "i": _ITALIC, "m": _MATHS}
    return "".join(letter for letter, sign in signs.items() if sign.search(font))


def _adjoin(last: Piece, piece: Piece) -> bool:
    """Whether a piece of the same look goes on where another ends."""
    gap = piece["box"][0] - last["box"][2]
    size = piece["size"]
    return abs(last["baseline"] - piece["baseline"]) < 0.05 * size and -0.5 * size < gap < WORD_GAP * size


def _filled(item: Any, form: Form) -> Iterator[Shape]:
    """A shape for each part of a filled path that is large enough to lie behind or upon a letter."""
    box = _moved(_bounds(item), form.matrix)
    mode, stroke = c_int(), c_int()
    pdfium.FPDFPath_GetDrawMode(item, byref(mode), byref(stroke))
    if not mode.value or box[2] - box[0] <= 2 or box[3] - box[1] <= 2:
        return
    colour, alpha = _told_colour(pdfium.FPDFPageObj_GetFillColor, item)
    if alpha * form.alpha < 0.5:
        return
    opaque = form.opaque and not pdfium.FPDFPageObj_HasTransparency(item)
    matrix = _multiplied(_told_matrix(pdfium.FPDFPageObj_GetMatrix, item), form.matrix)
    clip = _clip(item, form.matrix)
    segments = [pdfium.FPDFPath_GetPathSegment(item, at) for at in range(pdfium.FPDFPath_CountSegments(item))]
    for part in _subpaths(segments):
        points = [_moved_point(_point(segment), matrix) for segment in part]
        xs, ys = zip(*points, strict=True)
        box = _overlap((min(xs), min(ys), max(xs), max(ys)), clip)
        if box[2] - box[0] > 2 and box[3] - box[1] > 2:
            yield Shape(box, colour, opaque and _is_rectangle(part, points))


def _subpaths(segments: Sequence[Any]) -> list[list[Any]]:
    parts: list[list[Any]] = []
    for segment in segments:
        if not parts or pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_MOVETO:
            parts.append([])
        parts[-1].append(segment)
    return parts


def _is_rectangle(segments: Sequence[Any], points: Sequence[tuple[float, float]]) -> bool:
    """Whether a path runs around a box, so that it fills the box entirely."""
    lines = all(pdfium.FPDFPathSegment_GetType(each) == pdfium.FPDF_SEGMENT_LINETO for each in segments[1:])
    straight = all(abs(a[0] - b[0]) < 0.01 or abs(a[1] - b[1]) < 0.01 for a, b in pairwise(points))
    return len(points) in (4, 5) and lines and straight


def _clip(item: Any, matrix: Matrix) -> Box:
    """The box that all clipping paths of an object share."""
    box = _EVERYWHERE
    paths = pdfium.FPDFPageObj_GetClipPath(item)
    for path in range(pdfium.FPDFClipPath_CountPaths(paths)):
        count = pdfium.FPDFClipPath_CountPathSegments(paths, path)
        points = [_point(pdfium.FPDFClipPath_GetPathSegment(paths, path, at)) for at in range(count)]
        if points:
            xs, ys = zip(*points, strict=True)
            box = _overlap(box, _moved((min(xs), min(ys), max(xs), max(ys)), matrix))
    return box


def _point(segment: Any) -> tuple[float, float]:
    x, y = _told_numbers(pdfium.FPDFPathSegment_GetPoint, c_float, segment, count=2)
    return x, y


def _bounds(item: Any) -> Box:
    left, bottom, right, top = _told_numbers(pdfium.FPDFPageObj_GetBounds, c_float, item)
    return left, bottom, right, top


# What PDFium writes its answers to, the same each time because a page has thousands of them.
_POINT = [c_double() for _ in range(2)]
_COLOUR = [c_uint() for _ in range(4)]
_MATRIX = pdfium.FS_MATRIX()
_TO_POINT, _TO_COLOUR, _TO_MATRIX = [*map(byref, _POINT)], [*map(byref, _COLOUR)], byref(_MATRIX)


def _told_point(tell: Callable[..., int], *of: Any) -> tuple[float, float]:
    tell(*of, *_TO_POINT)
    return _POINT[0].value, _POINT[1].value


def _told_colour(tell: Callable[..., int], item: Any) -> tuple[Colour | None, float]:
    """Red, green and blue from 0 to 1, None for patterns; and the opacity."""
    if not tell(item, *_TO_COLOUR):
        return None, 1.0
    red, green, blue, alpha = (number.value / 255 for number in _COLOUR)
    return (red, green, blue), alpha


def _told_matrix(tell: Callable[..., int], *of: Any) -> Matrix:
    if not tell(*of, _TO_MATRIX):
        return (1, 0, 0, 1, 0, 0)
    return _MATRIX.a, _MATRIX.b, _MATRIX.c, _MATRIX.d, _MATRIX.e, _MATRIX.f


def _told_numbers(tell: Callable[..., int], kind: type[Any], *of: Any, count: int = 4) -> list[float]:
    numbers = [kind() for _ in range(count)]
    tell(*of, *map(byref, numbers))
    return [number.value for number in numbers]


def _multiplied(first: Matrix, then: Matrix) -> Matrix:
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return (a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u)


def _moved_point(point: tuple[float, float], matrix: Matrix) -> tuple[float, float]:
    (x, y), (a, b, c, d, e, f) = point, matrix
    return a * x + c * y + e, b * x + d * y + f


def _moved(box: Box, matrix: Matrix) -> Box:
    """The box around a box that a matrix moved and turned."""
    a, b, c, d, e, f = matrix
    corners = [(a * x + c * y + e, b * x + d * y + f) for x in box[::2] for y in box[1::2]]
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _around(one: Box, other: Box) -> Box:
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


def _overlap(one: Box, other: Box) -> Box:
    """What two boxes share; upside down if they share nothing."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _holds(box: Box, x: float, y: float) -> bool:
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
