"""Finds the passages of papers that bear on a question, and joins rankings whose scores cannot be compared.

Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods", SIGIR 2009, which also found k = 60.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import TypeVar

from state.documents import Document, Passage
from state.errors import SettingsError
from state.settings import RetrievalMode
from tools.retrieval.embedders import Embedding, embedder_for
from tools.retrieval.segments import Segment, split

CANDIDATES = 100
"""Segments of each ranking that hybrid retrieval fuses."""


def search(  # noqa: PLR0913 - one keyword for each setting
    documents: Sequence[Document],
    question: str,
    *,
    embedding: Embedding,
    mode: RetrievalMode = "hybrid",
    k: int = 5,
    segment_characters: int = 2000,
    overlap: int = 200,
    exclude_paragraphs: Collection[str] = (),
) -> list[Passage]:
    """Find the segments of some documents that are most like a question.

    A document is embedded when it is searched for the first time, and kept in the state folder. Any number of threads
    and processes may search at once; the call blocks, so a node makes it in a thread.

    Args:
        documents: The paper under review, or studies to look the question up in.
        question: In English, for BM25.
        embedding: The model of the dense ranking.
        mode: By embeddings (the paper's way), by shared words, or both fused by reciprocal rank.
        k: Number of passages (the paper: 5).
        segment_characters: Most characters of a segment.
        overlap: Most characters that neighbouring segments share.
        exclude_paragraphs: Ids of paragraphs; segments of nothing else are left out.

    Returns:
        At most `k` passages, best first. The score is a cosine (dense), a BM25 score, or a sum of reciprocal ranks.
        BM25 alone finds nothing if no word of the question occurs.

    Raises:
        RetrievalUnavailable: If the embedding model cannot be loaded or reached.
        SettingsError: If the packages of retrieval are not installed.
        StateError: If the index cannot be read or written.
    """
    if not question.strip():
        return []
    studies = list({document["sha256"]: document for document in documents}.values())  # the same may be found twice
    try:
        papers = [split(study, segment_characters, overlap) for study in studies]
        studies_of = {segment.id: study for study, paper in zip(studies, papers, strict=True) for segment in paper}
        every = [segment for paper in papers for segment in paper]
        excluded = {segment for segment in every if set(segment.paragraphs) <= set(exclude_paragraphs)}
        ranking = _rank(papers, question, embedding, mode, max(k, CANDIDATES) + len(excluded))
    except ImportError as error:
        raise SettingsError(
            f"Retrieval needs a package that is not installed ({error.name}): pip install 'draftroom[review]'."
        ) from error
    found = [(segment, score) for segment, score in ranking if segment not in excluded][:k]
    return [_passage(segment, score, studies_of[segment.id]) for segment, score in found]


def _rank(
    papers: Sequence[Sequence[Segment]], question: str, embedding: Embedding, mode: RetrievalMode, limit: int
) -> list[tuple[Segment, float]]:
    rankings = []
    if mode != "bm25":
        from tools.retrieval import index  # noqa: PLC0415 - loads Chroma

        rankings.append(index.rank(papers, question, embedder_for(embedding), limit))
    if mode != "dense":
        from tools.retrieval import bm25  # noqa: PLC0415 - loads NLTK

        rankings.append(bm25.rank(tuple(segment for paper in papers for segment in paper), question, limit))
    if len(rankings) == 1:
        return rankings[0]
    return reciprocal_rank_fusion([segment for segment, _ in ranking] for ranking in rankings)


def _passage(segment: Segment, score: float, study: Document) -> Passage:
    return Passage(
        id=segment.id,
        title=study["title"],
        section=segment.section,
        page=segment.page,
        text=segment.text,
        score=score,
    )


Item = TypeVar("Item", bound=Hashable)


def reciprocal_rank_fusion(rankings: Iterable[Sequence[Item]], k: int = 60) -> list[tuple[Item, float]]:
    """Score each item with the sum of 1 / (k + rank) over the rankings that hold it, ranks from 1.

    Returns:
        Items and scores, best first; equal ones in the order in which they were first met.
    """
    scores: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: scored[1], reverse=True)
