"""The parts of a web page, and of Markdown by way of HTML."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from lxml import etree, html
from markdown_it import MarkdownIt

from state.documents import HiddenText
from tools.documents.decoding import clean_characters
from tools.documents.hidden_markup import remove_hidden
from tools.documents.markdown import plain_markdown, without_front_matter
from tools.documents.parts import Block, Parts, mark_references, opens_references
from tools.documents.plain_text import text_parts
from tools.documents.sections import HEADING, opens_abstract

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_BLOCKS = _HEADINGS | {
    *("p", "li", "ul", "ol", "pre", "blockquote", "table", "figure", "figcaption", "dl", "dt", "dd"),
    *("div", "main", "article", "section", "header"),
}
_LONGEST_PARAGRAPH = 100_000  # characters; what is longer is no prose, and may be made to stall the parser
_SKIPPED = {"script", "style", "noscript", "template", "head", "nav", "footer", "aside", "svg"}


def html_parts(text: str) -> Parts:
    """Main text of a web page: no menus, no footers; what a browser would not show is apart."""
    import trafilatura  # noqa: PLC0415 - Markdown does without

    page = _parse(text)
    if page is None:
        return Parts("", [])
    hidden = remove_hidden(page)
    for formula in list(page.iter("math")):
        _replace(formula, formula.get("alttext") or " ".join(formula.text_content().split()))
    every = list(_blocks(page))
    main = trafilatura.extract(
        html.tostring(page, encoding="unicode"), output_format="html", favor_recall=True, include_comments=False
    )
    extracted = _parse(main) if main else None
    chosen = list(_blocks(extracted)) if extracted is not None else []
    if _length(chosen) < 0.5 * _length(every):  # a short page, or one of which too little was taken for its text
        chosen = every
    parts = _parts(chosen, hidden)
    parts.title = parts.title or " ".join((page.findtext(".//title") or "").split())
    return parts


def markdown_parts(text: str) -> Parts:
    """Headings, paragraphs and items of a Markdown file; comments and hidden HTML in it are apart."""
    if max(map(len, text.split("\n\n"))) > _LONGEST_PARAGRAPH:
        return text_parts(plain_markdown(text))
    page = _parse(MarkdownIt("commonmark", {"html": True}).enable("table").render(without_front_matter(text)))
    if page is None:
        return Parts("", [])
    hidden = remove_hidden(page)
    parts = _parts(list(_blocks(page)), hidden)
    parts.written = plain_markdown(text)
    return parts


def _parse(text: str) -> html.HtmlElement | None:
    try:
        return html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except etree.ParserError:  # nothing but comments and white space
        return None


def _replace(element: html.HtmlElement, text: str) -> None:
    element.tail = f"{text}{element.tail or ''}"
    element.drop_tree()


def _parts(blocks: list[Block], hidden: list[HiddenText]) -> Parts:
    """Parts with the first heading as the title, unless it is that of a section."""
    at = next((at for at, block in enumerate(blocks) if block.kind == "heading"), None)
    title = blocks[at].text if at is not None else ""
    if at is None or opens_abstract(title) or HEADING.fullmatch(title) or opens_references(title):
        return Parts("", mark_references(blocks), hidden)
    return Parts(title, mark_references([*blocks[:at], *blocks[at + 1 :]]), hidden)


def _blocks(node: html.HtmlElement) -> Iterator[Block]:
    """Headings and paragraphs in their order; text between blocks is a paragraph as well."""
    if node.tag in _SKIPPED:
        return
    if node.tag in _HEADINGS:
        yield from _block("heading", node.text_content(), level=int(node.tag[1]))
        return
    if node.tag == "table":
        yield from _block("paragraph", " ".join(cell.text_content() for cell in node.iter("th", "td", "caption")))
        return
    running = node.text or ""
    for child in node:
        if child.tag in _SKIPPED or child.tag in _BLOCKS or any(True for _ in child.iter(*_BLOCKS)):
            yield from _block("paragraph", running)
            yield from _blocks(child)
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


def _length(blocks: list[Block]) -> int:
    return sum(len(block.text) for block in blocks)
