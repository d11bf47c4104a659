"""Group the lines of a PDF into headings and paragraphs, and join them to text with the places of words.

A paragraph of the body continues after a footnote, a caption, a table or the end of a column.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from state.documents import Word
from tools.documents.pdf.layout import TypeArea, compute_line_gap, is_followed_by, is_sentence_end
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
            if divided and _WORD_TAIL.match(token.text):
                # The hyphen belongs to the word if the paper writes it so elsewhere, or if the parts form a compound.
                head, tail = divided["head"].lower(), token.text
                rest = re.sub(r"[^\w-].*|-+$", "", tail.lower())
                is_one_word = rest and head + rest.partition("-")[0] in words
                has_usual_ending = len(head) > 2 and rest in _COMPOUND_ENDINGS
                is_compound = has_usual_ending or "-" in rest or not tail[0].islower() or head[-1].isdigit()
                is_hyphenated = not is_one_word and (is_compound or f"{head}-{rest}" in words)
                hyphen = "-" if is_hyphenated else ""
                joined[-1] = f"{joined[-1][:-1]}{hyphen}{token.text}"
                places[-1].append((line.page, token.box))
            else:
                joined.append(token.text)
                places.append([(line.page, token.box)])
    records: list[Word] = []
    start = 0
    for word, boxes in zip(joined, places, strict=True):
        end = start + len(word)
        records += [Word(start=start, end=end, page=page, box=list(box)) for page, box in boxes]
        start = end + 1
    return " ".join(joined), records
