"""Group the lines of a PDF into headings and paragraphs by its layout, and join them to text with the places of words.

Type sizes, line distances and column edges are measured over the whole file. A paragraph of the body continues after a
footnote, a caption, a table or the end of a column.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median, quantiles
from typing import Literal

from state.documents import Word
from tools.documents.pdf.page_lines import Box, Line
from tools.documents.structure import SECTION_HEADING, is_references_heading

LineRole = Literal["heading", "body", "aside", "table"]
_NUMBERED = re.compile(r"(?:(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*|[IVX]+)\.?|[A-Z]\))\s+\S.*")
_NUMBERED_TITLE = re.compile(r"\d{1,2}(?:\.\d{1,2})*\s+[A-Z][^.!?;,]{2,60}")
_FORMULA_NUMBER = re.compile(r"[^\s]\s\(\d{1,3}(?:\.\d+)?[a-z]?\)$")
_CAPTION = re.compile(
    r"(?:Figure|Fig\.?|FIGURE|FIG\.|Table|TABLE|Tab\.|Algorithm|Listing|Scheme|Box)\s+[A-Z]?\.?\d*[IVX]*[a-z]?"
    r"(?:\s*[.:|\u2013\u2014]|\s*$|\s+[A-Z])"
)
_ITEM = re.compile(
    r"(?:[\u2022\u2013\u25e6\u25aa\u00b7\u2219\u2217*\u25cf\u25a0\ufffd-]|\(?\d{1,2}[.)]|\(?[a-z]\)|\[\d+\])\s"
)
_DIVIDED_WORD = re.compile(r"(?:.*\W)?(?P<head>\w+)[-\u2010]", re.DOTALL)
_WORD_TAIL = re.compile(r"(?!(?:and|or|to)$)\w")  # "token-" before "and sentence-level" is a whole word
_COMPOUND_ENDINGS = {"aware", "based", "driven", "free", "level", "oriented", "related", "specific", "trained", "wise"}
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
    return line.text.rstrip("\"\u201d\u2019')]").endswith((".", "!", "?", ":"))


@dataclass
class LineGroup:
    """Lines of a heading, a paragraph of the body, a table, or a text aside."""

    role: LineRole
    lines: list[Line]

    @property
    def last(self) -> Line:
        """Last line so far."""
        return self.lines[-1]


class GroupedLines:
    """All lines of a PDF, grouped on construction into `groups`: headings, body, tables and asides (captions)."""

    def __init__(self, lines: list[Line], area: TypeArea) -> None:
        self._area = area
        self.groups: list[LineGroup] = []
        self._body: LineGroup | None = None
        self._aside: LineGroup | None = None
        self._before: Line | None = None
        tables = _find_table_lines(lines)
        for line in lines:
            self._add_line(line, self._classify_line(line, id(line) in tables))
            self._before = line

    def _add_line(self, line: Line, role: LineRole) -> None:
        """Add a line to an open group of its role, or begin a new group with it."""
        if role == "heading":
            group = self.groups[-1] if self._is_heading_continuation(line) else None
            self._body = self._aside = None
        else:
            group = self._body if role == "body" else self._aside
            if group and (group.role != role or not self._is_continuation(group, line)):
                group = None
        if group:
            group.lines.append(line)
        else:
            group = LineGroup(role, [line])
            self.groups.append(group)
        if role == "body":
            self._body, self._aside = group, None
        elif role != "heading":
            self._aside = group

    def _is_heading_continuation(self, line: Line) -> bool:
        """Return whether a line continues the last group, which is a heading right above it."""
        if not self.groups or self.groups[-1].role != "heading":
            return False
        heading = self.groups[-1].last
        return (
            is_followed_by(heading, line)
            and heading.has_style("b") == line.has_style("b")
            and compute_line_gap(heading, line) < 1.7 * line.size
            and abs(heading.size - line.size) < 0.5
            and not _NUMBERED.fullmatch(line.text)
            and not SECTION_HEADING.fullmatch(heading.text.title() if heading.text.isupper() else "")
        )

    def _classify_line(self, line: Line, table: bool) -> LineRole:
        """Return the role of the next line; `table` says whether it is in a table."""
        before = self._before
        if table:
            return "table"
        if _CAPTION.match(line.text) and _is_set_off(line, before, self._area):
            return "aside"
        special = line.has_style("b") or line.size > 1.08 * self._area.body
        if _is_heading(line, before, self._area) or (special and self._is_heading_continuation(line)):
            return "heading"
        if self._body and _is_formula(line) and is_followed_by(self._body.last, line):
            return "body"
        is_aside = line.size < 0.96 * self._area.body
        if self._aside and _CAPTION.match(self._aside.lines[0].text):  # some captions are as large as the body
            last = self._aside.last
            is_aside |= abs(last.size - line.size) < 0.2 and not _is_set_off(line, last, self._area)
        return "aside" if is_aside else "body"

    def _is_continuation(self, group: LineGroup, line: Line) -> bool:
        """Return whether a line continues a group of its own role."""
        last = group.last
        if group.role == "table":
            return is_followed_by(last, line) and compute_line_gap(last, line) < 3 * self._area.find_leading(line)
        # 1. The first line of a footnote, a caption, an item, or other small print begins a new group.
        is_caption = _CAPTION.match(line.text) and _is_set_off(line, last, self._area)
        small_print = group.role == "aside" and abs(last.size - line.size) > 0.6 and line.maths < 0.3
        is_item = _ITEM.match(line.text) and (is_sentence_end(last) or abs(last.left - line.left) > 1)
        if line.note or is_caption or small_print or is_item:
            return False
        # 2. After an interruption or in the next column, the text continues within a sentence or, in papers that
        # indent paragraphs, without an indentation.
        if not is_followed_by(last, line) or self._before is not last:
            if not is_sentence_end(last):
                return group.role == "body" or line.text[:1].islower()
            fits = self._area.indents and not self._area.is_short(last) and not self._area.is_indented(line)
            return group.role == "body" and fits
        # 3. Right below.
        if group.role == "body" and (_is_formula(line) or _is_formula(last)):
            near = compute_line_gap(last, line) < 4 * self._area.find_leading(line)
            return near and (_is_formula(line) or not self._area.is_indented(line))
        return self._is_same_paragraph(group, line)

    def _is_same_paragraph(self, group: LineGroup, line: Line) -> bool:
        """Return whether a line right below a group belongs to the same paragraph."""
        last, area = group.last, self._area
        ended = is_sentence_end(last)
        if not ended and line.text[:1].islower() and compute_line_gap(last, line) < 3 * area.find_leading(line):
            return True
        if compute_line_gap(last, line) > 1.35 * area.find_leading(line):
            return False
        if _CAPTION.match(group.lines[0].text):
            return True
        if area.is_indented(line) and not area.is_indented(last) and (ended or group.role == "body"):
            return False
        block = len(group.lines) > 1 and area.is_indented(last) and area.is_indented(group.lines[-2])
        if block and ended and not area.is_indented(line):
            return False
        return not (ended and area.is_short(last) and not line.text[:1].islower())


def _find_table_lines(lines: list[Line]) -> set[int]:
    """Return the `id()` of all lines in tables, that is, in runs of lines with wide gaps."""
    found: set[int] = set()
    run: list[Line] = []
    for line in [*lines, None]:
        if line and line.cells > 1 and not _is_formula(line) and (not run or is_followed_by(run[-1], line)):
            run.append(line)
            continue
        if len(run) > 2 or (len(run) == 2 and max(row.cells for row in run) > 2):
            found |= {id(row) for row in run}
        run = [line] if line and line.cells > 1 else []
    return found


def _is_heading(line: Line, before: Line | None, area: TypeArea) -> bool:
    """Return whether a line is of a heading, by its type, its number and the space above it."""
    text = line.text
    if is_references_heading(text):
        return True  # many journals set this heading as small as the list
    is_long = len(text) > 120 or len(text.split()) > 16
    if is_long or line.maths > 0.4 or not (text[0].isupper() or (text[0].isdigit() and any(map(str.isalpha, text)))):
        return False
    if line.size > 1.08 * area.body:
        return True
    if not _is_set_off(line, before, area) or line.size < 0.9 * area.body:
        return False
    numbered = _NUMBERED.fullmatch(text) is not None
    if line.has_style("b") and line.cells <= 1 + numbered:
        # A bold line that fills its column begins a paragraph whose first words are bold.
        return numbered or (area.is_short(line) and not text.endswith((".", ":")))
    named = SECTION_HEADING.fullmatch(text) and (text.istitle() or _NUMBERED_TITLE.fullmatch(text))
    return area.is_short(line) and bool(named or (numbered and line.has_style("i")) or text.isupper())


def _is_set_off(line: Line, before: Line | None, area: TypeArea) -> bool:
    """Return whether a line is the first of its column, or has more space above than lines of a paragraph."""
    if before is None or not is_followed_by(before, line):
        return True
    return compute_line_gap(before, line) > 1.2 * area.find_leading(before)


def _is_formula(line: Line) -> bool:
    """Return whether a line seems a formula: over 30 % in mathematical type, or numbered at the right edge."""
    return line.maths > 0.3 or (line.cells > 1 and _FORMULA_NUMBER.search(line.text) is not None)


def build_vocabulary(lines: Iterable[Line]) -> set[str]:
    """Return a paper's words and the parts of hyphenated ones in lower case, to find how it writes a divided word."""
    words = set(re.findall(r"\w+(?:-\w+)*", "\n".join(line.text.lower() for line in lines)))
    return words | {part for word in words for part in word.split("-")}


