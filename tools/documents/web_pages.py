"""The parts of a web page, and of Markdown by way of HTML.

Text that a browser would not show is taken out, and it is said why: style sheets are read as far as rules for one
class, id or element go; a page's scripts are not run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal

from lxml import etree, html
from markdown_it import MarkdownIt

from state.documents import HiddenReason, HiddenText
from tools.documents.formulas import raise_digits, write_formula
from tools.documents.structure import (
    HEADING,
    Block,
    Parts,
    clean_characters,
    mark_headings,
    mark_references,
    opens_abstract,
    opens_references,
    says_something,
    text_parts,
)

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_BLOCKS = _HEADINGS | {
    *("p", "li", "ul", "ol", "pre", "blockquote", "table", "figure", "figcaption", "dl", "dt", "dd"),
    *("div", "main", "article", "section", "header"),
}
_LONGEST_PARAGRAPH = 100_000  # characters; what is longer is no prose, and may be made to stall the parser
_WIDEST = 50  # columns
_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SKIPPED = {"script", "style", "noscript", "template", "head", "nav", "footer", "aside", "svg"}


def html_parts(text: str) -> Parts:
    """Main text of a web page: no menus, no footers; what a browser would not show is apart."""
    import trafilatura  # noqa: PLC0415 - Markdown does without

    page = _parse(text)
    if page is None:
        return Parts("", [])
    hidden = remove_hidden(page)
    write_formulas(page)
    for caption in list(page.iter("caption")):  # the extraction would lose it
        table = next(caption.iterancestors("table"), None)
        if table is not None:
            caption.tag, caption.tail = "p", None
            table.addprevious(caption)
    main = trafilatura.extract(
        html.tostring(page, encoding="unicode"), output_format="html", favor_recall=True, include_comments=False
    )
    extracted = _parse(main) if main else None
    every, chosen = list(list_blocks(page)), [] if extracted is None else list(list_blocks(extracted))
    too_short = _length(chosen) < 0.5 * _length(every)
    parts = _parts(every if too_short else chosen, hidden)
    parts.title = parts.title or " ".join((page.findtext(".//title") or "").split())
    return parts


def markdown_parts(text: str) -> Parts:
    """Headings, paragraphs and items of a Markdown file; comments and hidden HTML in it are apart."""
    if max(map(len, text.split("\n\n"))) > _LONGEST_PARAGRAPH:
        return text_parts(plain_markdown(text))
    page = _parse(
        MarkdownIt("commonmark", {"html": True, "breaks": True}).enable("table").render(without_front_matter(text))
    )
    if page is None:
        return Parts("", [])
    hidden = remove_hidden(page)
    write_formulas(page)
    parts = _parts(mark_headings(list(list_blocks(page))), hidden)
    parts.written = plain_markdown(text)
    return parts


def _parse(text: str) -> html.HtmlElement | None:
    try:
        return html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:  # nothing but comments and white space
        return None


def write_formulas(page: html.HtmlElement) -> None:
    """Write formulas in one line, and raised numbers, as in 3.5<sup>2</sup>, with superscript characters."""
    for formula in list(page.iter("math")):
        formula.tail = _NOT_IN_XML.sub("", f"{write_formula(formula)}{formula.tail or ''}")
        formula.drop_tree()
    for raised in page.iter("sup"):
        for node in raised.iter(etree.Element):
            node.text = raise_digits(node.text or "")
    etree.strip_tags(page, "sup", "sub")  # around which the extraction would put spaces


def _parts(blocks: list[Block], hidden: list[HiddenText]) -> Parts:
    """Parts with the first heading as the title, unless it is that of a section."""
    at = next((at for at, block in enumerate(blocks) if block.kind == "heading"), None)
    title = blocks[at].text if at is not None else ""
    is_marked = at is not None and (at == 0 or blocks[at].level > 0)  # not only known by its look, deep in the text
    if at is None or not is_marked or opens_abstract(title) or HEADING.fullmatch(title) or opens_references(title):
        return Parts("", mark_references(blocks), hidden)
    return Parts(title, mark_references([*blocks[:at], *blocks[at + 1 :]]), hidden)


def list_blocks(node: html.HtmlElement) -> Iterator[Block]:
    """List headings, paragraphs and tables in their order; text between blocks is a paragraph as well."""
    if node.tag in _SKIPPED:
        return
    if node.tag in _HEADINGS:
        yield from _block("heading", node.text_content(), level=int(node.tag[1]))
        return
    if node.tag == "table":
        rows = _rows(node)
        for block in _block("paragraph", " ".join(cell.text_content() for cell in node.iter("th", "td", "caption"))):
            yield replace(block, rows=[row for row in rows if any(row)])
        return
    running = node.text or ""
    for child in node:
        if child.tag in _SKIPPED or child.tag in _BLOCKS or any(True for _ in child.iter(*_BLOCKS)):
            yield from _block("paragraph", running)
            yield from list_blocks(child)
            running = ""
        else:
            running += "\v" if child.tag == "br" else child.text_content()
        running += child.tail or ""
    yield from _block("paragraph", running)


def _block(kind: Literal["heading", "paragraph"], text: str, level: int = 0) -> Iterator[Block]:
    lines = (" ".join(clean_characters(line).split()) for line in text.split("\v"))
    text = "\n".join(line for line in lines if line)
    if text:
        yield Block(kind, text if kind == "paragraph" else text.replace("\n", " "), level=level)


def _rows(table: html.HtmlElement) -> list[list[str]]:
    """Cells of a table; one that spans several columns or rows has empty ones beside and below it."""
    for line_end in table.iter("br"):
        line_end.tail = f" {line_end.tail or ''}"
    rows: list[list[str]] = []
    covered: dict[int, int] = {}  # columns that cells above reach into, and for how many rows
    for row in table.iter("tr"):
        cells: list[str] = []
        spans: dict[int, int] = {}
        for cell in row.iter("th", "td"):
            while len(cells) in covered:
                cells.append("")
            width, height = (_span(cell, name) for name in ("colspan", "rowspan"))
            spans |= dict.fromkeys(range(len(cells), len(cells) + width), height)
            cells += [" ".join(clean_characters(cell.text_content()).split()), *[""] * (width - 1)]
        covered = {column: left - 1 for column, left in {**covered, **spans}.items() if left > 1}
        rows.append(cells)
    return rows


def _span(cell: html.HtmlElement, name: str) -> int:
    """How many columns or rows a cell takes."""
    spanned = cell.get(name, "1")
    return max(1, min(int(spanned), _WIDEST)) if spanned.isdecimal() else 1


def _length(blocks: list[Block]) -> int:
    return sum(len(block.text) for block in blocks)


_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:[ \t]+\"[^\"\n]*\")?\)")


def plain_markdown(text: str) -> str:
    """Text without front matter; images and links become their text."""
    return _LINK.sub(r"\1", _LINK.sub(r"\1", without_front_matter(text)))  # twice: an image may stand inside a link


def without_front_matter(text: str) -> str:
    """Text without the settings above it."""
    return _FRONT_MATTER.sub("", text, count=1) if _FRONT_MATTER.match(text) else text


_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_NAMES = {"white": "#ffffff", "black": "#000000", "snow": "#fffafa", "ivory": "#fffff0", "ghostwhite": "#f8f8ff"}
_NOT_TEXT = {"script", "style", "noscript", "template", "head", "title", "annotation", "annotation-xml"}
# Declarations of what is not to be seen: not shown, in tiny type, or far left of or above the page.
_UNSEEN: dict[HiddenReason, str] = {
    "markup": r"display:none|visibility:(?:hidden|collapse)|opacity:0*\.?0*%?",
    "size": r"font-size:0*(?:[0-2]?(?:\.\d*)?(?:p[xt])?|0?(?:\.[01]\d*)?r?em)",
    "off page": r"(?:left|top|text-indent|margin-left|margin-top):-\d{3,}(?:\.\d+)?(?:p[xt]|r?em)?",
}
_VISIBLE_CONTRAST = 0.1  # of the range of a colour channel, as in `visibility`

Colour = tuple[float, ...]
_PICTURE: Colour = (-1.0, -1.0, -1.0)  # unlike any colour
Styles = dict[str, str]


_ATTRIBUTES: dict[str, HiddenReason] = {
    **dict.fromkeys(("alt", "title", "aria-label", "aria-description", "summary"), "alternative text"),
    **dict.fromkeys(("placeholder", "value"), "form field"),
    "content": "metadata",
}
"""Where text may stand that a page shows only when it is asked for."""


def remove_hidden(page: html.HtmlElement) -> list[HiddenText]:
    """Remove from a page what is not shown, comments included; what was text in it is returned."""
    found: list[tuple[str, HiddenReason]] = []
    for node in page.iter(etree.Element):
        texts = ((" ".join(clean_characters(node.get(name, "")).split()), _ATTRIBUTES[name]) for name in _ATTRIBUTES)
        found += [(text, reason) for text, reason in texts if says_something(text)]
    for element, reason in list(_hidden(page)):
        is_comment = not isinstance(element.tag, str)
        text = " ".join(((element.text or "") if is_comment else element.text_content()).split())
        if is_comment:  # those that are more than a mark of a program
            is_prose = says_something(text) and not text.startswith("[if") and not re.search(r"[{};]|</", text)
        else:
            is_prose = re.search(r"[^\W\d_]{2}", text) is not None
        found += [(text, reason)] if is_prose else []
        if element.getparent() is not None:
            element.drop_tree()
    return [HiddenText(text=text, page=0, reason=reason) for text, reason in found]


def _hidden(page: html.HtmlElement) -> Iterator[tuple[html.HtmlElement, HiddenReason]]:
    """Outermost elements that are not shown."""
    rules = _rules(page)
    stack: list[tuple[html.HtmlElement, Colour, Colour]] = [(page, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))]
    while stack:
        node, colour, background = stack.pop()
        if not isinstance(node.tag, str):
            yield node, "markup"
            continue
        if node.tag in _NOT_TEXT:
            continue
        styles = _styles(node, rules)
        colour = _colour(styles.get("color", node.get("color", ""))) or colour
        painted = styles.get("background-color", styles.get("background", node.get("bgcolor", "")))
        is_picture = "url(" in painted or "gradient" in painted
        background = _PICTURE if is_picture else _colour(painted) or background
        contrast = max(abs(ink - paper) for ink, paper in zip(colour, background, strict=True))
        own_text = "".join([node.text or "", *(child.tail or "" for child in node)]).strip()
        reason = _reason(node, styles)
        if reason:
            yield node, reason
        elif contrast < _VISIBLE_CONTRAST and own_text:
            yield node, "colour"
        else:
            stack += [(child, colour, background) for child in reversed(node)]


def _reason(node: html.HtmlElement, styles: Styles) -> HiddenReason | None:
    reasons = (
        reason
        for reason, pattern in _UNSEEN.items()
        for name, value in styles.items()
        if re.fullmatch(pattern, f"{name}:{value}")
    )
    return "markup" if "hidden" in node.attrib else next(reasons, None)


def _rules(page: html.HtmlElement) -> dict[str, Styles]:
    sheets = " ".join(style.text or "" for style in page.iter("style"))
    return {
        selector.strip(): _declarations(declarations)
        for selectors, declarations in _RULE.findall(re.sub(r"/\*.*?\*/", "", sheets, flags=re.DOTALL))
        for selector in selectors.split(",")
    }


def _styles(node: html.HtmlElement, rules: dict[str, Styles]) -> Styles:
    selectors = [node.tag, *(f".{name}" for name in node.get("class", "").split()), f"#{node.get('id', '')}"]
    styles: Styles = {}
    for selector in selectors:
        styles |= rules.get(selector, {})
    return styles | _declarations(node.get("style", ""))


def _declarations(text: str) -> Styles:
    pairs = (declaration.partition(":") for declaration in text.lower().split(";"))
    return {name.strip(): value.replace("!important", "").strip() for name, colon, value in pairs if colon}


def _colour(value: str) -> Colour | None:
    """Red, green and blue from 0 to 1; None for names other than a few light ones and black."""
    value = _NAMES.get(value, value)
    if digits := re.search(r"#([0-9a-f]{6}|[0-9a-f]{3})\b", value):
        step = len(digits[1]) // 3
        parts = [digits[1][at : at + step] * (2 // step) for at in range(0, 3 * step, step)]
        return tuple(int(part, 16) / 255 for part in parts)
    if numbers := re.search(r"rgba?\((\d+)[,\s]+(\d+)[,\s]+(\d+)", value):
        return tuple(int(number) / 255 for number in numbers.groups())
    return None
