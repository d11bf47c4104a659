"""Best guesses at the title of a paper; an empty string is an honest answer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from tools.documents.decoding import clean_characters
from tools.documents.sections import opens_abstract

_LONGEST = 40  # words


def pdf_title(metadata: str, first_page: Sequence[tuple[float, str]]) -> str:
    """The metadata's title if it stands on the first page (it is often a file name), else the largest type there.

    Args:
        metadata: Title in the file's metadata.
        first_page: Lines of the first page with their type size in points.
    """
    lines = [(size, _one_line(text)) for size, text in first_page]
    title = _one_line(metadata)
    if len(title.split()) > 1 and _letters(title) in _letters("".join(text for _, text in lines)):
        return title
    return _largest(lines) or _above_abstract([text for _, text in lines])


def text_title(lines: list[str]) -> str:
    """The first line if it is short, no sentence, and set off by a blank line."""
    start = next((at for at, line in enumerate(lines) if line.strip()), len(lines))
    first, *rest = lines[start:] or [""]
    set_off = rest and not rest[0].strip() and any(line.strip() for line in rest)
    short = len(first.split()) <= _LONGEST and not first.rstrip().endswith((".", ":", ","))
    return _one_line(first) if set_off and short and not opens_abstract(first) else ""


def _largest(lines: list[tuple[float, str]]) -> str:
    """First run of lines in the largest type that has the length of a title and is larger than the body's."""
    sizes = Counter[float]()
    for size, text in lines:
        sizes[size] += len(text)
    body = max(sizes, key=lambda size: sizes[size], default=0.0)
    for size in sorted((size for size in sizes if size > body), reverse=True):
        run = _first_run(lines, size)
        if 1 < len(run.split()) <= _LONGEST and not opens_abstract(run):
            return run
    return ""


def _first_run(lines: list[tuple[float, str]], size: float) -> str:
    start = next(at for at, line in enumerate(lines) if line[0] == size)
    end = next((at for at in range(start, len(lines)) if lines[at][0] != size), len(lines))
    return " ".join(text for _, text in lines[start:end])


def _above_abstract(lines: list[str]) -> str:
    """The first line of a page that is set in one size, if an abstract follows."""
    return lines[0] if any(opens_abstract(line) for line in lines[1:]) else ""


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()


def _one_line(text: str) -> str:
    return " ".join(clean_characters(text).split())
