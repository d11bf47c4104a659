"""The words of a PDF page as its operators paint them, and which of them a reader would not see, with pdfminer.six.

What a reader sees depends on things that no extracted text carries: the render mode, the colour of a letter and of
what was painted beneath and above it, the clipping path, the opacity. Coordinates are those of the page as it is shown,
in points from the lower left corner of its media box.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import hypot
from typing import Any, NamedTuple, cast

from pdfminer.pdfcolor import PDFColorSpace
from pdfminer.pdfdevice import PDFTextDevice, PDFTextSeq
from pdfminer.pdffont import PDFFont, PDFUnicodeNotDefined
from pdfminer.pdfinterp import PDFGraphicState, PDFPageInterpreter, PDFTextState
from pdfminer.pdfpage import PDFPage
from pdfminer.pdfparser import PDFSyntaxError
from pdfminer.pdftypes import PDFStream, dict_value, resolve1, stream_value
from pdfminer.psparser import literal_name
from pdfminer.utils import MATRIX_IDENTITY, Matrix, PathSegment, Rect, apply_matrix_pt, apply_matrix_rect, mult_matrix
from typing_extensions import override

from tools.documents.pdf.page_lines import Piece, Reason

_WORD_GAP = 0.15  # of the type size; TeX's tightest spaces are 0.2
_LARGEST_CONTENT = 100_000_000  # bytes of the operators of a page
_EVERYWHERE: Rect = (-1e9, -1e9, 1e9, 1e9)
_BOLD = re.compile(r"Bold|Black|Heavy|Demi|Medi(?!um)|BX|Lin(?:Libertine|Biolinum)TB|[,-]B(?:$|I)")
_ITALIC = re.compile(r"Ital|Obl|CMTI|CMSL|[-.]It|[,-]I$")
_MATHS = re.compile(r"CM(?:MI|SY|EX|BSY)|MS[AB]M|Math|Symbol|txmi|txsy|txex|TXMI|TXSY|stmary|rsfs|EU[FS]M|wasy|esint")


class _State(PDFGraphicState):
    """Graphics state with what pdfminer.six leaves out: opacity, blending and the box of the clipping path."""

    def __init__(self) -> None:
        super().__init__()
        self.alpha = 1.0
        self.blended = False
        self.clip: Rect = _EVERYWHERE

    @override
    def copy(self) -> _State:
        state = _State()
        state.__dict__.update(self.__dict__)
        return state


class Interpreter(PDFPageInterpreter):
    """Keeps the state of `_State`, and passes the state on to forms, which inherit it (ISO 32000-1, 8.10.1)."""

    device: Painter
    graphicstate: _State
    inherited: tuple[PDFTextState, _State] | None = None

    @override
    def subinterp(self) -> PDFPageInterpreter:
        form = cast("Interpreter", super().subinterp())
        form.inherited = self.textstate.copy(), self.graphicstate.copy()
        return form

    @override
    def init_state(self, ctm: Matrix) -> None:
        super().init_state(ctm)
        self.graphicstate = _State()
        if self.inherited:
            self.textstate, self.graphicstate = self.inherited

    @override
    def execute(self, streams: Sequence[object]) -> None:
        if sum(len(stream_value(stream).get_data()) for stream in streams) > _LARGEST_CONTENT:
            raise PDFSyntaxError(f"it unpacks to more than {_LARGEST_CONTENT // 1_000_000} MB")
        super().execute(streams)

    @override
    def do_Do(self, xobjid_arg: Any) -> None:
        super().do_Do(xobjid_arg)
        self.device.set_ctm(self.ctm)

    @override
    def do_gs(self, name: Any) -> None:
        states = dict_value(resolve1(dict_value(self.resources).get("ExtGState", {})))
        state = dict_value(states.get(literal_name(name), {}))
        self.graphicstate.alpha = float(resolve1(state.get("ca", self.graphicstate.alpha)))
        if "BM" in state:
            self.graphicstate.blended = str(resolve1(state["BM"])) != "/'Normal'"

    @override
    def do_W(self) -> None:
        box = _path_box(self.curpath, self.ctm)
        self.graphicstate.clip = overlap(self.graphicstate.clip, box) if box else self.graphicstate.clip

    @override
    def do_W_a(self) -> None:
        self.do_W()

    @override
    def do_sh(self, name: object) -> None:
        self.device.shapes.append(Shape(self.graphicstate.clip, None, opaque=False))


class Painter(PDFTextDevice):
    """Collects the pieces and the shapes of a page in the order of painting."""

    @override
    def begin_page(self, page: PDFPage, ctm: Matrix) -> None:
        x0, y0, x1, y1 = apply_matrix_rect(ctm, page.mediabox)
        self.width, self.height = x1 - x0, y1 - y0
        self.shown = overlap((x0, y0, x1, y1), apply_matrix_rect(ctm, page.cropbox or page.mediabox))
        self.shapes: list[Shape] = []
        self.glyphs: list[Glyphs] = []
        self.image_area = 0.0
        self.figures: list[bool] = []
        self.next: tuple[object, ...] = ()
        self.left = 0.0

    @override
    def begin_figure(self, name: str, bbox: Rect, matrix: Matrix) -> None:
        x0, y0, x1, y1 = apply_matrix_rect(mult_matrix(matrix, self.ctm or MATRIX_IDENTITY), bbox)
        self.figures.append((x1 - x0) * (y1 - y0) < 0.6 * self.width * self.height)

    @override
    def end_figure(self, name: str) -> None:
        self.figures.pop()

    @override
    def render_image(self, name: str, stream: PDFStream) -> None:
        box = apply_matrix_rect(self.ctm or MATRIX_IDENTITY, (0, 0, 1, 1))
        self.image_area += (box[2] - box[0]) * (box[3] - box[1])
        self.shapes.append(Shape(box, None, opaque=False))

    @override
    def paint_path(
        self, graphicstate: PDFGraphicState, stroke: bool, fill: bool, evenodd: bool, path: Sequence[PathSegment]
    ) -> None:
        state = cast("_State", graphicstate)
        if not fill or state.alpha < 0.5:
            return
        colour = rgb(state.ncolor, state.ncs)
        opaque = state.alpha == 1 and not state.blended
        subpaths: list[list[PathSegment]] = []
        for segment in path:
            if segment[0] == "m" or not subpaths:
                subpaths.append([])
            subpaths[-1].append(segment)
        for subpath in subpaths:
            box = overlap(_path_box(subpath, self.ctm or MATRIX_IDENTITY) or (0, 0, 0, 0), state.clip)
            if box[2] - box[0] > 2 and box[3] - box[1] > 2:
                self.shapes.append(Shape(box, colour, opaque and is_rectangle(subpath)))

    @override
    def render_string(
        self, textstate: PDFTextState, seq: PDFTextSeq, ncs: PDFColorSpace, graphicstate: PDFGraphicState
    ) -> None:
        state = cast("_State", graphicstate)
        outlined = textstate.render in (1, 5)
        self.colour = rgb(state.scolor, state.scs) if outlined else rgb(state.ncolor, ncs)
        self.drawn = textstate.render not in (3, 7) and state.alpha >= 0.05
        self.clip = state.clip
        font = str(getattr(textstate.font, "fontname", ""))
        signs = {"b": _BOLD.search(font), "i": _ITALIC.search(font), "m": _MATHS.search(font), "f": any(self.figures)}
        self.style = "".join(letter for letter, found in signs.items() if found)
        super().render_string(textstate, seq, ncs, graphicstate)

    @override
    def render_char(
        self,
        matrix: Matrix,
        font: PDFFont,
        fontsize: float,
        scaling: float,
        rise: float,
        cid: int,
        ncs: PDFColorSpace,
        graphicstate: PDFGraphicState,
    ) -> float:
        advance = font.char_width(cid) * fontsize * scaling
        try:
            text = font.to_unichr(cid)
        except PDFUnicodeNotDefined:
            text = "\ufffd"
        if text.isspace() or not text:
            self.next = ()
            return advance
        a, b, c, d, _, f = matrix
        descent = font.get_descent() * fontsize + rise
        box = apply_matrix_rect(matrix, (0, descent, advance, descent + fontsize))
        upright = a * fontsize > 0 and d * fontsize > 0 and abs(b) < 0.1 * abs(a) and abs(c) < 0.5 * abs(d)
        self._add(text, box, f + rise * d, abs(fontsize) * hypot(c, d), self.style + ("" if upright else "r"))
        return advance

    def _add(self, text: str, box: Rect, baseline: float, size: float, style: str) -> None:
        """Lengthen the last piece by a character, or begin a new one; one printed twice to look bold counts once."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        drawn = self.drawn and holds(self.clip, x, y)
        kind = (style, round(baseline, 1), round(size, 1), self.colour, drawn, len(self.shapes))
        in_its_place = box[0] < box[2] and abs(box[0] - self.left) < 0.1 * size
        if kind == self.next and in_its_place and self.glyphs[-1].piece["text"].endswith(text):
            return
        if kind == self.next and -0.5 * size < box[0] - self.glyphs[-1].piece["box"][2] < _WORD_GAP * size:
            piece = self.glyphs[-1].piece
            piece["text"] += text
            piece["box"] = (*piece["box"][:2], max(piece["box"][2], box[2]), piece["box"][3])
            self.left = box[0]
            return
        piece = Piece(text=text, box=box, baseline=baseline, size=size, style=style, hidden="")
        self.glyphs.append(Glyphs(piece, self.colour, drawn, len(self.shapes)))
        self.next, self.left = kind, box[0]

    def pieces(self) -> list[Piece]:
        """The pieces of the page, each with the reason why a reader would not see it.

        A page that shows an image and hardly any text beside undrawn one is a scan: that text is what was recognised.
        """
        undrawn = sum(not glyphs.drawn for glyphs in self.glyphs)
        large = self.image_area > 0.5 * self.width * self.height
        scanned = large and undrawn > 0.9 * len(self.glyphs)
        for glyphs in self.glyphs:
            glyphs.piece["hidden"] = (
                "" if scanned and not glyphs.drawn else visible_or_reason(glyphs, self.shapes, self.shown)
            )
        return [glyphs.piece for glyphs in self.glyphs if glyphs.piece["hidden"] or "r" not in glyphs.piece["style"]]


def _path_box(path: Sequence[PathSegment], ctm: Matrix) -> Rect | None:
    points = [apply_matrix_pt(ctm, (float(at[i]), float(at[i + 1]))) for at in path for i in range(1, len(at) - 1, 2)]
    if not points:
        return None
    xs, ys = zip(*points, strict=True)
    return (min(xs), min(ys), max(xs), max(ys))


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
    margin = 0.25 * (y1 - y0)  # ascenders and descenders may stick out
    covered = any(
        shape.opaque and holds(shape.box, x0 + 0.5, y0 + margin) and holds(shape.box, x1 - 0.5, y1 - margin)
        for shape in shapes[glyphs.beneath :]
    )
    if not glyphs.drawn or covered:
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
