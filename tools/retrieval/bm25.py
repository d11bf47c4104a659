"""Rank segments by the words that they share with a question.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from functools import lru_cache

from langchain_core.documents import Document
from snowballstemmer import stemmer

from tools.retrieval.search import Segment, build_retriever

with warnings.catch_warnings():
    # Users cannot act on the notice that the package is no longer developed. Nothing else is imported from it, so that
    # the retriever of another package can take its place.
    warnings.filterwarnings("ignore", message="`langchain-community` is being sunset", category=DeprecationWarning)
    from langchain_community.retrievers.bm25 import BM25Retriever

_WORD = re.compile(r"\w+(?:[.'’-]\w+)*")
_FUNCTION_WORDS = re.compile(
    # Lucene's English stop words, then question words.
    r"(?:a|an|and|are|as|at|be|but|by|for|if|in|into|is|it|no|not|of|on|or|such|that|the|their|then|there|these|they|this"
    r"|to|was|will|with"
    r"|can|could|did|do|does|from|had|has|have|how|its|many|much|should|were|what|when|where|which|who|why|would)"
)


def rank_by_bm25(segments: tuple[Segment, ...], question: str) -> list[Segment]:
    """Return the segments that share a word with a question, in the order of their BM25 scores, best first.

    The segments are in a tuple, because their index is cached; the question is in English.
    """
    if not any(list_word_stems(segment.text) for segment in segments):
        return []
    retriever, words = build_retriever(_build_bm25_retriever, segments), set(list_word_stems(question))
    # LangChain's retriever returns as many documents as it is asked for, whether they share a word or not.
    counts = zip(segments, retriever.vectorizer.doc_freqs, strict=True)
    sharing = {segment.id: segment for segment, of_words in counts if words & of_words.keys()}
    return [sharing[found.id] for found in retriever.invoke(question) if found.id in sharing] if sharing else []


def list_word_stems(text: str) -> list[str]:
    """List the stems of the words of a text, without function words; 0.5 and β-catenin are one word each."""
    return [_stem_word(word) for word in _WORD.findall(text.lower()) if not _FUNCTION_WORDS.fullmatch(word)]


@lru_cache(maxsize=65_536)
def _stem_word(word: str) -> str:
    return str(stemmer("english").stemWord(word))  # a new stemmer, because threads cannot share one


def _build_bm25_retriever(documents: Sequence[Document]) -> BM25Retriever:
    """Build the retriever of the segments of some papers, which ranks them all."""
    return BM25Retriever.from_documents(documents, preprocess_func=list_word_stems, k=len(documents))
