"""Extract the words of a PDF page with PDFium, and find those that a reader cannot see.

Visibility depends on facts that extracted text lacks: render mode, clipping path, opacity, and the colours of a letter
and of the shapes below and above it. PDFium reports these for each object of a page (a text run, a path, an image, or
a form with objects of its own), and the place of each character of a run. Coordinates are points from the lower left
corner of the page as viewers show it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from ctypes import addressof, byref, c_double, c_float, c_int, c_uint, create_string_buffer
from itertools import groupby, pairwise
from math import hypot
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium
from pypdfium2 import PdfMatrix

from tools.documents.pdf.page_lines import WORD_GAP, Box, Piece, PieceHiddenReason, merge_boxes

_DESCENT = 0.22  # of the type size, below the baseline
_BOLD = re.compile(r"Bold|Black|Heavy|Demi|Medi(?!um)|BX|Lin(?:Libertine|Biolinum)TB|[,-]B(?:$|I)")
_ITALIC = re.compile(r"Ital|Obl|CMTI|CMSL|[-.]It|[,-]I$")
_MATHS = re.compile(r"CM(?:MI|SY|EX|BSY)|MS[AB]M|Math|Symbol|txmi|txsy|txex|TXMI|TXSY|stmary|rsfs|EU[FS]M|wasy|esint")
_VISIBLE_CONTRAST = 0.1  # of the range of a colour channel
_SMALLEST_TYPE = 3.0  # points
_EVERYWHERE: Box = (-1e9, -1e9, 1e9, 1e9)
_OUTLINED_MODES = (pdfium.FPDF_TEXTRENDERMODE_STROKE, pdfium.FPDF_TEXTRENDERMODE_STROKE_CLIP)
_UNDRAWN_MODES = (pdfium.FPDF_TEXTRENDERMODE_INVISIBLE, pdfium.FPDF_TEXTRENDERMODE_CLIP)
# PDFium writes U+0002 for a hyphen at a line end, and continues with the next line without a space.
_WORD = re.compile(r"[^\s\x02]+\x02?|\x02")
_CONTROL_PICTURES = {code: 0x2400 + code for code in [*range(2), *range(3, 9), *range(14, 32)]}  # of control characters

Colour = tuple[float, float, float]
# Buffers for PDFium's results, which are reused because a page has thousands of objects.
_POINT = [c_double(), c_double()]
_INK = [c_double() for _ in range(4)]  # left, right, bottom, top
_BOX = [c_float() for _ in range(4)]
_COLOUR = [c_uint() for _ in range(4)]
_MATRIX = pdfium.FS_MATRIX()
_TO_POINT, _TO_INK, _TO_BOX, _TO_COLOUR = ([*map(byref, each)] for each in (_POINT, _INK, _BOX, _COLOUR))
_TO_MATRIX = byref(_MATRIX)


class Shape(NamedTuple):
    """A filled path, an image or a shading, which may lie behind or upon a letter."""

    box: Box
    colour: Colour | None  # None if unknown, as for images and patterns
    opaque: bool  # whether it hides everything in its box


class FormContext(NamedTuple):
    """Matrix, opacity and place in a figure that the objects of a form, or of the page, inherit."""

    matrix: PdfMatrix
    opaque: bool = True
    figure: bool = False


class TextAppearance(NamedTuple):
    """Appearance that all characters of a text run share."""

    font: int  # its address
    along: tuple[float, float]  # direction of the line, as long as the type is wide
    style: str  # letters as in `Piece`
    size: float
    colour: Colour | None
    drawn: bool
    clip: Box
    beneath: int  # number of shapes that were painted before


class PageTextExtractor:
    """Extractor of the text pieces of a page, from its objects in the order of painting.

    The matrix leads from the file's coordinates to those of the page as it is shown, in the box `shown`.
    """

    def __init__(self, page: Any, text_page: Any, matrix: PdfMatrix, shown: Box) -> None:
        self._text_page = text_page
        self._matrix = matrix
        self._shown = shown
        self._fonts: dict[int, tuple[Any, str]] = {}  # fonts and their style letters by address
        self._runs: dict[int, tuple[Any, FormContext, int]] = {}  # with the number of shapes before, by address
        self._looks: dict[int, TextAppearance] = {}  # by address of the run
        self._shapes: list[Shape] = []
        self._image_area = 0.0
        count = pdfium.FPDFPage_CountObjects(page)
        self._collect_objects([pdfium.FPDFPage_GetObject(page, at) for at in range(count)], FormContext(matrix))
        codes = [pdfium.FPDFText_GetUnicode(text_page, at) for at in range(pdfium.FPDFText_CountChars(text_page))]
        signs = [chr(code) if code <= sys.maxunicode else "\ufffd" for code in codes]
        for at, code in enumerate(codes):  # old mathematical fonts have letters at the codes of line ends
            if 8 < code < 14 and pdfium.FPDFText_HasUnicodeMapError(text_page, at) > 0:
                signs[at] = "\ufffd"
        self._text = "".join(signs).translate(_CONTROL_PICTURES)

    def extract_pieces(self) -> list[Piece]:
        """List the pieces of the page, each with the reason why it cannot be seen; visible turned ones are left out."""
        found = self._list_styled_pieces()
        # A page with a large image and almost only undrawn text is a scan, and the text that of its OCR.
        undrawn = sum(not look.drawn for _, look in found)
        is_scan = self._image_area > 0.5 * _compute_area(self._shown) and undrawn > 0.9 * len(found)
        for piece, look in found:
            if look.drawn or not is_scan:
                piece["hidden"] = find_hiding_reason(piece, look, self._shapes, self._shown)
        return [piece for piece, _ in found if piece["hidden"] or "r" not in piece["style"]]

    def _collect_objects(self, items: Sequence[Any], form: FormContext) -> None:
        """Add text runs, shapes and images, also within forms, to `_runs`, `_shapes` and `_image_area`."""
        kinds = [pdfium.FPDFPageObj_GetType(item) for item in items]
        texts = kinds.count(pdfium.FPDF_PAGEOBJ_TEXT)
        for item, kind in zip(items, kinds, strict=True):
            if kind == pdfium.FPDF_PAGEOBJ_TEXT:
                self._runs[addressof(item.contents)] = (item, form, len(self._shapes))
            elif kind == pdfium.FPDF_PAGEOBJ_PATH:
                self._shapes += _list_filled_shapes(item, form)
            elif kind == pdfium.FPDF_PAGEOBJ_FORM:
                count = pdfium.FPDFFormObj_CountObjects(item)
                parts = [pdfium.FPDFFormObj_GetObject(item, at) for at in range(count)]
                part_kinds = Counter(pdfium.FPDFPageObj_GetType(part) for part in parts)
                part_texts, drawings = part_kinds[pdfium.FPDF_PAGEOBJ_TEXT], part_kinds[pdfium.FPDF_PAGEOBJ_PATH]
                # A small form with fewer texts than drawings, or than its page, is a figure. Where a publisher has
                # added a line to all pages, the whole page is a form, too.
                small = _compute_area(_compute_bounds(item, form.matrix)) < 0.6 * _compute_area(self._shown)
                is_figure = small and (part_texts < drawings or 0 < part_texts < texts)
                pdfium.FPDFPageObj_GetMatrix(item, _TO_MATRIX)
                matrix = PdfMatrix.from_raw(_MATRIX).multiply(form.matrix)
                opaque = form.opaque and not pdfium.FPDFPageObj_HasTransparency(item)
                self._collect_objects(parts, FormContext(matrix, opaque, form.figure or is_figure))
            elif kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
                box = _compute_bounds(item, form.matrix)
                self._image_area += _compute_area(box) if kind == pdfium.FPDF_PAGEOBJ_IMAGE else 0
                self._shapes.append(Shape(box, None, opaque=False))

    def _list_styled_pieces(self) -> list[tuple[Piece, TextAppearance]]:
        """List words with their appearance, split where that or the line changes or a gap is wide."""
        found: list[tuple[Piece, TextAppearance]] = []
        for word in _WORD.finditer(self._text):
            start, end = word.span()
            runs: list[tuple[int, Sequence[int]]] = [(self._find_run_address(start), (start, end - 1))]
            if end - start > 1 and runs[0][0] != self._find_run_address(end - 1):
                runs = [(address, [*places]) for address, places in groupby(range(start, end), self._find_run_address)]
            before = len(found)
            for address, places in runs:
                look = self._looks.get(address) or self._measure_appearance(address, places[0])
                piece = self._build_piece(places[0], places[-1] + 1, look)
                last, last_look = found[-1] if len(found) > before else (None, look)
                if last and last_look[2:] == look[2:]:  # all but the font and the direction, which vary in a word
                    gap, shift = piece["box"][0] - last["box"][2], abs(last["baseline"] - piece["baseline"])
                    if shift < 0.05 * look.size and -0.5 * look.size < gap < WORD_GAP * look.size:
                        last["text"] += piece["text"]
                        last["box"] = merge_boxes(last["box"], piece["box"])
                        continue
                found.append((piece, look))
        return found

    def _find_run_address(self, at: int) -> int:
        """Return the address of the text run of the character at an index; 0 if it has none."""
        found = pdfium.FPDFText_GetTextObject(self._text_page, at)
        return addressof(found.contents) if found else 0

    def _measure_appearance(self, address: int, at: int) -> TextAppearance:
        """Measure and cache the appearance of the text run at an address, by its character at the index `at`."""
        item, form, beneath = self._runs.get(address, (None, FormContext(self._matrix), len(self._shapes)))
        # 1. Size and direction on the page as it is shown.
        pdfium.FPDFText_GetMatrix(self._text_page, at, _TO_MATRIX)
        font_size = pdfium.FPDFText_GetFontSize(self._text_page, at)
        a, b, c, d, *_ = PdfMatrix.from_raw(_MATRIX).multiply(self._matrix).get()
        size, along = round(abs(font_size) * hypot(c, d), 2), (a * abs(font_size), b * abs(font_size))
        upright = a * font_size > 0 and d * font_size > 0 and abs(b) < 0.1 * abs(a) and abs(c) < 0.5 * abs(d)
        # 2. Colour.
        mode = pdfium.FPDFTextObj_GetTextRenderMode(item)
        is_outlined = mode in _OUTLINED_MODES
        getter = pdfium.FPDFPageObj_GetStrokeColor if is_outlined else pdfium.FPDFPageObj_GetFillColor
        colour, alpha = _query_colour(getter, item)
        drawn = mode not in _UNDRAWN_MODES and alpha >= 0.05
        # 3. Font, whose name shows the style.
        font = pdfium.FPDFTextObj_GetFont(item)
        font_address = addressof(font.contents) if font else 0
        if font_address not in self._fonts:
            name = create_string_buffer(200)
            pdfium.FPDFFont_GetBaseFontName(font, name, len(name))
            decoded = name.value.decode(errors="replace")
            letters = {"b": _BOLD, "i": _ITALIC, "m": _MATHS}
            self._fonts[font_address] = font, "".join(each for each, sign in letters.items() if sign.search(decoded))
        style = self._fonts[font_address][1] + ("f" if form.figure else "") + ("" if upright else "r")
        clip = _compute_clip_box(item, form.matrix)
        look = self._looks[address] = TextAppearance(font_address, along, style, size, colour, drawn, clip, beneath)
        return look

    def _build_piece(self, start: int, end: int, look: TextAppearance) -> Piece:
        """Build the piece of some characters, not yet hidden, from the first one's start to the last one's end."""
        text = self._text[start:end]
        if "m" in look.style or not (text.isascii() and text.isprintable()):
            # Restore hyphens, and replace the unknown characters of mathematical fonts.
            signs = list(text)
            for at, character in enumerate(text):
                if character == "\x02":
                    signs[at] = "-" if pdfium.FPDFText_IsHyphen(self._text_page, start + at) > 0 else "\u2402"
                elif "m" in look.style and not "\u2400" <= character < "\u2420":  # others mostly have ASCII's codes
                    is_unknown = pdfium.FPDFText_HasUnicodeMapError(self._text_page, start + at) > 0
                    signs[at] = "\ufffd" if is_unknown else character
            # PDFium returns characters beyond U+FFFF as surrogate pairs.
            text = "".join(signs).encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        left, baseline = self._find_origin(start)
        right, top = self._find_origin(end - 1) if end - start > 1 else (left, baseline)
        box, width = pdfium.FS_RECTF(), c_float()
        pdfium.FPDFText_GetLooseCharBox(self._text_page, end - 1, byref(box))
        advance = box.right - _POINT[0].value
        wide = hypot(*look.along)
        # PDFium's box of a letter is as wide as its ink if that sticks out, and useless for turned letters.
        turned = self._matrix.a * look.along[0] <= 0.9 * wide
        pdfium.FPDFText_GetCharBox(self._text_page, end - 1, *_TO_INK)
        slanted = abs(box.right - _INK[1].value) < 0.001 * look.size and not text.endswith(("ff", "fi", "fl"))
        if turned or slanted:
            sign = ord(self._text[end - 1].replace("\x02", "-"))
            pdfium.FPDFFont_GetGlyphWidth(self._fonts[look.font][0], sign, wide, byref(width))
            advance = width.value if turned or 0.3 * advance < width.value < advance else advance
        if "r" in look.style:
            shape = merge_boxes((left, baseline, left, baseline), (right, top, right, top))
        else:
            bottom = baseline - _DESCENT * look.size
            shape = left, bottom, max(left, right + advance), bottom + look.size
        spaced = self._text[max(start - 1, 0)].isspace()
        size, style = look.size, look.style
        return Piece(text=text, box=shape, baseline=baseline, size=size, style=style, spaced=spaced, hidden="")

    def _find_origin(self, at: int) -> tuple[float, float]:
        """Return where the character at an index stands on its baseline, on the page as it is shown."""
        pdfium.FPDFText_GetCharOrigin(self._text_page, at, *_TO_POINT)
        x, y = self._matrix.on_point(*(each.value for each in _POINT))
        return x, y


def find_hiding_reason(piece: Piece, look: TextAppearance, shapes: Sequence[Shape], shown: Box) -> PieceHiddenReason:
    """Return why a piece cannot be seen, or an empty text if it can."""
    x0, y0, x1, y1 = piece["box"]
    x, y = (x0 + x1) / 2, (y0 + y1) / 2
    if not _contains_point(shown, x, y):
        return "off page"
    margin = 0.25 * (y1 - y0)  # ascenders and descenders may stick out
    covered = any(
        shape.opaque
        and _contains_point(shape.box, x0 + 0.5, y0 + margin)
        and _contains_point(shape.box, x1 - 0.5, y1 - margin)
        for shape in shapes[look.beneath :]
    )
    if covered or not look.drawn or not _contains_point(look.clip, x, y):
        return "not drawn"
    if piece["size"] < _SMALLEST_TYPE:
        return "size"
    behind = (shape.colour for shape in reversed(shapes[: look.beneath]) if _contains_point(shape.box, x, y))
    background = next(behind, (1.0, 1.0, 1.0))
    if look.colour is None or background is None:
        return ""
    contrast = max(abs(ink - paper) for ink, paper in zip(look.colour, background, strict=True))
    return "colour" if contrast < _VISIBLE_CONTRAST else ""


def _list_filled_shapes(item: Any, form: FormContext) -> list[Shape]:
    """List the one shape of a filled path; none if it is too small or faint to lie behind or upon a letter."""
    mode, stroke = c_int(), c_int()
    pdfium.FPDFPath_GetDrawMode(item, byref(mode), byref(stroke))
    if not mode.value:  # figures have thousands of lines
        return []
    box = _compute_bounds(item, form.matrix)
    if box[2] - box[0] <= 2 or box[3] - box[1] <= 2:
        return []
    colour, alpha = _query_colour(pdfium.FPDFPageObj_GetFillColor, item)
    box = _intersect_boxes(box, _compute_clip_box(item, form.matrix))
    if alpha < 0.5 or box[2] - box[0] <= 2 or box[3] - box[1] <= 2:
        return []
    segments = [pdfium.FPDFPath_GetPathSegment(item, at) for at in range(pdfium.FPDFPath_CountSegments(item))]
    kinds = [pdfium.FPDFPathSegment_GetType(segment) for segment in segments]
    # Only a rectangle hides all that is in its box. A path of several parts, such as the lines of a table, may leave a
    # letter in its box free, so its colour is unknown.
    points = [_extract_point(segment) for segment in segments] if len(segments) in (4, 5) else []
    straight = all(abs(a[0] - b[0]) < 0.01 or abs(a[1] - b[1]) < 0.01 for a, b in pairwise(points))
    rectangle = bool(points) and straight and set(kinds[1:]) == {pdfium.FPDF_SEGMENT_LINETO}
    opaque = rectangle and form.opaque and not pdfium.FPDFPageObj_HasTransparency(item)
    return [Shape(box, colour if kinds.count(pdfium.FPDF_SEGMENT_MOVETO) == 1 else None, opaque)]


def _compute_clip_box(item: Any, matrix: PdfMatrix) -> Box:
    """Compute the intersection of the boxes of an object's clipping paths; `_EVERYWHERE` if it has none."""
    box = _EVERYWHERE
    paths = pdfium.FPDFPageObj_GetClipPath(item)
    for path in range(pdfium.FPDFClipPath_CountPaths(paths)):
        count = pdfium.FPDFClipPath_CountPathSegments(paths, path)
        points = [_extract_point(pdfium.FPDFClipPath_GetPathSegment(paths, path, at)) for at in range(count)]
        if points:
            xs, ys = zip(*points, strict=True)
            box = _intersect_boxes(box, matrix.on_rect(min(xs), min(ys), max(xs), max(ys)))
    return box


