"""Find the passages of papers that answer a question: by dense retrieval, BM25, both, or a retriever of the user's.

Passages are segments with their places in the paper. A paper is split as by SWIF2T's released code: with LangChain's
recursive splitter, which cuts between paragraphs if it can, and else between words.

Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
Methods", SIGIR 2009, which also found k = 60.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from functools import lru_cache
from itertools import chain
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from langchain_core.documents import Document as LangChainDocument

from state.documents import Document, Paragraph, Passage
from state.errors import DraftroomError, NoUsableAnswer, SettingsError
from state.files import make_storage_error, resolve_state_folder
from state.settings import FeedbackSettings
from tools.configuration import load_custom_object, mask_keys

HASH_DIGITS = 12  # of a document's hash in the ids of its segments
_PARAGRAPH_BREAK = "\n\n"


class Segment(NamedTuple):
    """Named tuple of a part of a paper's running text, which is its paragraphs separated by empty lines."""

    id: str
    """First `HASH_DIGITS` digits of the document's hash, a colon, and a number from 1."""
    title: str
    """Title of the document."""
    start: int
    """Offset of its first character in the running text."""
    text: str
    section: str
    """Section in which it begins."""
    page: int
    """Page on which it begins, from 1; 0 if the format has no pages."""
    paragraphs: tuple[str, ...]
    """Ids of the paragraphs that it overlaps, in reading order."""

    def to_langchain(self) -> LangChainDocument:
        """Return the segment as a document of LangChain, with all but its text as metadata, its id as `segment`."""
        place = self._asdict() | {"paragraphs": list(self.paragraphs), "segment": self.id}
        return LangChainDocument(place.pop("text"), id=place.pop("id"), metadata=place)


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
                title=document["title"],
                start=start,
                text=chunk.page_content,
                section=first["section"],
                page=max(pages, default=first["page"]),
                paragraphs=tuple(paragraph["id"] for _, _, paragraph in touched),
            )
        )
    return segments


def find_passages(
    documents: Sequence[Document],
    question: str,
    chosen: FeedbackSettings,
    number: int,
    leave_out: Collection[str] = (),
) -> list[Passage]:
    """Return the passages of some documents, at most `number`, that are nearest to a question, best first.

    Any number of threads and processes may search at once. The call blocks, so nodes make it in a thread. The ranking
    is that of the retriever that the settings name, or by embeddings (the paper's way; a document is embedded when it
    is first searched), by shared words of English, or both fused by reciprocal rank. Passages that consist only of
    paragraphs in `leave_out` are not returned. BM25 alone finds nothing if no word of the question occurs.

    Raises:
        NoUsableAnswer: If the user's own retriever fails.
        RetrievalUnavailableError: If the embedding model cannot be loaded or reached.
        SettingsError: If the packages of retrieval are not installed, or the user's retriever cannot be imported.
        StateError: If the index cannot be read or written.
    """
    studies = list({document["sha256"]: document for document in documents}.values())  # several providers may find one
    try:
        papers = [split_document(study, chosen.segment_characters, chosen.segment_overlap) for study in studies]
        segments = tuple(chain.from_iterable(papers))
        if not question.strip() or not segments:
            return []
        rankings = list[list[Segment]]()
        if chosen.retriever:
            rankings.append(rank_by_own_retriever(chosen.retriever, segments, question))
        elif chosen.retrieval != "bm25":
            from tools.retrieval.embedders import choose_embeddings  # noqa: PLC0415 - packages of an extra
            from tools.retrieval.index import rank_by_embedding  # noqa: PLC0415 - loads Chroma

            space = chosen.embedding.model_dump_json(exclude={"api_key_env"})
            rankings.append(rank_by_embedding(papers, question, choose_embeddings(chosen.embedding), space))
        if not chosen.retriever and chosen.retrieval != "dense":
            from tools.retrieval.bm25 import rank_by_bm25  # noqa: PLC0415 - packages of an extra

            rankings.append(rank_by_bm25(segments, question))
    except ImportError as error:
        raise SettingsError(
            f"Retrieval needs a package that is not installed ({error.name}): pip install 'draftroom[review]'."
        ) from error
    # A passage of an own retriever may have no place in the paper.
    fused = fuse_rankings(rankings)
    shown = [each for each in fused if not each.paragraphs or set(each.paragraphs).difference(leave_out)]
    return [
        Passage(id=each.id, title=each.title, section=each.section, page=each.page, text=each.text)
        for each in shown[:number]
    ]


_building_lock = Lock()  # without it, questions that are asked together would each build a retriever


@lru_cache(maxsize=8)
def build_retriever(factory: Callable[[list[LangChainDocument]], Any], segments: tuple[Segment, ...]) -> Any:
    """Return the LangChain retriever that a factory makes of segments; cached, as a paper is asked many questions."""
    return factory([segment.to_langchain() for segment in segments])


def rank_by_own_retriever(name: str, segments: tuple[Segment, ...], question: str) -> list[Segment]:
    """Return what the user's own retriever finds, as segments with the text that it returns.

    Their place is that of the segment whose id the document has, as `id` or in the metadata as `segment`; else that of
    the first segment whose text holds the document's, or is held by it. Without one, the place is empty.

    Raises:
        NoUsableAnswer: If the user's code fails.
        SettingsError: If it cannot be imported, or may not be.
    """
    placed, nowhere = list[Segment](), segments[0]._replace(section="", page=0)
    try:
        factory = load_custom_object(name)
        with _building_lock:
            retriever = build_retriever(factory, segments)
        for found in retriever.invoke(question):
            text, named = found.page_content.strip(), {found.id, found.metadata.get("segment")}
            homes = [each for each in segments if each.id in named or text in each.text or each.text in text]
            home = min(homes, key=lambda each: each.id not in named, default=nowhere)
            paragraphs = tuple(name for each in homes for name in each.paragraphs)
            placed += [home._replace(text=text, paragraphs=paragraphs)] if text else []
    except DraftroomError:
        raise
    except Exception as error:  # the user's code may raise anything
        message = mask_keys(" ".join(str(error).split()))
        raise NoUsableAnswer(f"The retriever {name} failed ({type(error).__name__}: {message}); correct it.") from error
    return placed


Item = TypeVar("Item", bound=Hashable)


def fuse_rankings(rankings: Iterable[Sequence[Item]], k: int = 60) -> list[Item]:
    """Rank items by the sum of 1 / (k + rank) over the rankings that contain them, best first; ranks begin at 1."""
    scores: dict[Item, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1 / (k + rank)
    return sorted(scores, key=lambda item: -scores[item])  # equal scores in the order in which the items first occur


def locate_index(sha256: str) -> Path:
    """Return the folder of the vectors of a paper, from at least `HASH_DIGITS` digits of its hash."""
    return resolve_state_folder() / "indexes" / sha256[:HASH_DIGITS]


def delete_vectors(sha256: str) -> None:
    """Remove the vectors of a paper, in all segmentations and of all models.

    Raises:
        StateError: If the index cannot be written.
    """
    try:
        if locate_index(sha256).exists():
            shutil.rmtree(locate_index(sha256))
    except OSError as error:
        raise make_storage_error(error, locate_index(sha256)) from error
