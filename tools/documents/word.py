"""Parse a Word file (.docx): headings by their styles, tracked changes as if they were accepted.

Footnotes are put in brackets in the place of their marks, text boxes after the paragraph of their anchor. This module
runs in a process of its own (`parser_process`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from io import BytesIO
from itertools import groupby

from docx import Document
from docx.document import Document as WordDocument
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import qn
from docx.oxml.table import CT_Tbl
from docx.oxml.text.paragraph import CT_P
from docx.oxml.text.run import CT_R
from docx.oxml.xmlchemy import BaseOxmlElement
from docx.styles.style import ParagraphStyle
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from state.documents import HiddenReason, HiddenText
from tools.documents.formulas import convert_to_superscript, format_formula
from tools.documents.parser_process import extract_from_stdin
from tools.documents.structure import (
    SECTION_HEADING,
    Block,
    DocumentParts,
    clean_line,
    find_text_title,
    is_references_heading,
    list_hidden_sentences,
    list_unread_warnings,
    mark_headings,
    mark_references,
)

# A second copy of a text box, for older programs.
_FALLBACK_COPY = "ancestor::*[local-name()='Fallback'][../*[local-name()='Choice']]"
_OUTSIDE_TABLES = f"not(ancestor::w:tbl) and not({_FALLBACK_COPY})"
_NOT_DELETED = f"not(ancestor::w:del) and not(ancestor::w:moveFrom) and not({_FALLBACK_COPY})"
_PIECES = f".//w:r[{_NOT_DELETED}] | .//m:oMath[{_NOT_DELETED}]"
_SIDE_PARTS = {RELATIONSHIP_TYPE.FOOTNOTES, RELATIONSHIP_TYPE.ENDNOTES, RELATIONSHIP_TYPE.NUMBERING}
_MAX_COLUMNS = 63  # Word's own limit
_FIELD_TEXTS = " | ".join(f"//w:ffData//w:{name}/@w:val" for name in ("statusText", "helpText", "default"))
_MIN_LIGHT_CHANNEL = 230  # of 255; colours with lighter channels hardly differ from white
_SMALLEST_TYPE = 3.0  # points
# The font Symbol in Unicode, by Adobe's table; Word stores its glyphs as private characters from U+F020.
_SYMBOLS = {
    **{0xF000 + code: chr(code) for code in range(0x20, 0x7F)},
    **dict(enumerate("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ", 0xF041)),
    **dict(enumerate("αβχδεφγηιϕκλμνοπθρστυϖωξψζ", 0xF061)),
    **dict(enumerate("′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…", 0xF0A2)),  # noqa: RUF001
    **dict(zip((0xF02D, 0xF0CE, 0xF0D6, 0xF0D7, 0xF0E5, 0xF0F2), "−∈√·∑∫", strict=True)),
}


def parse_word(data: bytes, _limit: int) -> DocumentParts:
    """Parse a Word file of any length in this process; python-docx raises all kinds of errors for damaged files."""
    return _WordReader(Document(BytesIO(data))).read_parts()


class _WordReader:
    """Reader of one document, once and from beginning to end, because it counts list numbers and takes notes out."""

    def __init__(self, document: WordDocument) -> None:
        self.document = document
        self.hidden: list[HiddenText] = []
        self.unread: Counter[str] = Counter()
        # A look-up in `document.styles` would iterate over all styles.
        self.styles = {style.style_id: style for style in document.styles if isinstance(style, ParagraphStyle)}
        self.default = document.styles.default(WD_STYLE_TYPE.PARAGRAPH)
        path = "//w:style[w:rPr/w:vertAlign/@w:val='superscript']/@w:styleId"
        self.raised = set(document.styles.element.xpath(path))
        links = [link for link in document.part.rels.values() if link.reltype in _SIDE_PARTS]
        roots = {link.reltype: parse_xml(link.target_part.blob) for link in links}
        self.numbering = roots.pop(RELATIONSHIP_TYPE.NUMBERING, None)
        self.counts: dict[int, list[int]] = {}
        """Last numbers by level of each list or numbering scheme of headings."""
        self.notes = {(note.tag, note.get(qn("w:id"))): note for root in roots.values() for note in root}

    def read_parts(self) -> DocumentParts:
        """Read the title, blocks, hidden text and warnings of the document in reading order; call it only once."""
        body = self.document.element.body
        title, blocks = "", list[Block]()
        for element in body.xpath(f".//w:p[{_OUTSIDE_TABLES}] | .//w:tbl[{_OUTSIDE_TABLES}]"):
            if isinstance(element, CT_Tbl):
                blocks.append(self._read_table(element))
                continue
            text = self._collect_visible_text(Paragraph(element, self.document))
            if text and not title and self._match_style(element, r"title"):
                title = text
            elif text:
                heading = self._match_style(element, r"heading (\d)")
                level = int(heading[1]) + 1 if heading else 0  # below that of the title
                text = f"{self._assign_list_number(element)} {text}".lstrip()
                blocks.append(Block("heading" if level else "paragraph", text, level=level))
        first = blocks[0].text if blocks else ""
        if not title and not SECTION_HEADING.fullmatch(first) and not is_references_heading(first):
            title = find_text_title([first, "", *(block.text for block in blocks[1:])])
            blocks = blocks[bool(title) :]
        marked = mark_references(mark_headings([block for block in blocks if block.text]))
        hidden = [*self.hidden, *_list_unprinted_text(self.document)]
        warnings = [warning for noun, count in self.unread.items() for warning in list_unread_warnings(count, noun)]
        return DocumentParts(title, marked, hidden, warnings=warnings)

    def _read_table(self, table: CT_Tbl) -> Block:
        """Read a table into a block with `rows`; the rows of a nested table follow the row that holds it."""
        rows: list[list[str]] = []
        for row in table.xpath(".//w:tr"):
            cells = [""] * min(row.grid_before, _MAX_COLUMNS)
            for cell in row.xpath("./w:tc | ./w:sdt/w:sdtContent/w:tc"):
                paragraphs = (Paragraph(each, self.document) for each in cell.xpath("./w:p"))
                text = " ".join(filter(None, (self._collect_visible_text(each, in_table=True) for each in paragraphs)))
                cells += [text, *[""] * (min(cell.grid_span, _MAX_COLUMNS) - 1)]
            rows.append(cells)
        return Block("paragraph", " ".join(cell for row in rows for cell in row if cell), rows=rows)

    def _collect_visible_text(self, paragraph: Paragraph, *, in_table: bool = False) -> str:
        """Return the visible text of a paragraph in one line; hidden text is added to `self.hidden`."""
        pieces: list[tuple[bool, str]] = []  # whether the text is raised, and the text
        style = self.styles.get(paragraph._p.style or "", self.default)
        for element in list_pieces(paragraph._p):
            if not isinstance(element, CT_R):
                pieces.append((False, format_formula(element)))
                continue
            run = Run(element, paragraph)
            text = self._extract_run_text(run)
            reason = _find_run_hiding_reason(run, style, in_table)
            if reason and text.strip():
                self.hidden.append(HiddenText(text=clean_line(text), page=0, reason=reason))
            else:
                pieces.append((bool(run.font.superscript) or element.style in self.raised, text))
        line = ""
        for raised, group in groupby(pieces, lambda piece: piece[0]):  # a raised number may be in several runs
            text = "".join(text for _, text in group)
            line += convert_to_superscript(text) if raised else text
        return clean_line(line)

    def _extract_run_text(self, run: Run) -> str:
        """Return a run's text with Unicode symbols and its footnotes in brackets; count in `unread` what is lost."""
        for symbol in run._r.xpath("./w:sym"):
            code = int(symbol.get(qn("w:char"), "0"), 16) & 0xFF
            known = symbol.get(qn("w:font")) == "Symbol" and 0xF000 + code in _SYMBOLS
            self.unread["symbol"] += not known
            character = OxmlElement("w:t")
            character.text = _SYMBOLS[0xF000 + code] if known else " "
            run._r.replace(symbol, character)
        text = run.text if run.font.name not in (None, "Symbol") else run.text.translate(_SYMBOLS)
        for mark in run._r.xpath("./w:footnoteReference | ./w:endnoteReference"):
            note = self.notes.pop((mark.tag.removesuffix("Reference"), mark.get(qn("w:id"))), None)
            self.unread["footnote"] += note is None
            for each in () if note is None else note.iter(qn("w:p")):
                content = self._collect_visible_text(Paragraph(each, self.document))
                text += f" ({content})" if content else ""
        return text

    def _match_style(self, paragraph: CT_P, pattern: str) -> re.Match[str] | None:
        """Match the whole name of a paragraph's style, or of one that it is based on, in any case; None without one."""
        names = ("".join(holder.xpath("./w:name/@w:val")) for holder in self._iterate_property_elements(paragraph))
        return next(filter(None, (re.fullmatch(pattern, each, re.IGNORECASE) for each in names)), None)

    def _iterate_property_elements(self, paragraph: CT_P) -> Iterator[BaseOxmlElement]:
        """Iterate over the elements with a paragraph's properties: itself, its style, and those it is based on."""
        yield paragraph
        style = self.styles.get(paragraph.style or "", self.default)
        while style is not None:
            yield style.element
            style = style.base_style

    def _assign_list_number(self, paragraph: CT_P) -> str:
        """Count a paragraph in its list and return its number, such as `2.1` or `3.`; empty for others and bullets."""
        elements = self._iterate_property_elements(paragraph)
        named = next((number for each in elements for number in each.xpath("./w:pPr/w:numPr[w:numId]")), None)
        if named is None or self.numbering is None:
            return ""
        scheme, level = named.numId.val, 0 if named.ilvl is None else named.ilvl.val
        path = f"w:abstractNum[@w:abstractNumId=../w:num[@w:numId='{scheme}']/w:abstractNumId/@w:val]/w:lvl"
        if self.numbering.xpath(f"{path}[@w:ilvl='{level}']/w:numFmt/@w:val") != ["decimal"]:
            return ""
        counts = self.counts.setdefault(scheme, [])
        counts += [1] * (level - len(counts))
        counts[level:] = [sum(counts[level : level + 1]) + 1]
        return ".".join(map(str, counts)) + ("" if level else ".")


