"""Order the pieces of a PDF page into lines in reading order, column by column.

The gutters are found once a page: left edges at which many lines begin and that hardly any line crosses. Lines that
cross a gutter (title, wide captions) divide the page into bands, whose columns are read one after the other.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypedDict
from unicodedata import normalize

from pypdfium2 import PdfMatrix

from tools.documents.formulas import convert_to_superscript
from tools.documents.structure import clean_characters

Box = tuple[float, float, float, float]
PieceHiddenReason = Literal["", "colour", "size", "off page", "not drawn"]
# Gaps are shares of the type size.
WORD_GAP = 0.15  # TeX's tightest spaces are 0.2
_SPACE_GAP = 0.07  # between words with a space in a narrow line
_CELL_GAP = 0.8  # a wider gap is a gutter, in a table, or in a badly justified line
_SPANNING_COLUMN = -1
_MIN_COLUMN_SHARE = 0.2  # of the width of the text on a page
_MIN_SIDE_COLUMN_SHARE = 0.1  # of a column beside an abstract
_MIN_BLOCK_ROWS = 6  # that cross the gutters of the other rows
_LIST_NUMBER = re.compile(r"\[?\d{1,3}[\].)]{0,2}")  # 12. or [12]
_LINE_NUMBER = re.compile(r"[0-9]{1,4}")
_MIN_NUMBERED_LINES = 10  # of a page with numbered lines
_FOOTNOTE_MARK = re.compile(r"[\d*\u2217\u2020\u2021\u00a7\u00b6,]{1,4}")
_MARKED_WORD = re.compile(r".*(?:[^\W\d_]{3}|[.,;:?!\u201d\"])", re.DOTALL)
_ACCENTS = {"\u00b4": "\u0301", "\u00a8": "\u0308", "\u02c6": "\u0302", "\u02c7": "\u030c", "\u02da": "\u030a"}
_ACCENTED = re.compile(rf"([{''.join(_ACCENTS)}])((?!\u02c7)[^\W\d_])")
_RINGED = re.compile("([AUau])\u02da")


class Piece(TypedDict):
    """A word, or the part of a word in one style, with its place in points from the page's lower left corner."""

    text: str
    box: Box
    baseline: float
    size: float
    """Type size in points."""
    style: str
    """Letters: b bold, i italic, m mathematical symbols, f within a figure, r rotated."""
    spaced: bool
    """Whether a space or a line end precedes it."""
    hidden: PieceHiddenReason


class PdfPage(TypedDict):
    """A page: its height in points, its matrix, and its pieces in the order of painting."""

    height: float
    matrix: PdfMatrix
    """Matrix from the page as it is shown to the file's coordinates, which annotations use."""
    pieces: list[Piece]


def merge_boxes(one: Box, other: Box) -> Box:
    """Return the smallest box around two boxes."""
    return min(one[0], other[0]), min(one[1], other[1]), max(one[2], other[2]), max(one[3], other[3])


@dataclass
class Line:
    """A line of one column; a line that crosses the gutter is in column -1."""

    page: int
    column: int
    tokens: list[Piece]
    """Whole words, or their parts on this line."""
    baseline: float
    size: float
    """Type size in points of most characters."""
    cells: int
    """Number of parts with wide gaps between them: 1 in prose."""
    maths: float
    """Share of characters in a mathematical font."""
    note: bool
    """Whether it begins with the raised mark of a footnote."""

    @property
    def text(self) -> str:
        """Words with one space between them."""
        return " ".join(token["text"] for token in self.tokens)

    @property
    def left(self) -> float:
        """Left edge in points."""
        return self.tokens[0]["box"][0]

    @property
    def right(self) -> float:
        """Right edge in points."""
        return max(token["box"][2] for token in self.tokens)

    def has_style(self, style: str) -> bool:
        """Return whether all words with letters, if any, have a style, given by its letter in `Piece`."""
        return all(style in token["style"] for token in self.tokens if any(map(str.isalpha, token["text"])))


