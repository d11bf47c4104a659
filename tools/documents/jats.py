"""The parts of a paper in JATS, the XML of PubMed Central and of publishers, by way of HTML.

No entity of the file is resolved and nothing is fetched.
"""

from __future__ import annotations

from html import unescape

from lxml import etree, html

from state.documents import HiddenText
from tools.documents.formulas import write_formula
from tools.documents.structure import Block, Parts, mark_references, say_unread, says_something
from tools.documents.web_pages import keep_raised_apart, list_blocks, remove_hidden

_SECTIONS = ("sec", "abstract", "ack", "app", "boxed-text", "fn-group", "glossary", "notes")
_CAPTIONED = ("fig", "table-wrap", "supplementary-material", "media", "boxed-text")
_HTML_NAMES = {
    **dict.fromkeys((*_SECTIONS, "body", "back", "floats-group", "app-group"), "section"),
    **dict.fromkeys(("fig", "fig-group", "table-wrap", "table-wrap-foot", "supplementary-material"), "figure"),
    **dict.fromkeys(("list", "def-list", "list-item", "def-item", "def", "fn"), "div"),
    **dict.fromkeys(("disp-quote", "verse-group"), "blockquote"),
    "break": "br",
}
_NOT_PRINTED = ("object-id", "permissions", "attrib", "alt-title", "processing-meta", "journal-meta")
_BODY = (r"\begin{document}", r"\end{document}")
# What stands behind a part of a reference that is marked only, and not punctuated.
_ENDS = {
    **dict.fromkeys(("year", "article-title", "chapter-title", "source", "volume", "lpage", "elocation-id"), ". "),
    **dict.fromkeys(("collab", "publisher-name", "publisher-loc", "pub-id", "edition", "comment"), ". "),
    **dict.fromkeys(("given-names", "suffix"), ", "),
    "surname": " ",
    "fpage": "–",
}


def jats_parts(text: str) -> Parts:
    """Read title, abstract, sections, tables, captions and references of an article.

    Raises:
        ValueError: The text is no XML, or holds no article.
    """
    parser = html.XHTMLParser(encoding="utf-8", resolve_entities=False, no_network=True, remove_pis=True)
    try:
        root = etree.fromstring(text.strip().encode(), parser)
    except etree.XMLSyntaxError as error:
        raise ValueError(error.msg) from None
    for node in root.iter(etree.Element):
        node.tag = etree.QName(node).localname
    article = next(root.iter("article"), None)
    if article is None:
        raise ValueError("it holds no article")
    for entity in list(article.iter(etree.Entity)):
        _replace(entity, unescape(entity.text))
    said = (" ".join((comment.text or "").split()) for comment in article.iter(etree.Comment))
    comments = [HiddenText(text=each, page=0, reason="comment") for each in said if says_something(each)]
    etree.strip_tags(article, etree.Comment)
    warnings = _drop_unread(article)
    _write_formulas(article)
    title = article.find("front//title-group/article-title")
    entries = [Block("reference", entry) for entry in map(_write_reference, article.iter("ref")) if entry]
    for listed in list(article.iter("ref-list")):
        listed.drop_tree()
    _write_captions(article)
    _write_headings(article)
    hidden = remove_hidden(article)
    parts = [part for path in ("front//abstract", "body", "back", "floats-group") for part in article.iterfind(path)]
    for node in list(article.iter(*_HTML_NAMES)):
        node.tag = _HTML_NAMES[node.tag]
    blocks = mark_references([block for part in parts for block in list_blocks(part)])
    return Parts(
        "" if title is None else _on_one_line(title),
        [*blocks, *([Block("heading", "References", level=2)] if entries else []), *entries],
        hidden=[*comments, *hidden],
        warnings=warnings,
    )


def _replace(node: html.HtmlElement, text: str) -> None:
    """Put text in the place of an element."""
    node.tail = f"{text}{node.tail or ''}"
    node.drop_tree()


