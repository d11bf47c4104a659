"""Lines of PDF pages to running text: headers and footers off, divided words joined, paragraphs together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from statistics import median

_EDGE = 3  # lines at the top and at the bottom of a page among which headers and footers are looked for
PAGE_NUMBER = re.compile(
    r"(?:page\s+)?[-\u2013\u2014\s]*\d{1,5}[-\u2013\u2014\s]*(?:(?:of|/)\s*\d{1,5})?", re.IGNORECASE
)
_ARXIV_STAMP = re.compile(r"arXiv:\d{4}\.\d{4,5}(?:v\d+)?\b")
# "token-" before "and sentence-level" is a whole word.
_DIVIDED = re.compile(r"(?<!\w)(?P<head>\w+)[-\u2010]\n(?!(?:and|or|to)\s)(?P<tail>\S+)\s?")
_LAST_PARTS = {"aware", "based", "driven", "free", "level", "oriented", "related", "specific", "trained", "wise"}
HEADING = re.compile(
    r"(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+|[IVX]+\.)\s+[A-Z].{0,70}(?<![.,;])"
    r"|Abstract|Introduction|Related Work|Methods|Results|Discussion|Conclusions?|Limitations|Acknowledge?ments",
)


def drop_running_lines(pages: list[list[str]]) -> list[list[str]]:
    """Remove blank lines, headers and footers that repeat over the pages (their numbers may differ), page numbers."""
    pages = [[line.strip() for line in page if line.strip() and not _ARXIV_STAMP.match(line.strip())] for page in pages]
    counts = Counter(pattern for page in pages for pattern in {_pattern(page[at]) for at in _edges(page)})
    running = {pattern for pattern, count in counts.items() if count >= max(3, len(pages) // 4)}
    return [_without_page_number(_without(page, running)) for page in pages]


def join_divided_words(text: str) -> str:
    """Join words that are divided at a line end, keeping the hyphens of compounds ("state-" + "of-the-art")."""
    words = set(re.findall(r"\w+(?:-\w+)*", text.lower()))
    words |= {part for word in words for part in word.split("-")}

    def join(divided: re.Match[str]) -> str:
        hyphen = "-" if is_compound(divided["head"].lower(), divided["tail"], words) else ""
        return f"{divided['head']}{hyphen}{divided['tail']}\n"

    return _DIVIDED.sub(join, text)


def reflow(lines: list[str]) -> str:
    """Lines to paragraphs, one blank line between them; a short line that ends a sentence ends its paragraph."""
    usual = median(len(line) for line in lines) if lines else 0
    paragraphs: list[list[str]] = []
    new = True
    for line in lines:
        heading = HEADING.fullmatch(line) is not None
        if new or heading:
            paragraphs.append([])
        paragraphs[-1].append(line)
        new = heading or (len(line) < 0.8 * usual and line.endswith((".", "?", "!", ":")))
    return "\n\n".join(" ".join(paragraph) for paragraph in paragraphs)


def _edges(page: list[str]) -> Iterable[int]:
    return [at for at in range(len(page)) if at < _EDGE or at >= len(page) - _EDGE]


def _pattern(line: str) -> str:
    return re.sub(r"\d+", "#", line.lower())


def _without(page: list[str], running: set[str]) -> list[str]:
    drop = {at for at in _edges(page) if _pattern(page[at]) in running}
    return [line for at, line in enumerate(page) if at not in drop]


def _without_page_number(page: list[str]) -> list[str]:
    if page and PAGE_NUMBER.fullmatch(page[0]):
        page = page[1:]
    return page[:-1] if page and PAGE_NUMBER.fullmatch(page[-1]) else page


def is_compound(head: str, tail: str, words: set[str]) -> bool:
    """Whether the hyphen at a line end belongs to the word, judged by how the rest of the paper writes it."""
    start = re.sub(r"[^\w-].*|-+$", "", tail.lower())
    if start and head + start.partition("-")[0] in words:
        return False
    if len(head) > 2 and start in _LAST_PARTS:
        return True
    return f"{head}-{start}" in words or "-" in start or not tail[0].islower() or head[-1].isdigit()