def build_page_lines(page: PdfPage, number: int) -> list[Line]:
    """Build the lines of a page in reading order, without hidden text and the text within figures."""
    # 1. Group the pieces into rows across the page, and find the gutters.
    seen = (piece for piece in page["pieces"] if not piece["hidden"] and "f" not in piece["style"])
    printed = [piece for piece in seen if clean_characters(piece["text"])]  # no soft hyphens by themselves
    rows = _group_rows(_remove_line_numbers(printed))
    gutters = _find_gutters(rows, _MIN_COLUMN_SHARE)
    # 2. Order the rows. Those that cross a gutter may have their own: an abstract stands beside dates and keywords.
    lines: list[Line] = []
    for block in _divide_rows(rows, gutters):
        is_spanning = len(block) >= _MIN_BLOCK_ROWS and _is_spanning(block[0], gutters)
        own = _find_side_gutter(block) if is_spanning else []
        lines += _order_rows(block, own or gutters, number, first_column=len(gutters) + 1 if own else 0)
    return lines


def _find_side_gutter(rows: list[list[Piece]]) -> list[float]:
    """List the left edge of a wide column of text beside a narrow one; empty without both, as in a table."""
    gutters = _find_gutters(rows, _MIN_SIDE_COLUMN_SHARE)
    parts = [part for row in rows for part in _split_at_gaps(row, _CELL_GAP)]
    ends = [(part[0]["box"][0], part[-1]["box"][2]) for part in parts]
    width = max(right for _, right in ends) - min(left for left, _ in ends)
    behind = [right - left for left, right in ends if gutters and left >= gutters[0] - 3]
    is_wide = sum(length > 0.5 * width for length in behind) > 0.5 * len(behind)
    return gutters if len(gutters) == 1 and is_wide else []


def _divide_rows(rows: list[list[Piece]], gutters: Sequence[float]) -> list[list[list[Piece]]]:
    """Divide a page's rows into blocks: rows that cross a gutter, with rows between that end before it, and others."""
    blocks: list[list[list[Piece]]] = [[]]
    waiting: list[list[Piece]] = []  # after spanning rows; they are in their block if another one follows
    spanning = False
    for row in rows:
        crosses = _is_spanning(row, gutters)
        if spanning and not crosses and row[-1]["box"][2] <= gutters[0]:
            waiting.append(row)
            continue
        if crosses != spanning:
            blocks.append([])
        blocks[-1] += [*waiting, row]
        waiting, spanning = [], crosses
    return [*blocks, waiting] if waiting else blocks


def _is_spanning(row: Sequence[Piece], gutters: Sequence[float]) -> bool:
    """Return whether a part of a row crosses a gutter."""
    return any(_is_crossing_gutter(part, gutters) for part in _split_at_gaps(row, _CELL_GAP))


def _order_rows(rows: list[list[Piece]], gutters: Sequence[float], number: int, first_column: int) -> list[Line]:
    """Split rows at the gutters into lines, and order those between two spanning lines column by column."""
    bands: list[list[Line]] = [[]]
    for row in rows:
        parts: list[list[Piece]] = []
        for part in _split_at_gaps(row, _CELL_GAP):
            start, end = parts[-1][-1]["box"][2] if parts else 0.0, part[0]["box"][0]
            at_gutter = any(start - 1 <= gutter <= end + 3 for gutter in gutters)
            if parts and (not at_gutter or _is_crossing_gutter(part, gutters)):
                parts[-1] += part
            else:
                parts.append(part)
        lines = [_build_line(part, number, gutters, first_column) for part in parts]
        if any(line.column == _SPANNING_COLUMN for line in lines):
            bands += [lines, []]
        else:
            bands[-1] += lines
    return [line for band in bands for line in sorted(band, key=lambda line: line.column)]


