"""Takes headers, footers and page numbers off the lines of a PDF's pages."""

from __future__ import annotations

import re
from collections import Counter

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
    margins = [[line for line in page if _in_margin(line, height)] for page, height in zip(pages, heights, strict=True)]
    rows = [_rows(lines) for lines in margins]
    counts = Counter(pattern for patterns in rows for pattern in set(patterns.values()))
    kept = []
    for at, (page, lines, patterns) in enumerate(zip(pages, margins, rows, strict=True)):
        dropped = {id(line) for line in lines if counts[patterns[_row(line)]] >= max(2, len(pages) // 4)}
        dropped |= {id(line) for line in page if _PAGE_NUMBER.fullmatch(line.text) and _is_outermost(line, page)}
        if at == 0:
            dropped |= {id(line) for line in lines if _IMPRINT.match(line.text)}
        kept.append([line for line in page if id(line) not in dropped])
    return kept


def _in_margin(line: Line, height: float) -> bool:
    return not _MARGIN * height < line.baseline < (1 - _MARGIN) * height


def _is_outermost(line: Line, page: list[Line]) -> bool:
    baselines = [other.baseline for other in page]
    return line.baseline in (min(baselines), max(baselines))


def _rows(lines: list[Line]) -> dict[int, str]:
    """What stays the same of each row of a margin: not its numbers, and not on which side its parts stand.

    A row, because its parts are one line on a page and two on another.
    """
    words: dict[int, list[str]] = {}
    for line in lines:
        words.setdefault(_row(line), []).extend(re.findall(r"[^\W\d]+", line.text.lower()))
    return {row: " ".join(sorted(found)) for row, found in words.items()}


def _row(line: Line) -> int:
    return round(line.baseline)
