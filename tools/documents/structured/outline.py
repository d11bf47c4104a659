"""Tells the abstract from the sections and the references, and numbers the paragraphs."""

from __future__ import annotations

import re

from state.documents import Document, DocumentFormat, Paragraph, Word
from tools.documents.sections import ABSTRACT, END
from tools.documents.structured.blocks import Block, Parts
from tools.documents.structured.reference_list import references

_LATEST_ABSTRACT = 60  # blocks; an abstract stands on one of the first pages
_AUTHOR_LINES = 25  # words; what is shorter and ends no sentence before the first section is no prose


def outline(parts: Parts, *, sha256: str, document_format: DocumentFormat) -> Document:
    """The document that the parts of a paper make up."""
    blocks = _from_abstract(_with_abstract_heading(parts.blocks))
    paragraphs, abstract = _paragraphs(blocks)
    return Document(
        sha256=sha256,
        format=document_format,
        title=parts.title,
        abstract=parts.abstract or abstract,
        paragraphs=paragraphs,
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
            return [Block("heading", block.text, block.page), *blocks[at + 1 :]]
    first = next((at for at, block in enumerate(blocks) if block.kind == "heading"), 0)
    return [block for at, block in enumerate(blocks) if at >= first or _is_prose(block.text)]


def _is_prose(text: str) -> bool:
    return len(text.split()) >= _AUTHOR_LINES or re.search(r"[.!?]$", text) is not None


def _paragraphs(blocks: list[Block]) -> tuple[list[Paragraph], str]:
    paragraphs: list[Paragraph] = []
    abstract: list[str] = []
    section, in_abstract = "", False
    for block in blocks:
        if block.kind == "heading":
            in_abstract = ABSTRACT.match(block.text) is not None
            section = block.text
        elif block.kind == "paragraph":
            in_abstract = in_abstract and not END.match(block.text)
            if in_abstract:
                abstract.append(block.text)
            paragraphs.append(
                Paragraph(
                    id=f"p{len(paragraphs) + 1}",
                    section=section,
                    text=block.text,
                    page=block.page,
                    words=block.words,
                )
            )
    return paragraphs, "\n\n".join(abstract)
