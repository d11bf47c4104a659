"""The parts of a PDF: its title, headings, paragraphs, references, and the text that nobody sees."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any, cast

from state.documents import HiddenText
from state.errors import BadInput
from tools.documents.guarded import MAX_CHARACTERS, ParserStopped, run_parser
from tools.documents.pdf.layout import TypeArea, follows, gap, without_running_lines
from tools.documents.pdf.page_lines import Line, PdfPage, PdfPieces, PdfProblems, Piece, page_lines
from tools.documents.pdf.paragraphs import group_lines, join_lines, vocabulary
from tools.documents.structure import (
    HEADING,
    LABEL,
    Block,
    Parts,
    clean_characters,
    closes_references,
    opens_references,
    pdf_title,
)


class PdfRead(PdfProblems):
    """A file that was read."""

    parts: Parts | None
    """None if no page has text, or it could not be read."""


def pdf_parts(data: bytes, *, name: str, max_pages: int, seconds: int = 120) -> Parts:
    """Read a PDF in a separate process of at most `seconds`, 2 seconds of a processor a page, and 768 MiB.

    Raises:
        BadInput: The file is broken, encrypted, too long, takes too long, or holds no text.
    """
    return parts_of(_read(data, name=name, max_pages=max_pages, seconds=seconds), name=name, max_pages=max_pages)


def parts_of(read: PdfRead, *, name: str, max_pages: int) -> Parts:
    """The parts of a PDF.

    Raises:
        BadInput: The file is broken, encrypted, too long, or holds no text.
    """
    _refuse(read, name=name, max_pages=max_pages)
    if not read["parts"]:
        raise BadInput(
            f"{name} has no text, only images; run OCR on it first (for example with `ocrmypdf`) and try again.",
            kind="pdf_without_text",
        )
    return read["parts"]


def put_together(content: PdfPieces) -> PdfRead:
    """What was found on the pages of a PDF, as the parts of a paper."""
    seen = [any(_is_seen(piece) for piece in page["pieces"]) for page in content["pages"]]
    return PdfRead(
        problem=content["problem"],
        reason=content["reason"],
        count=content["count"],
        unreadable=content["unreadable"],
        parts=_parts(content, empty=seen.count(False)) if any(seen) and not content["problem"] else None,
    )


def _parts(content: PdfPieces, *, empty: int) -> Parts:
    pages = [page_lines(page, number) for number, page in enumerate(content["pages"], start=1)]
    title = _title(content["title"], pages[0])
    pages = without_running_lines(pages, [page["height"] for page in content["pages"]])
    lines = [line for page in pages for line in page]
    return Parts(
        title=title,
        blocks=_in_file_coordinates(_blocks(lines, title), content["pages"]),
        hidden=[
            *(text for number, page in enumerate(content["pages"], start=1) for text in _hidden(page, number)),
            *(HiddenText(text=clean_characters(text), page=page, reason=why) for page, text, why in content["beside"]),
        ],
        pages=content["count"],
        warnings=_warnings(content, empty=empty),
    )


def too_many_pages(name: str, pages: int, max_pages: int) -> BadInput:
    """What the user is told of a PDF that is longer than allowed."""
    return BadInput(
        f"{name} has {pages} pages, more than the {max_pages} that are allowed; pass the part that "
        "matters as a PDF of its own, or raise the limit.",
        kind="input_too_long",
    )


def _read(data: bytes, *, name: str, max_pages: int, seconds: int) -> PdfRead:
    if b"%PDF-" not in data[:1024]:
        raise _broken(name, "it may be a web page that was saved under this name")
    try:
        read: dict[str, Any] = run_parser("tools.documents.pdf.process", data, seconds=seconds, limit=max_pages)
    except ParserStopped as error:
        raise _broken(name, str(error)) from None
    if parts := read["parts"]:
        read["parts"] = Parts(**{**parts, "blocks": [Block(**block) for block in parts["blocks"]]})
    return cast("PdfRead", read)


def _refuse(content: PdfProblems, *, name: str, max_pages: int) -> None:
    """Turn what could not be read, or should not, into an error with advice.

    Raises:
        BadInput: The file is broken, encrypted, or too long.
    """
    if content["problem"] == "encrypted":
        raise BadInput(
            f"{name} is encrypted and needs a password; save a copy without the password and try again.",
            kind="encrypted_pdf",
        )
    if content["problem"] == "too_many_pages":
        raise too_many_pages(name, content["count"], max_pages)
    if content["problem"] == "too_much_text":
        raise BadInput(
            f"{name} holds more than {MAX_CHARACTERS:,} characters of text; pass the part that matters.",
            kind="input_too_long",
        )
    if content["problem"] == "broken" or content["count"] == len(content["unreadable"]):
        raise _broken(name, content["reason"] or " ".join(content["unreadable"][:1]) or "it has no pages")


def _broken(name: str, reason: str) -> BadInput:
    return BadInput(
        f"{name} cannot be read as a PDF ({clean_characters(reason)}); open it in a viewer and save it as a new PDF or "
        "as text, and try again.",
        kind="broken_pdf",
    )


def _warnings(content: PdfPieces, *, empty: int) -> list[str]:
    """One sentence for each page that could not be read, and one for the `empty` pages that show no text."""
    unread = [clean_characters(warning) for warning in content["unreadable"]]
    if empty > len(unread):
        unread.append(f"no text was found on {empty - len(unread)} of {content['count']} pages (images need OCR)")
    return unread


def _is_seen(piece: Piece) -> bool:
    return not piece["hidden"] and any(map(str.isalnum, piece["text"]))


def _title(metadata: str, first_page: list[Line]) -> str:
    title = pdf_title(metadata, [(line.size, line.text) for line in first_page])
    return "" if HEADING.fullmatch(title) else title


def _blocks(lines: list[Line], title: str) -> list[Block]:
    if not lines:
        return []
    area, words = TypeArea(lines), vocabulary(lines)
    blocks: list[Block] = []
    listed: list[Line] = []
    in_references = False
    for group in group_lines(lines, area):
        text, places = join_lines(group.lines, words)
        if group.role == "heading" and opens_references(text):
            in_references = True
        elif in_references and group.role == "heading" and closes_references(text):
            in_references = False
        elif in_references:
            listed += group.lines
            continue
        if group.role == "heading" and _letters(text) and _letters(text) in _letters(title):
            continue
        block = Block("paragraph", text, group.lines[0].page, places)
        blocks.append(replace(block, kind="heading") if group.role == "heading" else block)
    for entry in _entries(listed, area):
        text, places = join_lines(entry, words)
        blocks.append(Block("reference", text, entry[0].page, places))
    return blocks


def _entries(lines: Sequence[Line], area: TypeArea) -> list[list[Line]]:
    """Lines of the list to entries: by their labels, else by hanging indentation, else by the gaps between them."""
    labelled = sum(LABEL.match(line.text) is not None for line in lines) > 0.1 * len(lines)
    hanging = any(area.hangs(line) for line in lines)
    entries: list[list[Line]] = []
    for line in lines:
        last = entries[-1][-1] if entries else None
        if last is None:
            new = True
        elif labelled:
            new = LABEL.match(line.text) is not None
        elif hanging:
            new = not area.hangs(line)
        else:
            new = follows(last, line) and gap(last, line) > 1.15 * area.leading(line)
        if new:
            entries.append([])
        entries[-1].append(line)
    return entries


def _in_file_coordinates(blocks: list[Block], pages: list[PdfPage]) -> list[Block]:
    """Turn the boxes of words from those of the page as it is shown to those of the file."""
    for word in (word for block in blocks for word in block.words):
        a, b, c, d, e, f = pages[word["page"] - 1]["matrix"]
        x0, y0, x1, y1 = word["box"]
        xs, ys = zip(*((a * x + c * y + e, b * x + d * y + f) for x, y in ((x0, y0), (x1, y1))), strict=True)
        word["box"] = [round(value, 2) for value in (min(xs), min(ys), max(xs), max(ys))]
    return blocks


def _hidden(page: PdfPage, number: int) -> Iterable[HiddenText]:
    for reason, pieces in groupby(page["pieces"], key=lambda piece: piece["hidden"]):
        text = clean_characters(_text(list(pieces))) if reason else ""
        if reason and re.search(r"[^\W\d_]{2}", text):
            yield HiddenText(text=text, page=number, reason=reason)


def _text(pieces: list[Piece]) -> str:
    text = pieces[0]["text"]
    for before, piece in pairwise(pieces):
        near = abs(piece["box"][0] - before["box"][2]) < 0.15 * max(piece["size"], 0.1)
        text += ("" if near and before["baseline"] == piece["baseline"] else " ") + piece["text"]
    return text


def _letters(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).lower()
