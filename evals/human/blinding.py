"""Which system wrote what is told by a key, and nothing that a rater sees holds a part of it; and who judges what.

Order, sides and names of items all come from hashes of the seed and of what is hidden. So the same seed gives the same
items again, and a sample that is added later changes nothing about the others. Who has the seed and the candidates can
make the key anew: neither belongs in the hands of a rater.

Every sample is judged by so many raters, a share of them by one more, and the work is divided evenly. What two raters
have judged alike is what their agreement is computed from; it is drawn at random, and spread over all pairs of raters,
so that no pair stands for all.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict

from state.errors import BadInput, SettingsError
from state.files import from_json, read_file


class HiddenItem(BaseModel):
    """What stands behind an item."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample: str
    systems: tuple[str, ...]
    """One whose text is rated, or two that are compared, in the order in which they are shown."""


class BlindingKey(BaseModel):
    """What stands behind every item."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int
    items: dict[str, HiddenItem]
    """In the order in which they are shown."""

    def reveal(self, item: str, systems: int) -> HiddenItem:
        """What stands behind one item.

        Args:
            item: Its name.
            systems: How many there should be.

        Raises:
            BadInput: The key is that of other sheets.
        """
        hidden = self.items.get(item)
        if hidden is None or len(hidden.systems) != systems:
            kind = "texts" if systems == 1 else "comparisons"
            raise BadInput(f"The item {item!r} is none of the key's {kind}; give the key written with these sheets.")
        return hidden


def digest(seed: int, *parts: str) -> str:
    """A random-looking name: the same for the same seed and parts, in every process."""
    return blake2b(json.dumps([seed, *parts]).encode(), digest_size=8).hexdigest()


def make_key(seed: int, hidden: Iterable[HiddenItem], *, together: bool) -> BlindingKey:
    """Name the items and put them into random order.

    Args:
        seed: Of names and order.
        hidden: What stands behind the items.
        together: Whether those of a sample follow each other, so that a rater reads what they share once.
    """
    named = {digest(seed, each.sample, *each.systems): each for each in hidden}
    order = sorted(named, key=lambda item: (digest(seed, named[item].sample) if together else "", item))
    return BlindingKey(seed=seed, items={item: named[item] for item in order})


def read_key(path: Path) -> BlindingKey:
    """Read a key.

    Raises:
        BadInput: The file cannot be read, or is no key.
    """
    return from_json(BlindingKey, read_file(path, "key"), f"{path} is no key like the key.json beside the tasks")


class Allocation(NamedTuple):
    """How samples are shared out."""

    raters: int
    each: int = 1
    """How many raters judge a sample."""
    double: float = 0.0
    """The share of the samples, 0 to 1, that one rater more judges."""


def allocate(key: BlindingKey, wanted: Allocation) -> list[list[str]]:
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


def _items(key: BlindingKey, rater: int, raters_of: dict[str, Sequence[int]]) -> list[str]:
    mine = [item for item, hidden in key.items.items() if rater in raters_of[hidden.sample]]
    return sorted(mine, key=lambda item: digest(key.seed, f"rater {rater}", key.items[item].sample))
