"""Batches are of like length, of every example once, and in no order."""

from __future__ import annotations

import torch
from hypothesis import given
from hypothesis import strategies as st

from training.fitting import LengthSampler


@given(st.lists(st.integers(1, 90), max_size=80), st.integers(1, 7))
def test_every_example_comes_once(lengths: list[int], batch_size: int) -> None:
    sampler = LengthSampler(lengths, batch_size)

    assert sorted(sampler) == list(range(len(lengths)))
    assert len(sampler) == len(lengths)


def test_batches_are_of_like_length_and_in_no_order() -> None:
    torch.manual_seed(0)
    lengths = torch.randint(1, 100, (202,)).tolist()

    order = list(LengthSampler(lengths, 4))

    batches = [[lengths[number] for number in order[start : start + 4]] for start in range(0, 202, 4)]
    longest = [max(batch) for batch in batches]
    assert sum(longest) * 4 < 1.15 * sum(lengths)  # at random about 1.6
    assert longest != sorted(longest)
    assert longest != sorted(longest, reverse=True)


def test_the_order_changes_and_is_that_of_the_seed() -> None:
    sampler = LengthSampler(list(range(40)), 4)
    torch.manual_seed(3)
    first, second = list(sampler), list(sampler)
    torch.manual_seed(3)

    assert first != second
    assert list(sampler) == first
