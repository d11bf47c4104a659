"""Sentences that a source does not seem to say: no sentence of it is near to them in meaning.

Nearness is the cosine between vectors of the packaged encoder, which the extra `review` brings. It tells sentences of
another paper, not sentences in which one thing was changed, so it only marks (docs/results/tried.md).
"""

from __future__ import annotations

from typing import Final

from state.documents import DocumentRef
from tools.documents.reading import stored_text
from tools.retrieval import Embedding, cosines
from tools.text import sentences

MARKED_BELOW: Final = 0.35
"""The 5th percentile of what 1,357 sentences of 120 plain summaries by people reach against their own abstracts: 0.350
(Cochrane 0.373, eLife 0.336, PLOS 0.431; 40 of each, those with the lowest hash of the abstract). Against the abstract
of the next paper of the same corpus 78% of the sentences are below it."""
MOST_MARKED: Final = 5


def nearness(text: str, source: str) -> list[tuple[str, float]]:
    """Each sentence of a text, without its headings, with its highest cosine with a sentence of the source.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    said = tuple(sentence.text for sentence in sentences(text) if not sentence.heading)
    told = tuple(sentence.text for sentence in sentences(source))
    if not said or not told:
        return []
    return list(zip(said, cosines(said, told, Embedding()).max(axis=1).tolist(), strict=True))


def unsupported_sentences(text: str, source: DocumentRef) -> list[str]:
    """A warning for each sentence that the stored source does not seem to say, the farthest from it first.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    found = sorted(nearness(text, stored_text(source)), key=lambda each: each[1])
    low = [sentence for sentence, cosine in found if cosine < MARKED_BELOW]
    return [f'the source does not seem to say this: "{sentence}"' for sentence in low[:MOST_MARKED]]
