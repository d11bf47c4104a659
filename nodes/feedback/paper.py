"""The paper under review, as prompts show it and as the investigator searches it."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Sequence

from nodes.feedback.agent import AnyState, options
from state.documents import Document, Passage
from state.feedback import ParagraphState, QuestionState
from state.settings import FeedbackSettings
from tools.documents import load_document
from tools.hidden_instructions import as_data
from tools.quotes import locate


async def document_of(state: ParagraphState | QuestionState) -> Document:
    """The paper, read from its file."""
    return await asyncio.to_thread(load_document, state["document"])


def shown(text: str, state: AnyState) -> str:
    """A text as a prompt shows it: what addresses the model stands there as a quotation only (an aid)."""
    return as_data(text) if "instructions" in options(state).aids else text


def passages_shown(passages: list[Passage], state: AnyState) -> str:
    """Passages for a prompt, with numbers to cite them by."""
    return "\n\n".join(
        f"[{number}] {passage['section'] or passage['title']}\n{shown(passage['text'], state)}"
        for number, passage in enumerate(passages, start=1)
    )


def pinpoint(passage: Passage, quote: str, document: Document) -> Passage:
    """A passage with the section and page of the paragraph that holds a quote from it: it may begin before that."""
    for paragraph in document["paragraphs"]:
        if locate(quote, paragraph["text"]):
            return {**passage, "section": paragraph["section"], "page": paragraph["page"]}
    return passage


async def search_in(
    documents: list[Document], question: str, chosen: FeedbackSettings, *, leave_out: Collection[str] = ()
) -> list[Passage]:
    """The passages of documents that are nearest to a question, best first; those of some paragraphs are left out."""
    return await asyncio.to_thread(search_now, documents, question, chosen, chosen.passages, leave_out)


def search_now(
    documents: Sequence[Document],
    question: str,
    chosen: FeedbackSettings,
    number: int,
    leave_out: Collection[str] = (),
) -> list[Passage]:
    """As `search_in`, in this thread, and so many passages."""
    from tools.retrieval import Embedding, search  # noqa: PLC0415 - loads torch and Chroma

    return search(
        documents,
        question,
        mode=chosen.retrieval,
        k=number,
        segment_characters=chosen.segment_characters,
        overlap=chosen.segment_overlap,
        embedding=Embedding(**chosen.embedding.model_dump()),
        exclude_paragraphs=leave_out,
    )


async def search_paper(state: ParagraphState | QuestionState, question: str) -> list[Passage]:
    """The passages of the paper under review that are nearest to a question."""
    return await search_in([await document_of(state)], question, options(state))
