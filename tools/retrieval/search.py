"""Find the passages of papers that answer a question, and fuse rankings whose scores cannot be compared.

Passages are segments with their places in the paper. A paper is split as by SWIF2T's released code: with LangChain's
recursive splitter, which cuts between paragraphs if it can, and else between words.

Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods", SIGIR 2009, which also found k = 60.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from typing import NamedTuple, TypeVar

from state.documents import Document, Paragraph, Passage
from state.errors import SettingsError
from state.settings import RetrievalMode
from tools.retrieval.embedders import EmbeddingModel, choose_embedder

HASH_DIGITS = 12  # of a document's hash in the ids of its segments
_PARAGRAPH_BREAK = "\n\n"


class Segment(NamedTuple):
    """Named tuple of a part of a paper's running text, which is its paragraphs separated by empty lines."""

    id: str
    """First `HASH_DIGITS` digits of the document's hash, a colon, and a number from 1."""
    start: int
    """Offset of its first character in the running text."""
    text: str
    section: str
    """Section in which it begins."""
    page: int
    """Page on which it begins, from 1; 0 if the format has no pages."""
    paragraphs: tuple[str, ...]
    """Ids of the paragraphs that it overlaps, in reading order."""


def split_document(document: Document, characters: int = 2000, overlap: int = 200) -> list[Segment]:
    """Split a document without its references into segments in reading order, which together contain every word.

    Two consecutive segments share whole lines or words only, so none after the end of a paragraph.
    """
    from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415 - a package of an extra

    # 1. Locate the paragraphs in the running text.
    spans, start = list[tuple[int, int, Paragraph]](), 0
    for paragraph in document["paragraphs"]:
        end = start + len(paragraph["text"])
        if end > start:
            spans.append((start, end, paragraph))
        start = end + len(_PARAGRAPH_BREAK)
    text = _PARAGRAPH_BREAK.join(paragraph["text"] for paragraph in document["paragraphs"])
    # 2. Split the text, and give each segment section and page of its first paragraph.
    splitter = RecursiveCharacterTextSplitter(chunk_size=characters, chunk_overlap=overlap, add_start_index=True)
    segments = list[Segment]()
    for number, chunk in enumerate(splitter.create_documents([text]), start=1):
        start = chunk.metadata["start_index"]
        end = start + len(chunk.page_content)
        touched = [span for span in spans if span[0] < end and span[1] > start]
        begin, _, first = touched[0]
        # A paragraph may go on to the next page before the segment begins.
        pages = (word["page"] for word in first["words"] if word["start"] <= start - begin)
        segments.append(
            Segment(
                id=f"{document['sha256'][:HASH_DIGITS]}:{number}",
                start=start,
                text=chunk.page_content,
                section=first["section"],
                page=max(pages, default=first["page"]),
                paragraphs=tuple(paragraph["id"] for _, _, paragraph in touched),
            )
        )
    return segments


CANDIDATES_PER_RANKING = 100  # segments of each ranking that hybrid retrieval fuses


def find_passages(  # noqa: PLR0913 - one keyword for each setting
    documents: Sequence[Document],
    question: str,
    *,
    embedding: EmbeddingModel,
    mode: RetrievalMode = "hybrid",
    k: int = 5,
    segment_characters: int = 2000,
    overlap: int = 200,
    exclude_paragraphs: Collection[str] = (),
) -> list[Passage]:
    """Return the `k` segments of some documents that are most similar to a question, with scores, best first.

    A document is embedded when it is first searched, and kept in the state folder. Any number of threads and processes
    may search at once. The call blocks, so nodes make it in a thread.

    Rankings are by embeddings (the paper's way), by shared words of English, or both fused by reciprocal rank; the
    paper takes 5 passages. Segments that contain only excluded paragraphs are left out. At most `k` passages
    are returned, best first. The score is a cosine, a BM25 score, or a sum of reciprocal ranks. BM25 alone finds
    nothing if no word of the question occurs.

    Raises:
        RetrievalUnavailableError: If the embedding model cannot be loaded or reached.
        SettingsError: If the packages of retrieval are not installed.
        StateError: If the index cannot be read or written.
    """
    if not question.strip():
        return []
    studies = list({document["sha256"]: document for document in documents}.values())  # several providers may find one
    try:
        titles = {study["sha256"][:HASH_DIGITS]: study["title"] for study in studies}
        papers = [split_document(study, segment_characters, overlap) for study in studies]
        segments = [segment for paper in papers for segment in paper]
        excluded = {segment for segment in segments if set(segment.paragraphs) <= set(exclude_paragraphs)}
        ranking = _rank_segments(papers, question, embedding, mode, max(k, CANDIDATES_PER_RANKING) + len(excluded))
    except ImportError as error:
        raise SettingsError(
            f"Retrieval needs a package that is not installed ({error.name}): pip install 'draftroom[review]'."
        ) from error
    found = [(segment, score) for segment, score in ranking if segment not in excluded][:k]
    return [
        Passage(
            id=segment.id,
            title=titles[segment.id.partition(":")[0]],
            section=segment.section,
            page=segment.page,
            text=segment.text,
            score=score,
        )
        for segment, score in found
    ]


def _rank_segments(
    papers: Sequence[Sequence[Segment]], question: str, embedding: EmbeddingModel, mode: RetrievalMode, limit: int
) -> list[tuple[Segment, float]]:
    """Return segments with their scores, best first: by embeddings, by BM25, or by the fusion of both."""
    rankings = []
    if mode != "bm25":
        from tools.retrieval import index  # noqa: PLC0415 - loads Chroma

        rankings.append(index.rank_by_embedding(papers, question, choose_embedder(embedding), limit))
    if mode != "dense":
        from tools.retrieval import bm25  # noqa: PLC0415 - loads NLTK

        rankings.append(bm25.rank_by_bm25(tuple(segment for paper in papers for segment in paper), question, limit))
    if len(rankings) == 1:
        return rankings[0]
    return fuse_rankings([segment for segment, _ in ranking] for ranking in rankings)


Item = TypeVar("Item", bound=Hashable)


def fuse_rankings(rankings: Iterable[Sequence[Item]], k: int = 60) -> list[tuple[Item, float]]:
    """Rank items by the sum of 1 / (k + rank) over the rankings that contain them, ranks from 1.

    Items and scores are returned, best first; equal scores in the order in which the items first occur.
    """
    scores: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return sorted(scores.items(), key=lambda scored: scored[1], reverse=True)
