"""Papers are divided by seed and share, and none is in two splits."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.training.toy_reviews import parsed
from training.review_filters.linking import LinkRules, link_reviews
from training.review_filters.pairs import Pair, SplitRules, pair_of, split_by_paper
from training.review_filters.papers import Split

QUOTING = "Why “24 seedlings of cress”? - Why “cold tea slows growth”?"


def pairs(papers: int) -> list[Pair]:
    """Two of each paper."""
    corpus = [parsed(QUOTING, paper_id=f"paper{number}") for number in range(papers)]
    return [pair_of(paper, comment) for paper in corpus for comment in link_reviews(paper, LinkRules()).comments]


def splits(found: list[Pair], rules: SplitRules, published: dict[str, Split | None] | None = None) -> dict[str, str]:
    """The split of each paper; every paper has one only."""
    divided = split_by_paper(found, published or {}, rules)
    assert [{**pair, "split": None} for pair in divided] == found
    by_paper = {(pair["paper_id"], str(pair["split"])) for pair in divided}
    assert len(by_paper) == len({pair["paper_id"] for pair in found})
    return dict(by_paper)


@given(st.integers(0, 12), st.integers(), st.floats(0, 0.5), st.floats(0, 0.5))
def test_every_paper_has_one_split_and_shares_are_kept(papers: int, seed: int, dev: float, test: float) -> None:
    count = Counter(splits(pairs(papers), SplitRules(seed=seed, dev=dev, test=test)).values())
    assert abs(count["dev"] - dev * papers) <= 0.5
    assert abs(count["test"] - test * papers) <= 0.5 + 0.5  # when both are rounded up, test has what is left


def test_one_seed_divides_alike_and_another_one_otherwise() -> None:
    found = pairs(20)
    divided = splits(found, SplitRules(seed=1))
    random.Random(0).shuffle(found)
    assert splits(found, SplitRules(seed=1)) == divided
    assert splits(found, SplitRules(seed=2)) != divided
    assert Counter(divided.values()) == {"train": 16, "dev": 2, "test": 2}


def test_a_published_split_is_kept_unless_it_is_to_be_drawn_anew() -> None:
    published: dict[str, Split | None] = {"paper0": "dev", "paper1": "train", "paper2": None}
    rules = SplitRules(dev=0, test=1)
    assert splits(pairs(3), rules, published) == {"paper0": "dev", "paper1": "train", "paper2": "test"}
    redrawn = splits(pairs(3), rules.model_copy(update={"redraw": True}), published)
    assert set(redrawn.values()) == {"test"}


@pytest.mark.parametrize("shares", [{"dev": 0.6, "test": 0.5}, {"dev": -0.1}, {"test": 1.1}])
def test_impossible_shares_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        SplitRules.model_validate(shares)
