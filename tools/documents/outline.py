"""Tells the abstract from the sections and the references, numbers the paragraphs, and writes the text of the whole."""

from __future__ import annotations

import re

from state.documents import Document, DocumentFormat, Paragraph, Word
from tools.documents.parts import Block, Parts, opens_references, references
from tools.documents.sections import ABSTRACT, LONGEST_ABSTRACT, cut_references, find_abstract

_LATEST_ABSTRACT = 60  # blocks; an abstract stands on one of the first pages
_AUTHOR_LINES = 25  # words; what is shorter and ends no sentence before the first section is no prose


def outline(parts: Parts, *, sha256: str, document_format: DocumentFormat) -> Document:
    """The document that the parts of a paper make up."""
    blocks = _from_abstract(_with_abstract_heading(parts.blocks))
    if parts.written:
        gap, lines = "\n", parts.written.split("\n")
        whole = cut_references(lines)
    else:
        gap, lines = "\n\n", _lines(parts.title, blocks)
        whole = [line for line in lines if line.strip("# ")]
    abstract = find_abstract(lines) or _section_of_abstract(blocks)
    return Document(
        sha256=sha256,
        format=document_format,
        title=parts.title,
        abstract=gap.join(abstract).strip(),
        text=gap.join(whole).strip(),
        paragraphs=_paragraphs(blocks),
        references=references([block.text for block in parts.blocks if block.kind == "reference"]),
        hidden=parts.hidden,
        pages=parts.pages,
        warnings=parts.warnings,
    )


def _with_abstract_heading(blocks: list[Block]) -> list[Block]:
    """Blocks with a heading of its own for an abstract that begins with the word, as in "Abstract: We show"."""
    for at, block in enumerate(blocks[:_LATEST_ABSTRACT]):
        found = ABSTRACT.match(block.text)
        if found and found["text"]:
            cut = found.start("text")
            words = [_shifted(word, cut) for word in block.words if word["start"] >= cut]
            rest = Block("paragraph", block.text[cut:], block.page, words)
            return [*blocks[:at], Block("heading", "Abstract", block.page), rest, *blocks[at + 1 :]]
    return blocks


def _shifted(word: Word, cut: int) -> Word:
    return Word(start=word["start"] - cut, end=word["end"] - cut, page=word["page"], box=word["box"])


def _from_abstract(blocks: list[Block]) -> list[Block]:
    """Blocks without authors and addresses: what stands before the abstract, or is no sentence before a section."""
    for at, block in enumerate(blocks[:_LATEST_ABSTRACT]):
        if ABSTRACT.match(block.text) and len(block.text) < 20:
            return [Block("heading", block.text, block.page, level=block.level), *blocks[at + 1 :]]
    first = next((at for at, block in enumerate(blocks) if block.kind == "heading"), 0)
    return [block for at, block in enumerate(blocks) if at >= first or _is_prose(block.text)]


def _is_prose(text: str) -> bool:
    return len(text.split()) >= _AUTHOR_LINES or re.search(r"[.!?]$", text) is not None


def _lines(title: str, blocks: list[Block]) -> list[str]:
    """Title, headings and paragraphs, each a line; headings as Markdown where their level is known."""
    levels = any(block.level for block in blocks)
    shown = (block for block in blocks if block.kind != "reference" and not opens_references(block.text))
    lines = (f"{'#' * block.level} {block.text}".lstrip(" ") for block in shown)
    return [f"# {title}" if levels and title else title, *lines]


def _section_of_abstract(blocks: list[Block]) -> list[str]:
    """The paragraphs up to the next heading, where none of those is found that usually follow an abstract."""
    headings = [at for at, block in enumerate(blocks) if block.kind == "heading" and ABSTRACT.match(block.text)]
    lines: list[str] = []
    for block in blocks[headings[0] + 1 :] if headings else []:
        if block.kind == "heading" and lines:
            break
        if block.kind == "paragraph":
            lines.append(block.text)
    return lines if sum(len(line.split()) for line in lines) <= LONGEST_ABSTRACT else []


def _paragraphs(blocks: list[Block]) -> list[Paragraph]:
    paragraphs: list[Paragraph] = []
    section = ""
    for block in blocks:
        if block.kind == "heading":
            section = block.text
        elif block.kind == "paragraph":
            number = len(paragraphs) + 1
            paragraphs.append(
                Paragraph(id=f"p{number}", section=section, text=block.text, page=block.page, words=block.words)
            )
    return paragraphs
