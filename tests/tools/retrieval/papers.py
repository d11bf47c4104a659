"""Papers to search in, and an embedder that counts what it is asked."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from langchain_core.documents import Document as LangChainDocument
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever

from state.documents import Document, Paragraph
from state.settings import FeedbackSettings
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


def short_segments(**chosen: Any) -> FeedbackSettings:
    """Settings with segments of 60 characters, shorter than a user may choose."""
    return FeedbackSettings(**chosen).model_copy(update={"segment_characters": 60, "segment_overlap": 0})


class ExcerptRetriever(BaseRetriever):
    """Finds parts of the texts of segments, one of them of no paper, and an empty one."""

    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[LangChainDocument]:
        texts = ("Mosses from the northern slope", "Words of nowhere", " ", "Rainfall")
        return [LangChainDocument(text) for text in texts]


def make_excerpt_retriever(segments: list[LangChainDocument]) -> BaseRetriever:
    return ExcerptRetriever()


def numbered_paper(paragraphs: int) -> Document:
    """Paragraphs of which a segment of 60 characters holds one number each."""
    return paper(*(f"Sample number{n:04} was weighed, dried and kept cool." for n in range(paragraphs)))


class CountingEmbeddings(Embeddings):
    """Vectors by the words of a text; remembers every text."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts.extend(texts)
        return [embed(text, 2048) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


class LoadedEmbeddings(CountingEmbeddings):
    """An embedding model of the user's own that takes a while to load."""

    loaded = 0

    def __init__(self, model: str) -> None:
        super().__init__()
        for _ in range(2000):  # reading lets another thread go on
            Path(__file__).read_bytes()
        LoadedEmbeddings.loaded += 1