def join_lines(lines: Sequence[Line], words: set[str]) -> tuple[str, list[Word]]:
    """Join lines to a text, with divided words written as in `words`, and return it and the places of its words.

    A word that is divided at a line end has two places, each with the offsets of the whole word.
    """
    joined: list[str] = []
    places: list[list[tuple[int, Box]]] = []
    for line in lines:
        for at, token in enumerate(line.tokens):
            divided = _DIVIDED_WORD.fullmatch(joined[-1]) if at == 0 and joined else None
            if divided and _WORD_TAIL.match(token["text"]):
                # The hyphen belongs to the word if the paper writes it so elsewhere, or if the parts form a compound.
                head, tail = divided["head"].lower(), token["text"]
                rest = re.sub(r"[^\w-].*|-+$", "", tail.lower())
                is_one_word = rest and head + rest.partition("-")[0] in words
                has_usual_ending = len(head) > 2 and rest in _COMPOUND_ENDINGS
                is_compound = has_usual_ending or "-" in rest or not tail[0].islower() or head[-1].isdigit()
                is_hyphenated = not is_one_word and (is_compound or f"{head}-{rest}" in words)
                hyphen = "-" if is_hyphenated else ""
                joined[-1] = f"{joined[-1][:-1]}{hyphen}{tail}"
                places[-1].append((line.page, token["box"]))
            else:
                joined.append(token["text"])
                places.append([(line.page, token["box"])])
    records: list[Word] = []
    start = 0
    for word, boxes in zip(joined, places, strict=True):
        end = start + len(word)
        records += [Word(start=start, end=end, page=page, box=list(box)) for page, box in boxes]
        start = end + 1
    return " ".join(joined), records