def _drop_unread(article: html.HtmlElement) -> list[str]:
    """Drop what is no part of the paper as it is printed, and say what else is missed."""
    for described in list(article.iter("alt-text", "long-desc")):
        described.getparent().set("alt", described.text_content())
        described.drop_tree()
    others = article.xpath("sub-article | response | .//trans-abstract | .//abstract[@abstract-type and not(title)]")
    for node in [*others, *article.iter(*_NOT_PRINTED)]:
        node.drop_tree()
    pictured = (
        ".//*[self::disp-formula or self::inline-formula][not(.//math or .//tex-math)][.//graphic or .//inline-graphic]"
    )
    return [
        *say_unread(len(others), "text beside the paper", "texts beside the paper (reviews, replies, other abstracts)"),
        *say_unread(len(article.xpath(".//table-wrap[not(.//table)]")), "table in a picture", "tables in pictures"),
        *say_unread(len(article.xpath(pictured)), "formula in a picture", "formulas in pictures"),
    ]


def _write_formulas(article: html.HtmlElement) -> None:
    """Put formulas into the text; of one that is given in several ways, MathML is read."""
    for formula in list(article.iter("tex-math")):
        if formula.getparent().find("math") is not None:
            formula.drop_tree()
        else:
            source = formula.text_content()
            _replace(formula, " ".join(source.partition(_BODY[0])[2].partition(_BODY[1])[0].split()) or source.strip())
    for shown in article.iter("disp-formula"):
        shown.text, shown.tail = f" {shown.text or ''}", f" {shown.tail or ''}"
    for formula in list(article.iter("math")):
        _replace(formula, write_formula(formula))
    keep_raised_apart(article)


def _write_reference(reference: html.HtmlElement) -> str:
    """An entry with its label in brackets, and stops and commas where the file only marks its parts."""
    number = _take(reference, "label").strip("[]. ")
    for part in reference.iter(*_ENDS):
        holder = (
            part.getparent() if part.tag in ("surname", "given-names", "suffix") and part.getnext() is None else part
        )
        if not (holder.tail or "").strip():
            holder.tail = _ENDS[part.tag]
    text = _on_one_line(reference)
    return f"[{number}] {text}" if number else text


def _write_captions(article: html.HtmlElement) -> None:
    """Make one paragraph of the label and the caption of a figure or table; notes in a text stand in brackets."""
    for holder in article.iter(*_CAPTIONED):
        caption = holder.find("caption")
        lines = [_take(holder, "label"), *([] if caption is None else map(_on_one_line, caption))]
        _take(holder, "caption")
        paragraph = html.Element("p")
        paragraph.text = " ".join(line if line.endswith((".", "?", "!", ":")) else f"{line}." for line in lines if line)
        holder.insert(0, paragraph)
    for note in list(article.iter("fn")):
        is_inside = any(True for _ in note.iterancestors("p", "td", "th"))
        label, text = _take(note, "label"), _on_one_line(note)
        if is_inside:
            _replace(note, f" ({text})")
        else:
            note.clear()
            note.tag, note.text = "p", f"{label} {text}".lstrip()


def _write_headings(article: html.HtmlElement) -> None:
    """Make headings of the titles of sections, with their numbers."""
    for path, usual in (("front//abstract", "Abstract"), ("body", "Introduction"), ("back/ack", "Acknowledgements")):
        for section in article.iterfind(path):
            if section.find("title") is None and not (section.tag == "body" and section[0].tag == "sec"):
                section.insert(0, html.Element("title"))
                section[0].text = usual
    for title in list(article.iter("title")):
        number = _take(title.getparent(), "label")
        title.text = f"{number} {title.text or ''}".lstrip()
        title.tag = f"h{min(6, 1 + sum(1 for _ in title.iterancestors(*_SECTIONS)))}"


def _take(node: html.HtmlElement, name: str) -> str:
    """Take a part out of an element and return its text."""
    part = node.find(name)
    if part is None:
        return ""
    text = _on_one_line(part)
    part.drop_tree()
    return text


def _on_one_line(node: html.HtmlElement) -> str:
    return " ".join(node.text_content().split())
