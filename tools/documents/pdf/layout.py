"""How a PDF is set: headers and footers, the size of its type, the distance of its lines, the edges of its columns."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from statistics import median, quantiles

from tools.documents.pdf.page_lines import Line

_MARGIN = 0.12  # of the page's height, at the top and at the bottom
_PAGE_NUMBER = re.compile(
    r"(?:page\s+)?[-\u2013\u2014\s]*\d{1,5}[-\u2013\u2014\s]*(?:(?:of|/)\s*\d{1,5})?", re.IGNORECASE
)
_IMPRINT = re.compile(
    r"(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Sept|Nov|Dec)ember|October|(?:In )?Proceedings of"
    r"|\u00a9|c \ufffd|Copyright|arXiv:|https?://doi|doi:|ISSN|Accepted|Published|Preprint|Permission to"
    r"|Licen[sc]ed|Association for|.{0,60}\b(?:19|20)\d\d\. ?[c\u00a9\ufffd]",
    re.IGNORECASE,
)


def without_running_lines(pages: list[list[Line]], heights: list[float]) -> list[list[Line]]:
    """Lines without those in the margins that repeat on other pages, page numbers, and the first page's imprint."""
    margins = [
        [line for line in page if not _MARGIN * height < line.baseline < (1 - _MARGIN) * height]
        for page, height in zip(pages, heights, strict=True)
    ]
    rows = [_rows(lines, number) for number, lines in enumerate(margins)]
    counts = Counter(pattern for patterns in rows for pattern in set().union(*patterns.values()))
    numbered = [_page_numbers(page, number) for number, page in enumerate(pages)]
    shifts = Counter(shift for found in numbered for shift in found.values())
    kept = []
    for at, (page, lines, patterns) in enumerate(zip(pages, margins, rows, strict=True)):
        repeated = (row for row, each in patterns.items() if max(counts[one] for one in each) >= max(2, len(pages) // 4))
        running = set(repeated)
        dropped = {id(line) for line in lines if _row(line) in running}
        dropped |= {line for line, shift in numbered[at].items() if shifts[shift] > 1 or shifts.total() == 1}
        if at == 0:
            dropped |= {id(line) for line in lines if _IMPRINT.match(line.text)}
        kept.append([line for line in page if id(line) not in dropped])
    return kept


def _rows(lines: list[Line], page: int) -> dict[int, set[tuple[str, ...]]]:
    """What each row of a margin with words has in it, in any order: as it is, and with one number told from its page's.

    A row, because its parts are one line on a page and two on another, and on the other side of the next page. Rows
    that differ in their numbers are parts of a text or of a table, unless a number grows with the pages.
    """
    words: dict[int, list[str]] = {}
    for line in lines:
        words.setdefault(_row(line), []).extend(re.findall(r"[^\W\d_]+|\d+", line.text.lower()))
    patterns = {}
    for row, found in words.items():
        if not all(map(str.isdecimal, found)):
            numbers = [at for at, word in enumerate(found) if word.isdecimal()]
            moved = [[*found[:at], f"page{int(found[at]) - page:+}", *found[at + 1 :]] for at in numbers]
            patterns[row] = {tuple(sorted(each)) for each in [found, *moved]}
    return patterns


def _page_numbers(page: list[Line], number: int) -> dict[int, int]:
    """Lines alone at the upper or lower edge of a page that may be its number, and how far that is ahead."""
    rows = Counter(map(_row, page))
    edges = [row for row in (min(rows, default=0), max(rows, default=0)) if rows[row] == 1]
    lines = (line for line in page if _row(line) in edges and _PAGE_NUMBER.fullmatch(line.text))
    return {id(line): int(re.findall(r"\d+", line.text)[0]) - number for line in lines}


def _row(line: Line) -> int:
    return round(line.baseline)


_TERMINAL = re.compile(r".*[.!?:][\"\u201d\u2019')\]]*", re.DOTALL)


class TypeArea:
    """Measures of all lines of a PDF, in points."""

    def __init__(self, lines: list[Line]) -> None:
        sizes = Counter[float]()
        columns: dict[tuple[int, int], list[Line]] = defaultdict(list)
        for line in lines:
            sizes[line.size] += len(line.text)
            columns[line.page, line.column].append(line)
        self.body = max(sizes, key=lambda size: sizes[size], default=10.0)
        self._left = {key: self._edge(column) for key, column in columns.items()}
        self._right = {key: self._right_edge(column) for key, column in columns.items()}
        gaps: dict[int, list[float]] = defaultdict(list)
        for before, line in pairwise(lines):
            if follows(before, line) and before.size == line.size and gap(before, line) < 3 * line.size:
                gaps[round(line.size)].append(gap(before, line))
        self._leading = {size: median(values) for size, values in gaps.items()}
        indented = sum(self.is_indented(line) for line in lines)
        self.indents = indented > 0.02 * len(lines)
        """Whether paragraphs begin with an indentation, rather than behind a gap."""

    def leading(self, line: Line) -> float:
        """Usual distance of two lines of this type size."""
        return self._leading.get(round(line.size), 1.2 * line.size)

    def is_indented(self, line: Line) -> bool:
        """Whether a line begins a little right of its column's edge."""
        return 0.6 * line.size < line.left - self._left[line.page, line.column] < 5 * line.size

    def is_short(self, line: Line) -> bool:
        """Whether a line leaves room at its end, as the last of a paragraph does."""
        left, right = self._left[line.page, line.column], self._right[line.page, line.column]
        return line.right < right - 0.12 * (right - left)

    def hangs(self, line: Line) -> bool:
        """Whether a line begins right of its column's leftmost line, as the later lines of a reference do."""
        return line.left - self._left[line.page, line.column] > 0.4 * line.size

    def _edge(self, column: list[Line]) -> float:
        """The leftmost place at which many lines begin."""
        lefts = Counter(round(line.left) for line in column)
        many = 0.15 * max(lefts[left] + lefts[left + 1] for left in lefts)
        return float(min(left for left in lefts if lefts[left] + lefts[left + 1] >= many))

    def _right_edge(self, column: list[Line]) -> float:
        rights = [line.right for line in column]
        return quantiles(rights, n=10)[-1] if len(rights) > 4 else max(rights)


def follows(before: Line, line: Line) -> bool:
    """Whether a line stands below another in the same column of the same page."""
    return (before.page, before.column) == (line.page, line.column) and before.baseline > line.baseline


def gap(before: Line, line: Line) -> float:
    """Distance of the baselines of two lines of one column."""
    return before.baseline - line.baseline


def ends_sentence(line: Line) -> bool:
    """Whether a line may be the last of its paragraph."""
    return _TERMINAL.fullmatch(line.text) is not None
