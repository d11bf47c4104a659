"""Reads one PDF with pypdf in a process of its own; `tools.documents.pdf` starts this file as a script.

A hostile file can make any parser loop, recurse or fill the memory. A process can be limited and killed, a thread
cannot. Nothing of Draftroom is imported here, so that the script runs wherever its file lies.
"""

from __future__ import annotations

import json
import logging
import sys
from collections import Counter
from collections.abc import Iterable
from io import BytesIO
from typing import Any, Literal, TypedDict

from pypdf import PdfReader, mult
from pypdf.errors import PyPdfError

MAX_CHARACTERS = 4_000_000
_MEMORY_BYTES = 2 * 1024**3
_TITLE_LINES = 100  # the title stands above them

# pypdf's own errors, and what it was seen to raise beside them for 15,000 truncated, cut and bit-flipped files: bad
# base-85 and AES lengths (ValueError), unknown filters (NotImplementedError), objects of an unexpected type
# (TypeError, AttributeError, LookupError, AssertionError). RecursionError and MemoryError were not seen, but deep
# nesting and bombs would end in them if they got past pypdf's own limits.
_MALFORMED = (
    PyPdfError,
    ValueError,
    NotImplementedError,
    TypeError,
    AttributeError,
    LookupError,
    AssertionError,
    RecursionError,
    MemoryError,
)

Problem = Literal["", "broken", "encrypted", "too_many_pages", "too_much_text"]


class PdfContent(TypedDict):
    """What pypdf found in a file, or the problem that kept it from reading."""

    problem: Problem
    reason: str
    """pypdf's own words on a broken file."""
    count: int
    """Number of pages."""
    pages: list[str]
    """Text of every page, "" for those that could not be read."""
    unreadable: list[str]
    """One sentence for every page that could not be read."""
    title: str
    """From the metadata, where it is often missing or wrong."""
    first_page: list[tuple[float, str]]
    """First lines of the first page with the size of their type in points; rotated text is left out."""


def extract(data: bytes, max_pages: int) -> PdfContent:
    """Text of every page; a page that cannot be read is reported, not fatal."""
    content = PdfContent(problem="", reason="", count=0, pages=[], unreadable=[], title="", first_page=[])
    try:
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            content["problem"] = "encrypted"
            return content
        content["count"] = len(reader.pages)
    except _MALFORMED as error:
        unknown_encryption = isinstance(error, NotImplementedError) and b"/Encrypt" in data
        content["problem"] = "encrypted" if unknown_encryption else "broken"
        content["reason"] = reason(error)
        return content
    if content["count"] > max_pages:
        content["problem"] = "too_many_pages"
        return content
    content["title"] = _metadata_title(reader)
    _read_pages(reader, content)
    return content


def _read_pages(reader: PdfReader, content: PdfContent) -> None:
    characters = 0
    for index in range(content["count"]):
        chunks: list[tuple[float, str]] = []
        try:
            text = _page_text(reader, index, chunks)
        except _MALFORMED as error:
            text = ""
            content["unreadable"].append(f"page {index + 1} could not be read and was left out: {reason(error)}")
        content["pages"].append(text)
        if index == 0:
            content["first_page"] = _sized_lines(chunks)[:_TITLE_LINES]
        characters += len(text)
        if characters > MAX_CHARACTERS:
            content["problem"] = "too_much_text"
            return


def _page_text(reader: PdfReader, index: int, chunks: list[tuple[float, str]]) -> str:
    """Text of a page; of the first one, also its pieces with their type size, added to `chunks`."""

    def note_size(text: str, page_matrix: list[float], text_matrix: list[float], _font: Any, size: float) -> None:
        _, skew, _, height, *_ = mult(text_matrix, page_matrix)
        if abs(height) > abs(skew):
            chunks.append((round(size * abs(height), 1), text))

    return reader.pages[index].extract_text(visitor_text=note_size if index == 0 else None)


def _sized_lines(chunks: Iterable[tuple[float, str]]) -> list[tuple[float, str]]:
    """Pieces of text to lines, each with the size that most of its characters have."""
    lines: list[tuple[float, str]] = []
    line, sizes = "", Counter[float]()
    for size, text in [*chunks, (0.0, "\n")]:
        for position, part in enumerate(text.split("\n")):
            if position > 0:
                if line.strip():
                    lines.append((sizes.most_common(1)[0][0], line.strip()))
                line, sizes = "", Counter[float]()
            line += part
            sizes[size] += len(part.strip())
    return lines


def _metadata_title(reader: PdfReader) -> str:
    try:
        return str((reader.metadata and reader.metadata.title) or "")
    except _MALFORMED:  # the metadata may be broken where the pages are not
        return ""


def reason(error: BaseException) -> str:
    """An error in one short line."""
    return " ".join(str(error).split())[:120] or type(error).__name__


def limit_resources(seconds: int) -> None:
    """Bound processor time and memory, also for the case that the parent is killed and cannot enforce its limit."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415  (not on Windows)

    for kind, limit in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, _MEMORY_BYTES)):
        _, hard = resource.getrlimit(kind)
        if hard == resource.RLIM_INFINITY or hard > limit:
            resource.setrlimit(kind, (limit, limit))


if __name__ == "__main__":
    logging.disable()  # pypdf logs every oddity of a file
    limit_resources(seconds=int(sys.argv[2]))
    json.dump(extract(sys.stdin.buffer.read(), max_pages=int(sys.argv[1])), sys.stdout)
