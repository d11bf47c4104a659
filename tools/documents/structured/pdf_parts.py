"""The parts of a PDF: its title, headings, paragraphs, references, and the text that nobody sees."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby, pairwise
from pathlib import Path
from typing import cast

import tools
from state.documents import HiddenText
from tools.documents.decoding import clean_characters
from tools.documents.lines import HEADING
from tools.documents.pdf import page_warnings, refuse, run_parser
from tools.documents.structured import pdfminer_process
from tools.documents.structured.blocks import Block, Parts
from tools.documents.structured.grouping import group_lines
from tools.documents.structured.joining import join_lines, vocabulary
from tools.documents.structured.page_lines import Line, page_lines
from tools.documents.structured.pdf_references import split_entries
from tools.documents.structured.pdfminer_process import PdfPage, PdfPieces
from tools.documents.structured.reference_list import closes_references, opens_references
from tools.documents.structured.running_lines import without_running_lines
from tools.documents.structured.type_area import TypeArea
from tools.documents.structured.visibility import Piece
from tools.documents.titles import pdf_title


def pdf_parts(data: bytes, *, name: str, max_pages: int, seconds: int = 120) -> Parts:
    """Read a PDF in a separate process of at most `seconds` and 2 GiB.

    Raises:
        BadInput: The file is broken, encrypted, too long, or holds no text.
    """
    content = _run_pdfminer(data, name=name, max_pages=max_pages, seconds=seconds)
    seen = [any(_is_seen(piece) for piece in page["pieces"]) for page in content["pages"]]
    refuse(content, name=name, max_pages=max_pages, has_text=any(seen))
    pages = [page_lines(page, number) for number, page in enumerate(content["pages"], start=1)]
    title = _title(content["title"], pages[0])
    pages = without_running_lines(pages, [page["height"] for page in content["pages"]])
    lines = [line for page in pages for line in page]
    return Parts(
        title=title,
        blocks=_in_file_coordinates(_blocks(lines, title), content["pages"]),
        hidden=[text for number, page in enumerate(content["pages"], start=1) for text in _hidden(page, number)],
        pages=content["count"],
        warnings=page_warnings(content, empty=seen.count(False)),
    )


def _is_seen(piece: Piece) -> bool:
    return not piece["hidden"] and any(map(str.isalnum, piece["text"]))


def _run_pdfminer(data: bytes, *, name: str, max_pages: int, seconds: int) -> PdfPieces:
    command = [sys.executable, "-P", "-m", pdfminer_process.__name__, str(max_pages), str(seconds)]
    root = str(Path(tools.__path__[0]).parent)
    path = os.pathsep.join([root, *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path}
    return cast("PdfPieces", run_parser(command, data, name=name, seconds=seconds, environment=environment))


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
    for entry in split_entries(listed, area):
        text, places = join_lines(entry, words)
        blocks.append(Block("reference", text, entry[0].page, places))
    return blocks


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
