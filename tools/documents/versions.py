"""Which paragraph of a new version of a paper is which one of the version before."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches

from state.documents import Paragraph

MIN_SIMILARITY = 0.5  # share of words in common, in their order, from which a paragraph is the other one, rewritten


def match_paragraphs(before: Sequence[Paragraph], after: Sequence[Paragraph]) -> dict[str, Paragraph]:
    """The paragraph of the new version for each one of the version before that is still there, by the latter's id.

    First those whose words are the same; then each of the others with the most alike one that is left.
    """
    pairs: dict[str, Paragraph] = {}
    left = {new["id"]: (tuple(new["text"].split()), new) for new in after}
    for least in (1.0, MIN_SIMILARITY):
        for old in before:
            texts = [] if old["id"] in pairs else [words for words, _ in left.values()]
            found = get_close_matches(tuple(old["text"].split()), texts, n=1, cutoff=least)
            if found:
                pairs[old["id"]] = next(left.pop(name)[1] for name, (words, _) in left.items() if words == found[0])
    return pairs
