"""Parse web pages, and Markdown by way of HTML.

Text that a browser would not show is returned apart, with the reason. Of style sheets, rules for a single class, id or
element are applied; scripts are not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from lxml import etree, html
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.footnote import footnote_plugin

from state.documents import HiddenReason, HiddenText
from tools.documents.formulas import convert_to_superscript, format_formula
from tools.documents.structure import (
    SECTION_HEADING,
    Block,
    DocumentParts,
    clean_line,
    has_sentence_length,
    is_abstract_start,
    is_references_heading,
    list_hidden_sentences,
    mark_headings,
    mark_references,
    parse_plain_text,
)

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_BLOCKS = _HEADINGS | {
    *("p", "li", "ul", "ol", "pre", "blockquote", "table", "figure", "figcaption", "dl", "dt", "dd"),
    *("div", "main", "article", "section", "header"),
}
_MAX_PARAGRAPH_CHARACTERS = 100_000  # longer ones are no prose, and could stall the parser
_MAX_COLUMNS = 50
_INVALID_XML_CHARACTERS = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SKIPPED = {"script", "style", "noscript", "template", "head", "nav", "footer", "aside", "svg"}
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+\"[^\"\n]*\")?\)")
# The underscores and asterisks of a formula mark no emphasis. As in Pandoc, "$5 and $10" is none.
_FORMULA = re.compile(r"\$\$.+?\$\$|\$(?=[^\s$])(?:[^$\\]|\\.)*(?<!\s)\$(?!\d)", re.DOTALL)
_MARKUP = re.compile(r"<[A-Za-z/!?][^>]*>|\]\(")
_STYLE_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_COLOUR_NAMES = {"white": "#ffffff", "black": "#000000", "snow": "#fffafa", "ivory": "#fffff0", "ghostwhite": "#f8f8ff"}
_NOT_TEXT = {"script", "style", "noscript", "template", "head", "title", "annotation", "annotation-xml"}
# Declarations that hide text: not displayed, in tiny type, or far left of or above the page.
_HIDING_DECLARATIONS: dict[HiddenReason, str] = {
    "markup": r"display:none|visibility:(?:hidden|collapse)|opacity:0*\.?0*%?",
    "size": r"font-size:0*(?:[0-2]?(?:\.\d*)?(?:p[xt])?|0?(?:\.[01]\d*)?r?em)",
    "off page": r"(?:left|top|text-indent|margin-left|margin-top):-\d{3,}(?:\.\d+)?(?:p[xt]|r?em)?",
}
_VISIBLE_CONTRAST = 0.1  # of the range of a colour channel, as in `pdf.painting`
Colour = tuple[float, ...]
_PICTURE_COLOUR: Colour = (-1.0, -1.0, -1.0)  # contrasts with every colour
Styles = dict[str, str]
# Attributes with text that a page shows only on demand.
_TEXT_ATTRIBUTES: dict[str, HiddenReason] = {
    **dict.fromkeys(("alt", "title", "aria-label", "aria-description", "summary"), "alternative text"),
    **dict.fromkeys(("placeholder", "value"), "form field"),
    "content": "metadata",
}


def parse_html(text: str) -> DocumentParts:
    """Parse the title, the main text without menus and footers, and the hidden text of a web page."""
    import trafilatura  # noqa: PLC0415 - Markdown does without

    page = _parse_page(text)
    hidden = remove_hidden_elements(page)
    convert_formulas(page)
    for caption in list(page.iter("caption")):  # which trafilatura would drop
        table = next(caption.iterancestors("table"), None)
        if table is not None:
            caption.tag, caption.tail = "p", None
            table.addprevious(caption)
    main = trafilatura.extract(
        html.tostring(page, encoding="unicode"), output_format="html", favor_recall=True, include_comments=False
    )
    every, chosen = list(iterate_blocks(page)), list(iterate_blocks(_parse_page(main or "")))
    # An extraction of less than half the page has missed some of the main text.
    if sum(len(block.text) for block in chosen) < 0.5 * sum(len(block.text) for block in every):
        chosen = every
    parts = _build_page_parts(chosen, hidden)
    parts.title = parts.title or " ".join((page.findtext(".//title") or "").split())
    return parts


def parse_markdown(text: str) -> DocumentParts:
    """Parse title, blocks and hidden text of a Markdown file; one with a huge paragraph is parsed as plain text."""
    if max(map(len, text.split("\n\n"))) > _MAX_PARAGRAPH_CHARACTERS:
        return parse_plain_text(simplify_markdown(text))
    renderer = MarkdownIt("commonmark", {"html": True, "breaks": True}).enable("table").use(footnote_plugin)
    renderer.inline.ruler.before("escape", "formula", keep_formula)
    page = _parse_page(renderer.render(_FRONT_MATTER.sub("", text)))
    hidden = remove_hidden_elements(page)
    convert_formulas(page)
    place_footnotes(page)
    parts = _build_page_parts(mark_headings(list(iterate_blocks(page))), hidden)
    parts.written = simplify_markdown(text)
    return parts


def place_footnotes(page: html.HtmlElement) -> None:
    """Put each footnote, in place, in brackets where it is first marked, as those of Word and JATS files are."""
    for mark in page.xpath("//a[starts-with(@id, 'fnref')]"):
        note = page.get_element_by_id(mark.get("href", "")[1:], None)
        if note is not None:
            for link in note.find_class("footnote-backref"):
                link.drop_tree()
            mark.tail = f" ({' '.join(note.text_content().split())}){mark.tail or ''}"
            note.drop_tree()
        mark.drop_tree()


def keep_formula(state: StateInline, silent: bool) -> bool:
    """Take a formula between dollar signs as it stands: a rule of markdown-it, true where there is one."""
    found = _FORMULA.match(state.src, state.pos)
    markup = _MARKUP.search(state.src, state.pos)  # what is hidden between two dollar signs must stay hidden
    if not found or (markup and markup.start() < found.end()):
        return False
    if not silent:
        state.push("text", "", 0).content = found[0]
    state.pos = found.end()
    return True


def _parse_page(text: str) -> html.HtmlElement:
    """Parse HTML and return its root element, which is empty if it holds nothing but comments and white space."""
    try:
        return html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:
        return html.Element("html")


def convert_formulas(page: html.HtmlElement) -> None:
    """Convert formulas in place to one line, and raised numbers, as in 3.5<sup>2</sup>, to superscript characters."""
    for formula in list(page.iter("math")):
        formula.tail = _INVALID_XML_CHARACTERS.sub("", f"{format_formula(formula)}{formula.tail or ''}")
        formula.drop_tree()
    for raised in page.iter("sup"):
        for node in raised.iter(etree.Element):
            node.text = convert_to_superscript(node.text or "")
    etree.strip_tags(page, "sup", "sub")  # trafilatura would put spaces around them


def _build_page_parts(blocks: list[Block], hidden: list[HiddenText]) -> DocumentParts:
    """Build the parts with the first heading as the title, and not as a block, unless it is that of a section."""
    at = next((at for at, block in enumerate(blocks) if block.kind == "heading"), -1)
    # A heading without a level was recognized by its look only, which is not enough deep in the text.
    title = blocks[at].text if at == 0 or (at > 0 and blocks[at].level > 0) else ""
    is_section = is_abstract_start(title) or SECTION_HEADING.fullmatch(title) or is_references_heading(title)
    if not title or is_section:
        return DocumentParts("", mark_references(blocks), hidden)
    return DocumentParts(title, mark_references([*blocks[:at], *blocks[at + 1 :]]), hidden)


def iterate_blocks(node: html.HtmlElement) -> Iterator[Block]:
    """Iterate over headings, paragraphs and tables in an element, in order; text between blocks is a paragraph."""
    if node.tag in _SKIPPED:
        return
    if node.tag in _HEADINGS:
        yield from _build_block("heading", node.text_content(), level=int(node.tag[1]))
        return
    if node.tag == "table":
        rows = [row for row in _list_table_rows(node) if any(row)]
        text = " ".join(cell.text_content() for cell in node.iter("th", "td", "caption"))
        yield from (replace(block, rows=rows) for block in _build_block("paragraph", text))
        return
    running = node.text or ""
    for child in node:
        if child.tag in _SKIPPED or child.tag in _BLOCKS or any(True for _ in child.iter(*_BLOCKS)):
            yield from _build_block("paragraph", running)
            yield from iterate_blocks(child)
            running = ""
        else:
            running += "\v" if child.tag == "br" else child.text_content()
        running += child.tail or ""
    yield from _build_block("paragraph", running)


def _build_block(kind: Literal["heading", "paragraph"], text: str, level: int = 0) -> Iterator[Block]:
    r"""Yield a block of the cleaned text, in which \v ends a line, or nothing if the text is empty."""
    text = "\n".join(filter(None, map(clean_line, text.split("\v"))))
    if text:
        yield Block(kind, text if kind == "paragraph" else text.replace("\n", " "), level=level)


def _list_table_rows(table: html.HtmlElement) -> list[list[str]]:
    """List the cells of a table by row; a cell that spans columns or rows is followed by empty cells."""
    for line_end in table.iter("br"):
        line_end.tail = f" {line_end.tail or ''}"
    rows: list[list[str]] = []
    covered: dict[int, int] = {}  # for how many more rows a cell above reaches into a column
    for row in table.iter("tr"):
        cells: list[str] = []
        spans: dict[int, int] = {}
        for cell in row.iter("th", "td"):
            while len(cells) in covered:
                cells.append("")
            values = (cell.get(name, "1") for name in ("colspan", "rowspan"))
            width, height = (max(1, min(int(n), _MAX_COLUMNS)) if n.isdecimal() else 1 for n in values)
            spans |= dict.fromkeys(range(len(cells), len(cells) + width), height)
            cells += [clean_line(cell.text_content()), *[""] * (width - 1)]
        covered = {column: left - 1 for column, left in {**covered, **spans}.items() if left > 1}
        rows.append(cells)
    return rows


def simplify_markdown(text: str) -> str:
    """Return a Markdown text without front matter, and with images and links replaced by their text."""
    return _LINK.sub(r"\1", _LINK.sub(r"\1", _FRONT_MATTER.sub("", text)))  # twice: an image may stand inside a link


def remove_hidden_elements(page: html.HtmlElement) -> list[HiddenText]:
    """Remove elements and comments that a page does not show; list their prose and that of attributes such as `alt`."""
    found = list_hidden_sentences(
        (node.get(name), reason)
        for node in page.iter(etree.Element)
        for name, reason in _TEXT_ATTRIBUTES.items()
        if node.get(name)
    )
    for element, reason in list(_iterate_hidden_elements(page)):
        is_comment = not isinstance(element.tag, str)
        text = " ".join(((element.text or "") if is_comment else element.text_content()).split())
        if is_comment:  # many comments are code or marks of programs
            is_prose = has_sentence_length(text) and not text.startswith("[if") and not re.search(r"[{};]|</", text)
        else:
            is_prose = re.search(r"[^\W\d_]{2}", text) is not None
        found += [HiddenText(text=text, page=0, reason=reason)] if is_prose else []
        if element.getparent() is not None:
            element.drop_tree()
    return found


def _iterate_hidden_elements(page: html.HtmlElement) -> Iterator[tuple[html.HtmlElement, HiddenReason]]:
    """Iterate over the outermost elements and comments that are not shown, each with the reason."""
    # 1. Parse the style sheets.
    sheets = " ".join(style.text or "" for style in page.iter("style"))
    rules = {
        selector.strip(): _parse_declarations(declarations)
        for selectors, declarations in _STYLE_RULE.findall(re.sub(r"/\*.*?\*/", "", sheets, flags=re.DOTALL))
        for selector in selectors.split(",")
    }
    # 2. Walk the page with the inherited colours.
    stack: list[tuple[html.HtmlElement, Colour, Colour]] = [(page, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))]
    while stack:
        node, colour, background = stack.pop()
        if not isinstance(node.tag, str):
            yield node, "markup"
            continue
        if node.tag in _NOT_TEXT:
            continue
        styles: Styles = {}
        for selector in (node.tag, *(f".{name}" for name in node.get("class", "").split()), f"#{node.get('id', '')}"):
            styles |= rules.get(selector, {})
        styles |= _parse_declarations(node.get("style", ""))
        colour = _parse_colour(styles.get("color", node.get("color", ""))) or colour
        painted = styles.get("background-color", styles.get("background", node.get("bgcolor", "")))
        is_picture = "url(" in painted or "gradient" in painted
        background = _PICTURE_COLOUR if is_picture else _parse_colour(painted) or background
        contrast = max(abs(ink - paper) for ink, paper in zip(colour, background, strict=True))
        own_text = "".join([node.text or "", *(child.tail or "" for child in node)]).strip()
        reason: HiddenReason | None = "markup" if "hidden" in node.attrib else None
        for each, pattern in _HIDING_DECLARATIONS.items():
            if not reason and any(re.fullmatch(pattern, f"{name}:{value}") for name, value in styles.items()):
                reason = each
        if not reason and contrast < _VISIBLE_CONTRAST and own_text:
            reason = "colour"
        if reason:
            yield node, reason
        else:
            stack += [(child, colour, background) for child in reversed(node)]


def _parse_declarations(text: str) -> Styles:
    """Parse declarations of CSS to values by property, all in lower case."""
    pairs = (declaration.partition(":") for declaration in text.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, colon, value in pairs if colon}


def _parse_colour(value: str) -> Colour | None:
    """Parse a colour of CSS to red, green and blue from 0 to 1; None if unknown, as most names of colours."""
    value = _COLOUR_NAMES.get(value, value)
    if digits := re.search(r"#([0-9a-f]{6}|[0-9a-f]{3})\b", value):
        step = len(digits[1]) // 3
        parts = [digits[1][at : at + step] * (2 // step) for at in range(0, 3 * step, step)]
        return tuple(int(part, 16) / 255 for part in parts)
    if numbers := re.search(r"rgba?\((\d+)[,\s]+(\d+)[,\s]+(\d+)", value):
        return tuple(int(number) / 255 for number in numbers.groups())
    return None
