"""How a PDF is set: the size of its body type, the distance of its lines, the edges of its columns."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise
from statistics import median, quantiles

from tools.documents.pdf.page_lines import Line

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
        self._leading = _leadings(lines)
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


def _leadings(lines: list[Line]) -> dict[int, float]:
    gaps: dict[int, list[float]] = defaultdict(list)
    for before, line in pairwise(lines):
        if follows(before, line) and before.size == line.size and gap(before, line) < 3 * line.size:
            gaps[round(line.size)].append(gap(before, line))
    return {size: median(values) for size, values in gaps.items()}
