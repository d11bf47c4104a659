"""What the investigator reads beside the paper: publications that a question finds, ready to be searched."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from nodes.feedback.agent import options
from nodes.feedback.paper import document_of, search_now
from state.documents import Document, Passage
from state.feedback import QuestionState
from state.settings import FeedbackSettings
from tools.literature import Findings, Found, Sources, find_documents, open_sources
from tools.literature.identity import under_review


class Studies(NamedTuple):
    """What a search has brought."""

    found: list[Found]
    """The best first."""
    notes: list[str]
    """Providers that failed, and addresses that were kept out."""


async def find_studies(state: QuestionState, question: str) -> Studies:
    """Look for publications on a question; nothing but the question leaves the machine, and only if a service is named.

    Raises:
        RetrievalUnavailable: No provider could be asked.
        SettingsError: A provider needs a key that is not there.
    """
    chosen = options(state)
    paper = await document_of(state)
    sources = await asyncio.to_thread(_open, chosen)
    findings = await find_documents(
        question,
        sources,
        limit=chosen.literature.results,
        under_review=under_review(paper),
        scholarly_first="scholarly_first" in chosen.aids,
    )
    return Studies(findings["found"], notes_of(findings))


def notes_of(findings: Findings) -> list[str]:
    """What a person should know of a search."""
    blocked = [f"{item['address']} was kept out: it {item['reason']}." for item in findings["blocked"]]
    return [*blocked, *(f"Literature, {item['provider']}: {item['message']}" for item in findings["notices"])]


def _open(chosen: FeedbackSettings) -> Sources:
    def rank(documents: Sequence[Document], question: str, number: int) -> list[Passage]:
        return search_now(documents, question, chosen, number)

    return open_sources(chosen.literature, rank=rank)
