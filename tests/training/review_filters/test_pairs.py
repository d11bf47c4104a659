"""Pairs are kept for what their sentences are for and about, a repetition is dropped, and no paper is in two splits."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tests.training.toy_reviews import parsed
from training.review_filters.linking import LinkRules, link_reviews
from training.review_filters.pairs import (
    Classify,
    Pair,
    SplitRules,
    deduplicate,
    keep_aspects,
    keep_purposes,
    pair_of,
    split_by_paper,
)
from training.review_filters.papers import Split

LIGHT = "Why “24 seedlings of cress”?"
MORNING = "They “watered them every morning”."
TEA = "But “cold tea slows growth”!"


class Label(NamedTuple):
    label: str
    probability: float


def pairs(*reviews: str | Sequence[str], **fields: str) -> list[Pair]:
    paper = parsed(*reviews, **fields)
    return [pair_of(paper, comment) for comment in link_reviews(paper, LinkRules(quoted_words=4, following=2)).comments]


def labels(**by_beginning: tuple[str, float]) -> Classify:
    """Labels sentences by their first word."""

    def classify(texts: Sequence[str]) -> list[Label]:
        assert len(texts) == len(set(texts))  # no sentence is worth asking twice
        return [Label(*by_beginning[text.split()[0].strip(".?!")]) for text in texts]

    return classify


PURPOSES = labels(Why=("Todo", 0.9), They=("Recap", 0.8), But=("Weakness", 0.7), Good=("Strength", 0.6))


def test_criticism_and_requests_are_kept_as_feedback() -> None:
    kept = keep_purposes(pairs(f"{LIGHT} Good.", f"{MORNING} Good.", f"{MORNING} Why? {TEA}"), PURPOSES)
    assert [(pair["paragraph_id"], pair["feedback"]) for pair in kept] == [("p1", LIGHT), ("p1", "Why?"), ("p2", TEA)]
    assert kept[1]["review"] == f"{MORNING} Why?"
    assert [(each["label"], each["probability"]) for each in kept[1]["review_sentences"]] == [
        ("Recap", 0.8),
        ("Todo", 0.9),
    ]


SOUNDNESS = "Empirical and Theoretical Soundness"


@pytest.mark.parametrize(
    ("review", "aspect", "probability"),
    [
        (f"{LIGHT} One. Two.", "Substance", 0.5),
        (f"{LIGHT} One.", "Clarity", 0.9),
        (f"{LIGHT} Three.", SOUNDNESS, 0.95),
        (MORNING, "Summary", 0.4),
    ],
)
def test_the_aspect_is_that_of_most_sentences_or_else_the_most_probable(
    review: str, aspect: str, probability: float
) -> None:
    votes = labels(
        Why=("Clarity", 0.9),
        One=("Substance", 0.4),
        Two=("Substance", 0.6),
        Three=(SOUNDNESS, 0.95),
        They=("Summary", 0.4),
    )
    kept = keep_aspects(pairs(review), votes)
    found = [(pair["aspect"], pair["aspect_probability"]) for pair in kept]
    assert found == ([] if aspect in {"Clarity", "Summary"} else [(aspect, probability)])


def test_only_feedback_is_asked_for_its_aspect() -> None:
    kept = keep_purposes(pairs(f"{MORNING} Why?"), PURPOSES)
    (pair,) = keep_aspects(kept, labels(Why=("Substance", 0.9)))
    assert [each["aspect"] for each in pair["review_sentences"]] == [None, "Substance"]


def test_without_pairs_no_classifier_is_asked() -> None:
    assert keep_aspects(keep_purposes([], labels()), labels()) == []


@pytest.mark.parametrize(
    ("reviews", "kept"),
    [
        ([LIGHT, LIGHT], ["r1_1@0"]),
        ([LIGHT, "WHY '24 seedlings of cress'!"], ["r1_1@0"]),
        ([LIGHT, f"{LIGHT} Good."], ["r2_1@0"]),
        ([f"{LIGHT} Good.", LIGHT], ["r1_1@0"]),
        ([[LIGHT, LIGHT]], ["r1_1@0"]),
        ([LIGHT, MORNING], ["r1_1@0", "r2_1@0"]),
        ([LIGHT, "Why not 12 rather than “24 seedlings of cress”?"], ["r1_1@0", "r2_1@0"]),
        (["“24 seedlings of cress” or “cold tea slows growth”?"], ["r1_1@0", "r1_1@0"]),
    ],
)
def test_repetitions_are_dropped(reviews: list[str | list[str]], kept: list[str]) -> None:
    found = deduplicate(pairs(*reviews))
    assert [pair["review_sentences"][0]["id"] for pair in found] == kept


def test_nearly_the_same_words_are_a_repetition() -> None:
    long = "Why did you raise “24 seedlings of cress” and no other plant that grows as fast as cress does in tea"
    assert [pair["review_id"] for pair in deduplicate(pairs(f"{long}?", f"So {long.lower()}?"))] == ["r2"]


def test_different_papers_are_never_compared() -> None:
    twice = [*pairs(LIGHT), *pairs(LIGHT, paper_id="another")]
    assert deduplicate(twice) == twice


QUOTING = "Why “24 seedlings of cress”? - Why “cold tea slows growth”?"


def pairs_of_papers(papers: int) -> list[Pair]:
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
    count = Counter(splits(pairs_of_papers(papers), SplitRules(seed=seed, dev=dev, test=test)).values())
    assert abs(count["dev"] - dev * papers) <= 0.5
    assert abs(count["test"] - test * papers) <= 0.5 + 0.5  # when both are rounded up, test has what is left


def test_one_seed_divides_alike_and_another_one_otherwise() -> None:
    found = pairs_of_papers(20)
    divided = splits(found, SplitRules(seed=1))
    random.Random(0).shuffle(found)
    assert splits(found, SplitRules(seed=1)) == divided
    assert splits(found, SplitRules(seed=2)) != divided
    assert Counter(divided.values()) == {"train": 16, "dev": 2, "test": 2}


def test_a_published_split_is_kept_unless_it_is_to_be_drawn_anew() -> None:
    published: dict[str, Split | None] = {"paper0": "dev", "paper1": "train", "paper2": None}
    rules = SplitRules(dev=0, test=1)
    assert splits(pairs_of_papers(3), rules, published) == {"paper0": "dev", "paper1": "train", "paper2": "test"}
    redrawn = splits(pairs_of_papers(3), rules.model_copy(update={"redraw": True}), published)
    assert set(redrawn.values()) == {"test"}


@pytest.mark.parametrize("shares", [{"dev": 0.6, "test": 0.5}, {"dev": -0.1}, {"test": 1.1}])
def test_impossible_shares_are_refused(shares: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        SplitRules.model_validate(shares)
