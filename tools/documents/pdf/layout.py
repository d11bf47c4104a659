"""Measure the layout of a PDF: running lines, type sizes, line distances and column edges."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from statistics import median, quantiles

from tools.documents.pdf.page_lines import Line

_MARGIN_SHARE = 0.12  # of the page's height, at the top and at the bottom
_PAGE_NUMBER = re.compile(
    r"(?:page\s+)?[-\u2013\u2014\s]*\d{1,5}[-\u2013\u2014\s]*(?:(?:of|/)\s*\d{1,5})?", re.IGNORECASE
)
_IMPRINT = re.compile(
    r"(?:Jan|Febr)uary|March|April|May|June|July|August|(?:Sept|Nov|Dec)ember|October|(?:In )?Proceedings of"
    r"|\u00a9|c \ufffd|Copyright|arXiv:|https?://doi|doi:|ISSN|Accepted|Published|Preprint|Permission to"
    r"|Licen[sc]ed|Association for|.{0,60}\b(?:19|20)\d\d\. ?[c\u00a9\ufffd]",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r".*[.!?:][\"\u201d\u2019')\]]*", re.DOTALL)


def remove_running_lines(pages: list[list[Line]], heights: list[float]) -> list[list[Line]]:
    """Return the pages without margin lines that repeat, page numbers, and the first page's imprint."""
    # 1. Collect the words and numbers of each row of a margin; one row may be two lines on another page.
    margins = [
        [line for line in page if not _MARGIN_SHARE * height < line.baseline < (1 - _MARGIN_SHARE) * height]
        for page, height in zip(pages, heights, strict=True)
    ]
    rows: list[dict[int, list[str]]] = []
    for margin in margins:
        rows.append(defaultdict(list))
        for line in margin:
            rows[-1][round(line.baseline)] += re.findall(r"[^\W\d_]+|\d+", line.text.lower())
    # 2. Find the offset of the printed page numbers; rows of several numbers are of a table.
    ahead = Counter[int]()
    for at, page_rows in enumerate(rows):
        candidates = (words for words in page_rows.values() if len(words) == 1 or not all(map(str.isdecimal, words)))
        numbers = {int(word) for words in candidates for word in words if word.isdecimal()}
        ahead.update(number - at for number in numbers)
    shift, pages_with_it = max(ahead.items(), key=lambda item: item[1], default=(0, 0))
    # 3. Count the rows without page numbers, and remove those that repeat.
    running: list[dict[int, tuple[str, ...]]] = []
    for at, page_rows in enumerate(rows):
        number = Counter([str(at + shift) if pages_with_it > 1 else ""])
        left = {row: tuple(sorted((Counter(words) - number).elements())) for row, words in page_rows.items()}
        # Rows of other numbers are of a table.
        running.append({row: words for row, words in left.items() if not (words and all(map(str.isdecimal, words)))})
    counts = Counter(pattern for patterns in running for pattern in set(patterns.values()))
    kept = []
    for at, (page, lines, patterns) in enumerate(zip(pages, margins, running, strict=True)):
        repeated = {row for row, words in patterns.items() if not words or counts[words] >= max(2, len(pages) // 4)}
        dropped = {id(line) for line in lines if round(line.baseline) in repeated}
        dropped |= {id(line) for line in lines if at == 0 and _IMPRINT.match(line.text)}
        if pages_with_it < 2:
            edges = [line.baseline for line in page]
            outer = (line for line in page if line.baseline in (min(edges), max(edges)))
            dropped |= {id(line) for line in outer if _PAGE_NUMBER.fullmatch(line.text)}
        kept.append([line for line in page if id(line) not in dropped])
    return kept


class TypeArea:
    """Measures of all lines of a PDF in points: the body's type size, column edges, line distances and indentation."""

    def __init__(self, lines: list[Line]) -> None:
        # 1. The body's type size has most characters.
        sizes = Counter[float]()
        columns: dict[tuple[int, int], list[Line]] = defaultdict(list)
        for line in lines:
            sizes[line.size] += len(line.text)
            columns[line.page, line.column].append(line)
        self.body = max(sizes, key=lambda size: sizes[size], default=10.0)
        # 2. A column's edges are those that many lines share; a few lines stick out.
        self._left: dict[tuple[int, int], float] = {}
        self._right: dict[tuple[int, int], float] = {}
        for key, column in columns.items():
            lefts, rights = Counter(round(line.left) for line in column), [line.right for line in column]
            many = 0.15 * max(lefts[left] + lefts[left + 1] for left in lefts)
            self._left[key] = min(left for left in lefts if lefts[left] + lefts[left + 1] >= many)
            self._right[key] = quantiles(rights, n=10)[-1] if len(rights) > 4 else max(rights)
        # 3. Line distances of each type size.
        gaps: dict[int, list[float]] = defaultdict(list)
        for before, line in pairwise(lines):
            gap = compute_line_gap(before, line)
            if is_followed_by(before, line) and before.size == line.size and gap < 3 * line.size:
                gaps[round(line.size)].append(gap)
        self._leading = {size: median(values) for size, values in gaps.items()}
        indented = sum(self.is_indented(line) for line in lines)
        self.indents = indented > 0.02 * len(lines)  # whether paragraphs begin with an indentation, not after a gap

    def find_leading(self, line: Line) -> float:
        """Return the usual distance in points of two lines of a line's type size, or a guess if there are none."""
        return self._leading.get(round(line.size), 1.2 * line.size)

    def is_indented(self, line: Line) -> bool:
        """Return whether a line begins a little right of its column's edge."""
        return 0.6 * line.size < line.left - self._left[line.page, line.column] < 5 * line.size

    def is_short(self, line: Line) -> bool:
        """Return whether a line ends well before its column's edge, like the last line of a paragraph."""
        left, right = self._left[line.page, line.column], self._right[line.page, line.column]
        return line.right < right - 0.12 * (right - left)

    def is_hanging(self, line: Line) -> bool:
        """Return whether a line begins right of its column's edge, like the later lines of a reference."""
        return line.left - self._left[line.page, line.column] > 0.4 * line.size


def is_followed_by(before: Line, line: Line) -> bool:
    """Return whether `line` is anywhere below `before` in the same column of the same page."""
    return (before.page, before.column) == (line.page, line.column) and before.baseline > line.baseline


def compute_line_gap(before: Line, line: Line) -> float:
    """Compute how many points the baseline of `line` is below that of `before`; negative if it is above."""
    return before.baseline - line.baseline


def is_sentence_end(line: Line) -> bool:
    """Return whether a line ends in `.`, `!`, `?` or `:`, and so may be the last of its paragraph."""
    return _SENTENCE_END.fullmatch(line.text) is not None
