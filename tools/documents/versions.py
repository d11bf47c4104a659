"""Which paragraph of a new version of a paper is which one of the version before."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from state.documents import Paragraph

ALIKE = 0.5
"""Share of words in common, in their order, from which a paragraph is the other one, rewritten."""


def paired(before: Sequence[Paragraph], after: Sequence[Paragraph]) -> dict[str, Paragraph]:
    """The paragraph of the new version for each one of the version before that is still there, by the latter's id.

    First those whose words are the same, each with the first of its kind that is left; then, of the others, the most
    alike ones.
    """
    pairs: dict[str, Paragraph] = {}
    left = {paragraph["id"]: paragraph for paragraph in after}
    for old in before:
        same = next((new for new in left.values() if new["text"].split() == old["text"].split()), None)
        if same:
            pairs[old["id"]] = left.pop(same["id"])
    likeness = sorted(
        (
            (_ratio(old["text"], new["text"]), old["id"], new["id"])
            for old in before
            if old["id"] not in pairs
            for new in left.values()
        ),
        key=lambda found: found[0],
        reverse=True,
    )
    for ratio, old_id, new_id in likeness:
        if ratio >= ALIKE and old_id not in pairs and new_id in left:
            pairs[old_id] = left.pop(new_id)
    return pairs


def is_unchanged(before: Paragraph, after: Paragraph) -> bool:
    """Whether two paragraphs have the same words."""
    return before["text"].split() == after["text"].split()


def _ratio(one: str, other: str) -> float:
    """Of words; 0 at once where too few can be in common."""
    matcher = SequenceMatcher(None, one.split(), other.split(), autojunk=False)
    return matcher.ratio() if matcher.quick_ratio() >= ALIKE else 0.0
