"""The parts of a LaTeX source: one file, read without running TeX."""

from __future__ import annotations

import re

from pylatexenc.latexwalker import LatexEnvironmentNode, LatexNode, LatexWalker, get_default_latex_context_db
from pylatexenc.macrospec import std_macro

from tools.documents.decoding import clean_characters
from tools.documents.structured.blocks import Block, Parts
from tools.documents.structured.latex_text import HEADING_MARK, LatexText
from tools.documents.structured.reference_list import mark_references

_ARGUMENTS = {
    **dict.fromkeys(("title", "icmltitle", "caption", "paragraph", "subparagraph", "author", "date"), "*[{"),
    **dict.fromkeys(("thanks", "pagecolor", "phantom", "hphantom", "vphantom", "keywords", "affiliation"), "{"),
    **dict.fromkeys(("textcolor", "colorbox"), "[{{"),
    **dict.fromkeys(("fontsize", "href"), "{{"),
    **dict.fromkeys(("parencite", "textcite", "autocite", "footcite", "citeauthor", "citeyear"), "*[[{"),
    **dict.fromkeys(("autoref", "cref", "Cref", "eqref", "nameref", "input", "include", "bibliography"), "{"),
    **dict.fromkeys(("rowcolor", "cellcolor", "columncolor"), "[{"),
    "color": "[{",
    "fcolorbox": "[{{{",
    "definecolor": "{{{",
    "bibitem": "[{",
}


def latex_parts(text: str) -> Parts:
    """Sections, paragraphs and references of a LaTeX source; formulas become readable characters.

    A source that nests too deeply to be read gives no blocks.
    """
    reader = LatexText()
    try:
        nodes = _nodes(_without_comments(text))
        reader.nodelist_to_text(nodes)  # the preamble names the title and the colours
        body = next((node for node in nodes if _is_document(node)), None)
        reader.hidden.clear()
        written = reader.nodelist_to_text(body.nodelist if body else nodes)
    except RecursionError:
        return Parts("", [], warnings=["the LaTeX source nests groups too deeply to be read"])
    return Parts(
        title=reader.title,
        blocks=mark_references(_blocks(clean_characters(written))),
        hidden=reader.hidden,
        warnings=list(dict.fromkeys(reader.warnings)),
    )


def _without_comments(text: str) -> str:
    """Source without comments; a line that is nothing else is gone, lest it part two paragraphs."""
    text = re.sub(r"^[ \t]*%.*\n?", "", text, flags=re.MULTILINE)
    return re.sub(r"(?<!\\)%.*", "", text)


def _nodes(text: str) -> list[LatexNode]:
    context = get_default_latex_context_db()
    macros = [std_macro(name, arguments) for name, arguments in _ARGUMENTS.items()]
    context.add_context_category("papers", macros=macros, prepend=True)
    nodes: list[LatexNode] = LatexWalker(text, latex_context=context, tolerant_parsing=True).get_latex_nodes()[0]
    return nodes


def _is_document(node: LatexNode) -> bool:
    return isinstance(node, LatexEnvironmentNode) and node.environmentname == "document"


def _blocks(text: str) -> list[Block]:
    blocks: list[Block] = []
    for part in re.split(r"\n\s*\n", text):
        line = " ".join(part.split())
        if line.startswith(HEADING_MARK):
            blocks.append(Block("heading", line.removeprefix(HEADING_MARK).strip()))
        elif any(map(str.isalnum, line)):
            blocks.append(Block("paragraph", line))
    return blocks
