"""Sentences that a source does not seem to say: no sentence of it is near to them in meaning.

Nearness is the cosine between vectors of the packaged encoder, which the extra `review` brings. It tells sentences of
another paper, not sentences in which one thing was changed, so it only marks (docs/results/tried.md).
"""

from __future__ import annotations

from typing import Final

from state.documents import DocumentRef
from tools.documents.reading import load_source_text
from tools.retrieval import EmbeddingModel, compute_cosines
from tools.text import split_sentences

MIN_SIMILARITY: Final = 0.35
"""The 5th percentile of what 1,357 sentences of 120 plain summaries by people reach against their own abstracts: 0.350
(Cochrane 0.373, eLife 0.336, PLOS 0.431; 40 of each, those with the lowest hash of the abstract). Against the abstract
of the next paper of the same corpus 78% of the sentences are below it."""
MAX_WARNINGS: Final = 5


def score_sentence_similarity(text: str, source: str) -> list[tuple[str, float]]:
    """Each sentence of a text, without its headings, with its highest cosine with a sentence of the source.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    said = tuple(sentence.text for sentence in split_sentences(text) if not sentence.heading)
    told = tuple(sentence.text for sentence in split_sentences(source))
    if not said or not told:
        return []
    return list(zip(said, compute_cosines(said, told, EmbeddingModel()).max(axis=1).tolist(), strict=True))


def list_support_warnings(text: str, source: DocumentRef) -> list[str]:
    """A warning for each sentence that the stored source does not seem to say, the farthest from it first.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    found = sorted(score_sentence_similarity(text, load_source_text(source)), key=lambda each: each[1])
    low = [sentence for sentence, cosine in found if cosine < MIN_SIMILARITY]
    return [f'the source does not seem to say this: "{sentence}"' for sentence in low[:MAX_WARNINGS]]
