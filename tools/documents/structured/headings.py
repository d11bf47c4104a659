"""Tells headings, captions and list items of a PDF from its prose."""

from __future__ import annotations

import re

from tools.documents.lines import HEADING
from tools.documents.structured.page_lines import Line
from tools.documents.structured.type_area import TypeArea, follows, gap

_NUMBERED = re.compile(r"(?:(?:\d+(?:\.\d+)*|[A-Z](?:\.\d+)*|[IVX]+)\.?|[A-Z]\))\s+\S.*")
_COUNTED = re.compile(r"\d{1,2}(?:\.\d{1,2})*\s+[A-Z][^.!?;,]{2,60}")
_FORMULA_NUMBER = re.compile(r"[^\s]\s\(\d{1,3}(?:\.\d+)?[a-z]?\)$")
_CAPTION = re.compile(
    r"(?:Figure|Fig\.?|FIGURE|FIG\.|Table|TABLE|Tab\.|Algorithm|Listing|Scheme|Box)\s+[A-Z]?\.?\d*[IVX]*[a-z]?"
    r"(?:\s*[.:|\u2013\u2014]|\s*$|\s+[A-Z])"
)
_ITEM = re.compile(
    r"(?:[\u2022\u2013\u25e6\u25aa\u00b7\u2219\u2217*\u25cf\u25a0\ufffd-]|\(?\d{1,2}[.)]|\(?[a-z]\)|\[\d+\])\s"
)


def is_heading(line: Line, before: Line | None, area: TypeArea) -> bool:
    """Whether a line is a heading or a part of one, by its type, its number and the space above it."""
    text = line.text
    if len(text) > 120 or len(text.split()) > 16 or line.maths > 0.4 or not _starts_like_a_heading(text):
        return False
    if line.size > 1.08 * area.body:
        return True
    if not is_set_off(line, before, area) or line.size < 0.9 * area.body:
        return False
    numbered = _NUMBERED.fullmatch(text) is not None
    if line.all_in("b") and line.cells <= 1 + numbered:
        # A bold line that fills its column begins a paragraph whose first words are bold.
        return numbered or (area.is_short(line) and not text.endswith((".", ":")))
    named = HEADING.fullmatch(text) and (text.istitle() or _COUNTED.fullmatch(text))
    return area.is_short(line) and bool(named or (numbered and line.all_in("i")) or text.isupper())


def continues_heading(line: Line, heading: Line) -> bool:
    """Whether a heading goes on in another line."""
    return (
        follows(heading, line)
        and heading.all_in("b") == line.all_in("b")
        and gap(heading, line) < 1.7 * line.size
        and abs(heading.size - line.size) < 0.5
        and not _NUMBERED.fullmatch(line.text)
        and not HEADING.fullmatch(heading.text.title() if heading.text.isupper() else "")
    )


def is_set_off(line: Line, before: Line | None, area: TypeArea) -> bool:
    """Whether there is more space above a line than between two lines of a paragraph."""
    return before is None or not follows(before, line) or gap(before, line) > 1.2 * area.leading(before)


def is_formula(line: Line) -> bool:
    """Whether a line is a displayed formula: set in mathematical type, or numbered at the right edge."""
    return line.maths > 0.3 or (line.cells > 1 and _FORMULA_NUMBER.search(line.text) is not None)


def opens_caption(line: Line) -> bool:
    """Whether a line is the first of a figure's or table's caption, if it is set off."""
    return _CAPTION.match(line.text) is not None


def opens_item(line: Line) -> bool:
    """Whether a line begins like an item of a list."""
    return _ITEM.match(line.text) is not None


def _starts_like_a_heading(text: str) -> bool:
    return text[0].isupper() or (text[0].isdigit() and any(map(str.isalpha, text)))