def _remove_line_numbers(pieces: list[Piece]) -> list[Piece]:
    """Return pieces without a manuscript's line numbers, which count up evenly without text above or below."""
    columns, taken = defaultdict[int, list[Piece]](list), set[Box]()
    words = sum(any(map(str.isalpha, piece["text"])) for piece in pieces)
    for piece in pieces if words > 0.5 * len(pieces) else ():  # a page of rows of numbers may count them
        if _LINE_NUMBER.fullmatch(piece["text"]):
            columns[round(piece["box"][2])].append(piece)
    for numbers in (numbers for numbers in columns.values() if len(numbers) >= _MIN_NUMBERED_LINES):
        numbers.sort(key=lambda piece: -piece["baseline"])
        pairs = [each for each in pairwise(numbers) if int(each[1]["text"]) == int(each[0]["text"]) + 1]
        steps = sorted(first["baseline"] - second["baseline"] for first, second in pairs)
        even = sum(abs(step - steps[len(steps) // 2]) < 1.5 for step in steps)
        left, right = min(piece["box"][0] for piece in numbers), max(piece["box"][2] for piece in numbers)
        inside = sum(piece["box"][0] < right and piece["box"][2] > left for piece in pieces)
        if even >= 0.7 * len(numbers) and inside <= 1.1 * len(numbers):
            taken.update(piece["box"] for piece in numbers)
    return [piece for piece in pieces if piece["box"] not in taken]


def _group_rows(pieces: list[Piece]) -> list[list[Piece]]:
    """Return pieces in rows by baseline, from the top and the left; super- and subscripts are with their neighbours."""
    # 1. Group by baseline.
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: -piece["baseline"]):
        if rows and rows[-1][0]["baseline"] - piece["baseline"] < 0.2 * piece["size"]:
            rows[-1].append(piece)
        else:
            rows.append([piece])
    # 2. Move superscripts and subscripts to the row of the larger type that they are attached to.
    kept: list[list[Piece]] = [[] for _ in rows]
    largest = [max(piece["size"] for piece in row) for row in rows]  # to skip most rows quickly
    for at, row in enumerate(rows):
        near = [other for other in range(max(0, at - 3), min(len(rows), at + 4)) if other != at]
        for piece in row:
            larger = (other for other in near if _is_smaller(piece["size"], largest[other]))
            hosts = [other for other in larger if any(_has_attached_script(host, piece) for host in rows[other])]
            best = min(hosts, key=lambda other: abs(rows[other][0]["baseline"] - piece["baseline"]), default=at)
            kept[best].append(piece)
    return [sorted(row, key=lambda piece: piece["box"][0]) for row in kept if row]


def _is_smaller(size: float, host_size: float) -> bool:
    """Return whether a type size is below 0.88 of that of a host, as those of superscripts are."""
    return size < 0.88 * host_size


def _has_attached_script(host: Piece, piece: Piece) -> bool:
    """Return whether a smaller piece is right before or after the piece `host`, a little higher or lower."""
    shift = abs(piece["baseline"] - host["baseline"])
    gap = max(piece["box"][0] - host["box"][2], host["box"][0] - piece["box"][2])
    return _is_smaller(piece["size"], host["size"]) and shift < 0.6 * host["size"] and gap < 0.3 * host["size"]


def _split_at_gaps(row: Sequence[Piece], gap: float) -> list[list[Piece]]:
    """Split a row, sorted from the left, where the gap between pieces exceeds `gap` times the type size."""
    parts: list[list[Piece]] = [[row[0]]]
    end = row[0]["box"][2]
    for piece in row[1:]:
        if piece["box"][0] - end > gap * piece["size"]:
            parts.append([])
        parts[-1].append(piece)
        end = max(end, piece["box"][2])
    return parts


def _is_crossing_gutter(part: Sequence[Piece], gutters: Sequence[float]) -> bool:
    """Return whether a part of a row reaches more than 3 points over a gutter on both sides."""
    left, right = part[0]["box"][0], max(piece["box"][2] for piece in part)
    return any(left < gutter - 3 and right > gutter + 3 for gutter in gutters)


def _find_gutters(rows: list[list[Piece]], min_share: float) -> list[float]:
    """List the left edges of the columns after the first in points, at most three; empty for a single column.

    A column is at least `min_share` of the text's width wide.
    """
    segments = [part for row in rows for part in _split_at_gaps(row, _CELL_GAP)]
    spans = [(part[0]["box"][0], max(piece["box"][2] for piece in part), part[0]["baseline"]) for part in segments]
    if not spans:
        return []
    narrowest = min_share * (max(right for _, right, _ in spans) - min(left for left, _, _ in spans))
    first = _find_gutter(spans, narrowest)
    if first is None:
        return []
    sides = [span for span in spans if span[1] <= first], [span for span in spans if span[0] >= first - 2]
    found = [first, *(_find_gutter(side, narrowest) for side in sides)]
    numbers = [part[0]["box"][0] for part in segments if len(part) == 1 and _LIST_NUMBER.fullmatch(part[0]["text"])]
    gutters: list[float] = []
    for gutter in (gutter for gutter in found if gutter is not None):
        # In a numbered list the texts begin at the edge that was found, and the numbers left of it.
        labels = [left for left in numbers if 0 < gutter - left < 30]
        gutters.append(min(labels) if len(labels) > 2 else gutter)
    return sorted(gutters)


def _find_gutter(spans: list[tuple[float, float, float]], narrowest: float) -> float | None:
    """Return the left edge with the most wide lines on both sides and the fewest across it; None without one.

    Args:
        spans: Left end, right end and baseline of each part of a row.
        narrowest: Width of a wide line.
    """
    edges = Counter(round(left) for left, right, _ in spans if right - left > narrowest)
    best, best_score = None, 0
    for edge in sorted(edges):
        if edges[edge - 1] + edges[edge] + edges[edge + 1] < 3:
            continue
        # Lines above or below those that begin at the edge do not cross the column.
        heights = [height for left, right, height in spans if abs(left - edge) < 2 and right - left > narrowest]
        level = [span for span in spans if min(heights) <= span[2] <= max(heights)]
        before = sum(right <= edge and right - left > narrowest for left, right, _ in level)
        behind = sum(left >= edge - 2 and right - left > narrowest for left, right, _ in level)
        across = sum(left < edge - 2 and right > edge for left, right, _ in level)
        score = min(before, behind) - across
        if min(before, behind) >= 3 and score > max(best_score, 0.3 * min(before, behind)):
            best, best_score = float(edge), score
    return best


def _build_line(part: list[Piece], page: int, gutters: Sequence[float], first_column: int) -> Line:
    """Build a line from its pieces, which are sorted from the left; `page` is the number of the page."""
    sizes, maths = Counter[float](), 0
    for piece in part:
        sizes[round(piece["size"], 1)] += len(piece["text"])
        maths += len(piece["text"]) if "m" in piece["style"] else 0
    size = max(sizes, key=lambda size: sizes[size])
    baseline = Counter(piece["baseline"] for piece in part if round(piece["size"], 1) == size).most_common(1)[0][0]
    column = first_column + sum(gutter - 3 <= part[0]["box"][0] for gutter in gutters)
    column = _SPANNING_COLUMN if _is_crossing_gutter(part, gutters) else column
    return Line(
        page=page,
        column=column,
        tokens=_build_tokens(part, size, baseline),
        baseline=baseline,
        size=size,
        cells=len(_split_at_gaps(part, 1.0)),
        maths=maths / sizes.total(),
        note=len(part) > 1 and _is_note_mark(part[0], part[1]),
    )


def _build_tokens(part: Sequence[Piece], size: float, baseline: float) -> list[Piece]:
    """Join the pieces of a line to words, with superscripts in Unicode and without footnote marks after words."""
    tokens: list[Piece] = []
    for at, piece in enumerate(part):
        text = clean_characters(piece["text"])
        small = _is_smaller(piece["size"], size)
        raised = convert_to_superscript(text) if small and piece["baseline"] > baseline + 0.1 * size else text
        last = tokens[-1] if tokens else None
        prose = piece["spaced"] and last is not None and last["text"][-1:].isalnum() and text[:1].isalnum()
        wide = (_SPACE_GAP if prose and piece["size"] == part[at - 1]["size"] else WORD_GAP) * size
        apart = last is None or piece["box"][0] - last["box"][2] > wide
        if last is None or apart or (at == 1 and _is_note_mark(part[0], piece)):
            tokens.append(Piece(**piece | {"text": raised}))
            continue
        # Some files print words or their ends twice in one place to make them look bold.
        double = last["text"].endswith(piece["text"]) and abs(last["box"][2] - piece["box"][2]) < 0.1 * piece["size"]
        marks = small and _FOOTNOTE_MARK.fullmatch(text) and _MARKED_WORD.fullmatch(last["text"])
        if not double and not marks:
            last["text"], last["box"] = last["text"] + raised, merge_boxes(last["box"], piece["box"])
    for token in tokens:  # old TeX fonts print accents before letters: "\u00a8u" becomes "\u00fc"
        text = _ACCENTED.sub(lambda found: normalize("NFC", found[2] + _ACCENTS[found[1]]), token["text"])
        token["text"] = _RINGED.sub(lambda found: normalize("NFC", found[1] + "\u030a"), text)
    return tokens


def _is_note_mark(first: Piece, second: Piece) -> bool:
    """Return whether a line that begins with two pieces begins with the raised mark of a footnote, such as 1 or *."""
    raised = _is_smaller(first["size"], second["size"]) and first["baseline"] > second["baseline"]
    return raised and _FOOTNOTE_MARK.fullmatch(first["text"]) is not None
