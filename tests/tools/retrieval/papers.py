"""Papers to search in, and an embedder that counts what it is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from state.documents import Document, Paragraph
from tests.fake_endpoint.embeddings import embed


def paper(*texts: str, section: str = "Methods", title: str = "On mosses") -> Document:
    """A paper with these paragraphs, p1, p2, ..."""
    return Document(
        sha256=hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        format="text",
        title=title,
        abstract="",
        text="\n\n".join(texts),
        paragraphs=[
            Paragraph(id=f"p{number}", section=section, text=text, page=0, words=[])
            for number, text in enumerate(texts, start=1)
        ],
        references=[],
        hidden=[],
        pages=0,
        warnings=[],
    )


def numbered_paper(paragraphs: int) -> Document:
    """Paragraphs of which a segment of 60 characters holds one number each."""
    return paper(*(f"Sample number{n:04} was weighed, dried and kept cool." for n in range(paragraphs)))


class CountingEmbedder:
    """Vectors by the words of a text; remembers every text."""

    def __init__(self, name: str = "words") -> None:
        self.name = name
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts.extend(texts)
        return [embed(text, 2048) for text in texts]
