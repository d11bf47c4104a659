"""Which system wrote what is told by a key, and nothing that a rater sees holds a part of it.

Order, sides and names of items all come from hashes of the seed and of what is hidden. So the same seed gives the same
items again, and a sample that is added later changes nothing about the others. Who has the seed and the candidates can
make the key anew: neither belongs in the hands of a rater.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from state.errors import BadInput
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
