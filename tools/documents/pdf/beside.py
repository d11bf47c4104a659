"""Text of a PDF beside its pages: fields of forms, notes, descriptions of pictures, and the file's metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfpage import PDFPage
from pdfminer.pdftypes import PDFObjRef, PDFStream, resolve1
from pdfminer.utils import decode_text

from tools.documents.pdf.page_lines import Beside
from tools.documents.structure import says_something

_MOST_NODES: Final = 20_000
_LONGEST: Final = 4_000  # characters of one text
_MOST_CHARACTERS: Final = 200_000
_OF_PROGRAMS: Final = frozenset({"Creator", "Producer", "CreationDate", "ModDate", "PTEX.Fullbanner"})
_TAGS: Final = re.compile(r"<[^<>]{0,500}>")
_NOTE: Final = ("Contents", "RC", "Subj")
_FIELD: Final = ("V", "DV", "TU", "RV")
_DESCRIPTION: Final = ("Alt", "ActualText", "E")


def beside_pages(document: PDFDocument, pages: list[PDFPage]) -> list[Beside]:
    """Texts that no page paints, without those that are too short to say anything."""
    found: list[Beside] = []
    for page, text, reason in _all_texts(document, pages):
        clean = " ".join(_TAGS.sub(" ", text[:_LONGEST]).split())
        if says_something(clean):
            found.append((page, clean, reason))
        if sum(len(each) for _, each, _ in found) > _MOST_CHARACTERS:
            break
    return list(dict.fromkeys(found))


def _all_texts(document: PDFDocument, pages: list[PDFPage]) -> Iterator[Beside]:
    for number, page in enumerate(pages, start=1):
        for each in resolve1(page.annots) or []:
            note = resolve1(each)
            if isinstance(note, dict):
                field = str(resolve1(note.get("Subtype"))) == "/'Widget'"
                yield from ((number, text, "form field" if field else "comment") for text in _texts(note, _NOTE))
                yield from ((number, text, "form field") for text in _texts(note, _FIELD))
    catalog = document.catalog
    for node in _nodes(catalog.get("AcroForm"), ("Fields", "Kids")):
        yield from ((0, text, "form field") for text in _texts(node, _FIELD))
    for node in _nodes(catalog.get("StructTreeRoot"), ("K",)):
        yield from ((0, text, "alternative text") for text in _texts(node, _DESCRIPTION))
    for information in document.info:
        yield from (
            (0, text, "metadata")
            for text in _texts(information, [name for name in information if name not in _OF_PROGRAMS])
        )
    xmp = resolve1(catalog.get("Metadata"))
    if isinstance(xmp, PDFStream):
        yield 0, xmp.get_data()[: 10 * _LONGEST].decode(errors="replace"), "metadata"


def _nodes(root: Any, down: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """The dictionaries of a tree, each once."""
    stack, seen = [root], set[int]()
    for _ in range(_MOST_NODES):
        if not stack:
            return
        node = stack.pop()
        if isinstance(node, PDFObjRef):
            if node.objid in seen:
                continue
            seen.add(node.objid)
            node = resolve1(node)
        if isinstance(node, list):
            stack += reversed(node)
        elif isinstance(node, dict):
            yield node
            stack += [node[name] for name in down if name in node]


def _texts(node: dict[str, Any], names: Sequence[str]) -> Iterator[str]:
    for name in names:
        value = resolve1(node.get(name))
        if isinstance(value, PDFStream):
            value = value.get_data()[:_LONGEST]
        if isinstance(value, bytes | str):
            yield decode_text(value) if isinstance(value, bytes) else value
