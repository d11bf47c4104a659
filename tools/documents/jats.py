"""Parse papers in JATS, the XML of PubMed Central and publishers, by way of HTML, without network access."""

from __future__ import annotations

import re
from html import unescape

from lxml import etree, html

from tools.documents.parser_process import UnreadableFileError
from tools.documents.structure import Block, DocumentParts, list_unread_warnings, mark_references
from tools.documents.web_pages import convert_formulas, iterate_blocks, remove_hidden_elements

_SECTIONS = ("sec", "abstract", "ack", "app", "boxed-text", "fn-group", "glossary", "notes")
_CAPTIONED = ("fig", "table-wrap", "supplementary-material", "media", "boxed-text")
_NOT_PRINTED = ("object-id", "permissions", "attrib", "alt-title", "processing-meta", "journal-meta")
# Some publishers write a formula as a whole LaTeX document.
_AROUND_FORMULA = re.compile(r".*\\begin\{document\}|\\end\{document\}.*", re.DOTALL)
_PICTURED = "[not(.//math or .//tex-math)][.//graphic or .//inline-graphic]"
# Punctuation after a part of a reference that is tagged but not punctuated; a full stop by default.
_PART_ENDINGS = {"surname": " ", "given-names": ", ", "suffix": ", ", "name": "", "person-group": " ", "fpage": "–"}


def parse_jats(text: str) -> DocumentParts:
    """Parse an article into title, sections, tables, captions, references, hidden text and warnings.

    Raises:
        UnreadableFileError: The text is no XML, or holds no article.
    """
    # 1. Parse the XML as if it were HTML, with plain tag names.
    parser = html.XHTMLParser(encoding="utf-8", resolve_entities=False, no_network=True, remove_pis=True)
    try:
        root = etree.fromstring(text.strip().encode(), parser)
    except etree.XMLSyntaxError as error:
        raise UnreadableFileError(error.msg) from None
    for node in root.iter(etree.Element):
        node.tag = etree.QName(node).localname.replace("break", "br")
    article = next(root.iter("article"), None)
    if article is None:
        raise UnreadableFileError("it holds no article")
    for entity in list(article.iter(etree.Entity)):
        _replace_element(entity, unescape(entity.text))
    # 2. Convert its elements to those of HTML, and take out the references.
    warnings = _drop_unread_elements(article)
    for formula in list(article.iter("tex-math")):  # if a formula is given in several ways, MathML is read
        is_double = formula.getparent().find("math") is not None
        _replace_element(formula, "" if is_double else _AROUND_FORMULA.sub("", formula.text_content()).strip())
    for shown in article.iter("disp-formula"):
        shown.text, shown.tail = f" {shown.text or ''}", f" {shown.tail or ''}"
    convert_formulas(article)
    title = article.find("front//title-group/article-title")
    entries = _extract_references(article)
    _convert_captions(article)
    _convert_headings(article)
    # 3. List the blocks as of a web page.
    hidden = remove_hidden_elements(article)
    parts = [part for path in ("front//abstract", "body", "back", "floats-group") for part in article.iterfind(path)]
    blocks = mark_references([block for part in parts for block in iterate_blocks(part)])
    heading = [Block("heading", "References", level=2)] if entries else []
    name = "" if title is None else _flatten_text(title)
    return DocumentParts(name, [*blocks, *heading, *entries], hidden, warnings=warnings)


def _replace_element(node: html.HtmlElement, text: str) -> None:
    """Replace an element, with all that it holds, by text in its tree."""
    node.tail = f"{text}{node.tail or ''}"
    node.drop_tree()


def _drop_unread_elements(article: html.HtmlElement) -> list[str]:
    """Remove elements that are no part of the printed paper, and list warnings about what cannot be read."""
    for described in list(article.iter("alt-text", "long-desc")):
        described.getparent().set("alt", described.text_content())
        described.drop_tree()
    others = article.xpath("sub-article | response | .//trans-abstract | .//abstract[@abstract-type and not(title)]")
    for node in [*others, *article.iter(*_NOT_PRINTED)]:
        node.drop_tree()
    pictured = article.xpath(f".//disp-formula{_PICTURED} | .//inline-formula{_PICTURED}")
    tables = article.xpath(".//table-wrap[not(.//table)]")
    texts = "texts beside the paper (reviews, replies, other abstracts)"
    return [
        *list_unread_warnings(len(others), "text beside the paper", texts),
        *list_unread_warnings(len(tables), "table in a picture", "tables in pictures"),
        *list_unread_warnings(len(pictured), "formula in a picture", "formulas in pictures"),
    ]


def _extract_references(article: html.HtmlElement) -> list[Block]:
    """Remove the lists of references from an article and return their entries, each with its label in brackets."""
    entries: list[Block] = []
    for reference in article.iter("ref"):
        number = _pop_part_text(reference, "label").strip("[]. ")
        # Put punctuation between parts that are only tagged.
        for part in [*reference.iterfind("*/*"), *reference.iter("surname", "given-names", "suffix")]:
            followed = part.tail or (part.getnext() is None and part.getparent().tail) or ""
            if not followed.strip() and (part.tag in _PART_ENDINGS or part.getnext() is not None):
                part.tail = _PART_ENDINGS.get(part.tag, ". ")
        text = _flatten_text(reference)
        entry = f"[{number}] {text}" if number else text
        if entry:
            entries.append(Block("reference", entry))
    etree.strip_elements(article, "ref-list", with_tail=False)
    return entries


def _convert_captions(article: html.HtmlElement) -> None:
    """Convert, in place, captions and footnotes to paragraphs, and footnotes within a text to text in brackets."""
    for holder in article.iter(*_CAPTIONED):
        caption = holder.find("caption")
        parts = [] if caption is None else list(caption.iterchildren("*")) or [caption]
        lines = [_pop_part_text(holder, "label"), *map(_flatten_text, parts)]
        _pop_part_text(holder, "caption")
        holder.insert(0, html.Element("p"))
        holder[0].text = " ".join(line if line.endswith((".", "?", "!", ":")) else f"{line}." for line in lines if line)
    for note in list(article.iter("fn")):
        label, text = _pop_part_text(note, "label"), _flatten_text(note)
        if any(True for _ in note.iterancestors("p", "td", "th")):
            _replace_element(note, f" ({text})")
        else:
            note.clear()
            note.tag, note.text = "p", f"{label} {text}".lstrip()


def _convert_headings(article: html.HtmlElement) -> None:
    """Convert, in place, titles of sections to numbered HTML headings, and add the usual title where it is missing."""
    for path, usual in (("front//abstract", "Abstract"), ("body[*]", "Introduction"), ("back/ack", "Acknowledgements")):
        for section in article.xpath(path):
            if section.find("title") is None and (section.tag != "body" or section.find("*").tag != "sec"):
                section.insert(0, html.Element("title"))
                section[0].text = usual
    for title in list(article.iter("title")):
        number = _pop_part_text(title.getparent(), "label")
        title.text = f"{number} {title.text or ''}".lstrip()
        title.tag = f"h{min(6, 1 + sum(1 for _ in title.iterancestors(*_SECTIONS)))}"


def _pop_part_text(node: html.HtmlElement, name: str) -> str:
    """Remove the first child of a name from an element and return its text; empty if there is none."""
    part = node.find(name)
    text = "" if part is None else _flatten_text(part)
    if part is not None:
        part.drop_tree()
    return text


def _flatten_text(node: html.HtmlElement) -> str:
    """Return the text of an element on one line."""
    return " ".join(node.text_content().split())
