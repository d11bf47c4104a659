"""Find sentences of a text that no sentence of its source resembles in meaning.

Similarity is the cosine between vectors of the packaged encoder, which the extra `review` installs. It detects
sentences from another paper, but not a changed detail, so it only warns (docs/results/tried.md).
"""

from __future__ import annotations

from typing import Final

from state.documents import DocumentRef
from tools.documents.reading import load_source_text
from tools.retrieval.embedders import compute_cosines
from tools.text import split_sentences

# The 5th percentile of 1,357 sentences of 120 plain summaries by people against their own abstracts: 0.350 (Cochrane
# 0.373, eLife 0.336, PLOS 0.431; 40 of each, those with the lowest hash of the abstract). Against the abstract of the
# next paper of the corpus, 78% of the sentences are below it.
MIN_SIMILARITY: Final = 0.35
MAX_WARNINGS: Final = 5


def list_support_warnings(text: str, source: DocumentRef) -> list[str]:
    """List warnings about at most five sentences that the stored source does not seem to say, the least similar first.

    Raises:
        RetrievalUnavailableError: The encoder is not installed.
    """
    sentences = tuple(sentence.text for sentence in split_sentences(text) if not sentence.heading)
    source_sentences = tuple(sentence.text for sentence in split_sentences(load_source_text(source)))
    if not sentences or not source_sentences:
        return []
    highest = compute_cosines(sentences, source_sentences).max(axis=1)
    low = [sentence for cosine, sentence in sorted(zip(highest, sentences, strict=True)) if cosine < MIN_SIMILARITY]
    return [f'the source does not seem to say this: "{sentence}"' for sentence in low[:MAX_WARNINGS]]
