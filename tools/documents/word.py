"""The parts of a Word file (.docx): headings by their styles, tracked changes as if they had been accepted.

The file is read in a process of its own, in which this module is run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO
from zipfile import BadZipFile

from docx import Document
from docx.document import Document as WordDocument
from docx.opc.exceptions import OpcError
from docx.oxml.table import CT_Tbl, CT_Tc
from docx.oxml.text.run import CT_R
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from lxml.etree import LxmlError

from state.documents import HiddenReason, HiddenText
from tools.documents.guarded import Unreadable, answer, in_one_line
from tools.documents.structure import (
    HEADING,
    Block,
    Parts,
    clean_characters,
    mark_references,
    opens_abstract,
    opens_references,
    says_something,
    text_title,
)

# python-docx's own errors, and those of what it is built on, for files that are damaged or only look like Word's.
_MALFORMED = (OpcError, BadZipFile, LxmlError, LookupError, ValueError, TypeError, AttributeError, NotImplementedError)
_OUTSIDE = "not(ancestor::w:txbxContent) and not(ancestor::w:tbl)"
_KEPT = "not(ancestor::w:del) and not(ancestor::w:moveFrom) and not(ancestor::w:txbxContent)"
_NOT_READ = {"w:footnoteReference | //w:endnoteReference": "footnotes and endnotes", "w:txbxContent": "text boxes"}
_FIELD_TEXTS = " | ".join(f"//w:ffData//w:{name}/@w:val" for name in ("statusText", "helpText", "default"))
_LIGHT = 230  # of 255; a channel of a colour that hardly differs from white
_SMALLEST_TYPE = 3.0  # points


def read(data: bytes, _limit: int) -> Parts:
    """Read a Word file in this process.

    Raises:
        Unreadable: It is damaged, or no Word file.
    """
    try:
        return _read(Document(BytesIO(data)))
    except _MALFORMED as error:
        raise Unreadable(in_one_line(error)) from None


def _read(document: WordDocument) -> Parts:
    """What stands in a Word file, in the order of reading."""
    body = document.element.body
    styled = any(_level(Paragraph(each, document)) for each in body.xpath(f".//w:p[{_OUTSIDE}]"))
    title, blocks, hidden = "", list[Block](), list[HiddenText]()
    for element in body.xpath(f".//w:p[{_OUTSIDE}] | .//w:tbl[{_OUTSIDE}]"):
        if isinstance(element, CT_Tbl):
            rows = [[_cell(cell, document, hidden) for cell in row.xpath("./w:tc")] for row in element.xpath(".//w:tr")]
            text = " ".join(filter(None, (cell for row in rows for cell in row)))
            blocks.append(Block("paragraph", text, rows=rows))
            continue
        paragraph = Paragraph(element, document)
        text = _seen(paragraph, hidden)
        if _style(paragraph, r"title") and not title:
            title = text
        else:
            level = _level(paragraph) or 2 * _looks_like_a_heading(paragraph, text, styled)
            blocks.append(Block("heading" if level else "paragraph", text, level=level))
    blocks = [block for block in blocks if block.text]
    first = blocks[0].text if blocks else ""
    if not title and not HEADING.fullmatch(first) and not opens_references(first):
        title = text_title([first, "", *(block.text for block in blocks[1:])])
        blocks = blocks[bool(title) :]
    return Parts(
        title,
        mark_references(blocks),
        hidden=[*hidden, *_beside(document)],
        warnings=[f"{what} were not read" for path, what in _NOT_READ.items() if body.xpath(f"//{path}")],
    )


def _beside(document: WordDocument) -> Iterator[HiddenText]:
    """Descriptions of pictures, what fields of forms say, and the file's properties; comments are there to be seen."""
    body, properties = document.element.body, document.core_properties
    found: list[tuple[str | None, HiddenReason]] = [
        (text, "alternative text") for text in body.xpath("//wp:docPr/@descr | //wp:docPr/@title")
    ]
    found += [(text, "form field") for text in body.xpath(f"{_FIELD_TEXTS} | //w:sdtPr/w:alias/@w:val")]
    named = ("title", "subject", "keywords", "comments", "category", "content_status", "author", "identifier")
    found += [(getattr(properties, name), "metadata") for name in named]
    for text, reason in found:
        if text and says_something(text):
            yield HiddenText(text=clean_characters(text).strip(), page=0, reason=reason)


def _cell(cell: CT_Tc, document: WordDocument, hidden: list[HiddenText]) -> str:
    """Text of a cell without that of tables in it, which have rows of their own."""
    paragraphs = (_seen(Paragraph(each, document), hidden, table=True) for each in cell.xpath("./w:p"))
    return " ".join(filter(None, paragraphs))


def _seen(paragraph: Paragraph, hidden: list[HiddenText], *, table: bool = False) -> str:
    """Text of a paragraph in one line; what a reader cannot see of it goes to the hidden texts."""
    parts: list[str] = []
    for element in paragraph._p.xpath(f".//w:r[{_KEPT}] | .//m:t"):  # `runs` lacks tracked insertions
        if not isinstance(element, CT_R):
            parts.append(element.text or "")
            continue
        run = Run(element, paragraph)
        reason = _hidden(run, paragraph, table)
        if reason and run.text.strip():
            hidden.append(HiddenText(text=clean_characters(run.text).strip(), page=0, reason=reason))
        else:
            parts.append(run.text)
    return " ".join(clean_characters("".join(parts)).split())


def _hidden(run: Run, paragraph: Paragraph, table: bool) -> HiddenReason | None:
    """Why a reader cannot see a run; white type in a table may stand on a dark cell, and is taken for seen."""
    style = paragraph.style.font if paragraph.style else None
    size = run.font.size or (style.size if style else None)
    colour = run.font.color.rgb
    shaded = run._r.xpath("./w:rPr/w:shd | ./w:rPr/w:highlight | ../w:pPr/w:shd")
    if run.font.hidden or (run.font.hidden is None and style and style.hidden):
        return "markup"
    if size is not None and size.pt < _SMALLEST_TYPE:
        return "size"
    return "colour" if colour and min(colour) > _LIGHT and not shaded and not table else None


def _level(paragraph: Paragraph) -> int:
    """Level of a heading by its style, below that of the title; 0 if it has none."""
    found = _style(paragraph, r"heading (\d)")
    return int(found[1]) + 1 if found else 0


def _style(paragraph: Paragraph, name: str) -> re.Match[str] | None:
    """How the name of a paragraph's style, or of one that it is based on, matches."""
    style = paragraph.style
    while style is not None:
        if found := re.fullmatch(name, style.name or "", re.IGNORECASE):
            return found
        style = style.base_style
    return None


def _looks_like_a_heading(paragraph: Paragraph, text: str, styled: bool) -> bool:
    """Whether a paragraph without such a style is a heading: of a part that all papers have, or in bold type."""
    if opens_references(text) or (opens_abstract(text) and len(text) < 20):
        return True
    if styled or not text or len(text.split()) > 16 or text.endswith((".", ":", ",", ";")):
        return False
    bold = [run.bold for run in paragraph.runs if run.text.strip()]
    return (bool(bold) and all(bold)) or HEADING.fullmatch(text.title() if text.isupper() else text) is not None


if __name__ == "__main__":
    answer(read)
