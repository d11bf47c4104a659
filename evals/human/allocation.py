"""Who judges what: every sample by so many raters, a share of them by one more, and the work divided evenly.

What two raters have judged alike is what their agreement is computed from; it is drawn at random, and spread over all
pairs of raters, so that no pair stands for all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import NamedTuple

from evals.human.blinding import Key, digest
from state.errors import SettingsError


class Allocation(NamedTuple):
    """How samples are shared out."""

    raters: int
    each: int = 1
    """How many raters judge a sample."""
    double: float = 0.0
    """The share of the samples, 0 to 1, that one rater more judges."""


def allocate(key: Key, wanted: Allocation) -> list[list[str]]:
    """The items of each rater, who judges all items of a sample or none.

    No rater has more than one sample more than another. Each sees the samples in an order of their own, so that what
    comes late, when raters are tired, is not the same for all.

    Args:
        key: Of all items; its seed decides who gets what.
        wanted: How they are shared out.

    Raises:
        SettingsError: There are fewer raters than a sample needs.
    """
    most = wanted.each + (wanted.double > 0)
    if most > wanted.raters:
        raise SettingsError(
            f"A sample cannot be judged by {most} of {wanted.raters} raters: ask more people, or lower --each or "
            "--double."
        )
    raters_of = _raters_of({hidden.sample for hidden in key.items.values()}, wanted, key.seed)
    return [_items(key, rater, raters_of) for rater in range(wanted.raters)]


def _raters_of(samples: Iterable[str], wanted: Allocation, seed: int) -> dict[str, Sequence[int]]:
    """Raters by sample: always those with the least work, and among them those who have shared the least so far."""
    drawn = sorted(samples, key=lambda sample: digest(seed, "allocation", sample))
    doubled = round(wanted.double * len(drawn))
    work, shared = Counter[int](), Counter[tuple[int, ...]]()
    found: dict[str, Sequence[int]] = {}
    for place, sample in enumerate(drawn):
        chosen: list[int] = []
        for _ in range(wanted.each + (place < doubled)):
            free = [rater for rater in range(wanted.raters) if rater not in chosen]
            least = min(work[rater] for rater in free)
            able = [rater for rater in free if work[rater] == least]
            chosen.append(min(able, key=lambda rater: _shared(shared, rater, chosen)))
        work.update(chosen)
        shared.update(combinations(sorted(chosen), 2))
        found[sample] = chosen
    return found


def _shared(shared: Counter[tuple[int, ...]], rater: int, chosen: Sequence[int]) -> int:
    return sum(shared[tuple(sorted((rater, other)))] for other in chosen)


def _items(key: Key, rater: int, raters_of: dict[str, Sequence[int]]) -> list[str]:
    mine = [item for item, hidden in key.items.items() if rater in raters_of[hidden.sample]]
    return sorted(mine, key=lambda item: digest(key.seed, f"rater {rater}", key.items[item].sample))
