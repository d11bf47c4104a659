"""Match the paragraphs of two versions of a paper."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from state.documents import Paragraph

MIN_SIMILARITY = 0.5  # share of words in common, in order, of a paragraph and its revision


def match_paragraphs(before: Sequence[Paragraph], after: Sequence[Paragraph]) -> dict[str, Paragraph]:
    """Return the most similar new paragraph by the id of each old one, each used once; unmatched ones are left out."""
    pairs: dict[str, Paragraph] = {}
    # Identical paragraphs first, then each of the others with the most similar one that is left.
    left = {new["id"]: (tuple(new["text"].split()), new) for new in after}
    for least in (1.0, MIN_SIMILARITY):
        for old in before:
            texts = [] if old["id"] in pairs else [words for words, _ in left.values()]
            found = get_close_matches(tuple(old["text"].split()), texts, n=1, cutoff=least)
            if found:
                pairs[old["id"]] = next(left.pop(name)[1] for name, (words, _) in left.items() if words == found[0])
    return pairs
