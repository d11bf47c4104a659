"""Which samples of a corpus an evaluation takes."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tools.jobs import Record
from tools.paragraph_pairs import in_turns


def draw(samples: Sequence[Record], limit: int | None = None, seed: int | None = 0) -> list[Record]:
    """Draw samples by lot, of as many papers as possible.

    Of samples that are paragraphs of papers, the first one of each paper is taken, then the second one of each, and so
    on. The first of a larger number of samples are the same as with a smaller limit.

    Args:
        samples: Of a corpus.
        limit: How many to take; None for all.
        seed: Of the lot: the same samples and seed always give the same ones. None keeps the order of the corpus.
    """
    drawn = list(samples)
    if seed is not None:
        Random(seed).shuffle(drawn)  # noqa: S311 - no secret
    return in_turns(drawn)[:limit]
