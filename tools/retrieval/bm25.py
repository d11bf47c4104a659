"""Rank segments by the words that they share with a question.

Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from functools import lru_cache

from snowballstemmer import stemmer

from tools.retrieval.search import Segment

with warnings.catch_warnings():
    # Users cannot act on the notice that the package is no longer developed.
    warnings.filterwarnings("ignore", message="`langchain-community` is being sunset", category=DeprecationWarning)
    from langchain_community.retrievers.bm25 import BM25Retriever

_WORD = re.compile(r"\w+(?:[.'’-]\w+)*")
_FUNCTION_WORDS = re.compile(
    # Lucene's English stop words, then question words.
    r"(?:a|an|and|are|as|at|be|but|by|for|if|in|into|is|it|no|not|of|on|or|such|that|the|their|then|there|these|they|this"
    r"|to|was|will|with"
    r"|can|could|did|do|does|from|had|has|have|how|its|many|much|should|were|what|when|where|which|who|why|would)"
)


def rank_by_bm25(segments: tuple[Segment, ...], question: str, limit: int) -> list[tuple[Segment, float]]:
    """Return the `limit` best segments that share a word with a question, with their BM25 scores, best first.

    The segments are in a tuple, because their index is cached; the question is in English.
    """
    if not any(list_word_stems(segment.text) for segment in segments):
        return []
    scores = _build_bm25_index(segments).vectorizer.get_scores(list_word_stems(question))
    found = [(segment, float(score)) for segment, score in zip(segments, scores, strict=True) if score > 0]
    return sorted(found, key=lambda scored: scored[1], reverse=True)[:limit]


def list_word_stems(text: str) -> list[str]:
    """List the stems of the words of a text, without function words; 0.5 and β-catenin are one word each."""
    return [_stem_word(word) for word in _WORD.findall(text.lower()) if not _FUNCTION_WORDS.fullmatch(word)]


@lru_cache(maxsize=65_536)
def _stem_word(word: str) -> str:
    return str(stemmer("english").stemWord(word))  # a new stemmer, because threads cannot share one


@lru_cache(maxsize=8)
def _build_bm25_index(segments: tuple[Segment, ...]) -> BM25Retriever:
    """Build the index of some segments; cached, because a paper is asked many questions."""
    index = BM25Retriever.from_texts([segment.text for segment in segments], preprocess_func=list_word_stems)
    # Lucene's weights, ln(1 + (N - n + 0.5) / (n + 0.5)), are positive, so a score of 0 means that no word is shared.
    # Those of rank-bm25 are zero or negative for a word in half of the segments, so for most words of a short text.
    counts = Counter(word for segment in index.vectorizer.doc_freqs for word in segment)
    index.vectorizer.idf = {
        word: math.log(1 + (len(segments) - count + 0.5) / (count + 0.5)) for word, count in counts.items()
    }
    return index
