"""Batches of examples of like length, so that little of a batch is padding; their order is random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch.utils.data import Sampler

_POOL = 50


class LengthSampler(Sampler[int]):
    """The numbers of examples, such that every `batch_size` of them are of like length.

    Of the random order, pools of 50 batches are sorted by length and cut into batches, which are shuffled. (The sampler
    that transformers has for it leaves them sorted: long examples always come before short ones.)

    Args:
        lengths: Of the examples.
        batch_size: Of how many a batch is made.
    """

    def __init__(self, lengths: Sequence[int], batch_size: int) -> None:
        self._lengths = lengths
        self._batch_size = batch_size

    def __len__(self) -> int:
        return len(self._lengths)

    def __iter__(self) -> Iterator[int]:
        """An order, by torch's random numbers."""
        order = torch.randperm(len(self._lengths)).tolist()
        pools = _cut(order, _POOL * self._batch_size)
        batches = [batch for pool in pools for batch in _cut(sorted(pool, key=self._length), self._batch_size)]
        batches.sort(key=len, reverse=True)  # one that is not full comes last, or those after it would be cut anew
        full = sum(len(batch) == self._batch_size for batch in batches)
        for number in [*torch.randperm(full).tolist(), *range(full, len(batches))]:
            yield from batches[number]

    def _length(self, number: int) -> int:
        return self._lengths[number]


def _cut(numbers: Sequence[int], size: int) -> list[Sequence[int]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]