def _extract_point(segment: Any) -> tuple[float, float]:
    """Return x and y of a segment of a path, in the path's own coordinates."""
    pdfium.FPDFPathSegment_GetPoint(segment, *_TO_BOX[:2])
    return _BOX[0].value, _BOX[1].value


def _compute_bounds(item: Any, matrix: PdfMatrix) -> Box:
    """Return the box around an object, transformed by a matrix."""
    pdfium.FPDFPageObj_GetBounds(item, *_TO_BOX)
    left, bottom, right, top = matrix.on_rect(*(edge.value for edge in _BOX))
    return left, bottom, right, top


def _query_colour(getter: Callable[..., int], item: Any) -> tuple[Colour | None, float]:
    """Return a pair: an object's red, green and blue from 0 to 1, or None for patterns, and its opacity."""
    if not getter(item, *_TO_COLOUR):
        return None, 1.0
    red, green, blue, alpha = _COLOUR
    return (red.value / 255, green.value / 255, blue.value / 255), alpha.value / 255


def _intersect_boxes(one: Box, other: Box) -> Box:
    """Return the intersection of two boxes, with a negative size if they do not overlap."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def _contains_point(box: Box, x: float, y: float) -> bool:
    """Return whether a point is in a box or on its edge."""
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def _compute_area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])