def list_pieces(paragraph: CT_P) -> list[BaseOxmlElement]:
    """List the runs and formulas of a paragraph, also in insertions and content controls, but not of its text boxes."""
    return [piece for piece in paragraph.xpath(_PIECES) if next(piece.iterancestors(qn("w:p"))) is paragraph]


def get_piece_text(piece: BaseOxmlElement) -> str:
    """Return the text of a run or formula."""
    return piece.text if isinstance(piece, CT_R) else format_formula(piece)


def _list_unprinted_text(document: WordDocument) -> list[HiddenText]:
    """List descriptions of pictures, form fields and file properties that may be sentences, but no comments."""
    body, properties = document.element.body, document.core_properties
    descriptions = body.xpath("//wp:docPr/@descr | //wp:docPr/@title")
    found: list[tuple[str, HiddenReason]] = [(text, "alternative text") for text in descriptions]
    found += [(text, "form field") for text in body.xpath(f"{_FIELD_TEXTS} | //w:sdtPr/w:alias/@w:val")]
    named = ("title", "subject", "keywords", "comments", "category", "content_status", "author", "identifier")
    found += [(getattr(properties, name) or "", "metadata") for name in named]
    return list_hidden_sentences(found)


def _find_run_hiding_reason(run: Run, paragraph_style: ParagraphStyle | None, in_table: bool) -> HiddenReason | None:
    """Return why a reader cannot see a run: hidden, tiny, or white without a shade; None if it can be seen."""
    style = paragraph_style.font if paragraph_style else run.font
    size = run.font.size or style.size
    colour = run.font.color.rgb
    shaded = run._r.xpath("./w:rPr/w:shd | ./w:rPr/w:highlight | ../w:pPr/w:shd")
    if run.font.hidden or (run.font.hidden is None and style.hidden):
        return "markup"
    if size is not None and size.pt < _SMALLEST_TYPE:
        return "size"
    # White type in a table may be on a dark cell.
    return "colour" if colour and min(colour) > _MIN_LIGHT_CHANNEL and not shaded and not in_table else None


if __name__ == "__main__":
    extract_from_stdin(parse_word)
