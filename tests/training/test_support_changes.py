"""Sentences with one thing changed, from which the support score learns."""

from __future__ import annotations

import random

import pytest

from training.support.changes import CHANGES, Change, changed

SENTENCE = "We found that Tremor may occur in 7 of 100 people with more pain."


@pytest.mark.parametrize("change", CHANGES)
def test_one_thing_is_changed(change: Change) -> None:
    other = changed(SENTENCE, change, ["Budesonide"], random.Random(0))
    assert other is not None
    assert len(set(other.split()) - set(SENTENCE.split())) in {1, 2}


@pytest.mark.parametrize("change", CHANGES)
def test_what_cannot_be_changed_is_left_alone(change: Change) -> None:
    assert changed("Mosses grow.", change, [], random.Random(0)) is None


def test_a_denial_is_turned_into_its_opposite() -> None:
    assert changed("Pain was not gone.", "negated", [], random.Random(0)) == "Pain was gone."
