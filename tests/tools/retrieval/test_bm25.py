"""Ranking by shared words."""

from __future__ import annotations

import pytest

from tests.tools.retrieval.papers import paper
from tools.retrieval.bm25 import rank_by_bm25
from tools.retrieval.search import split_document

MOSSES = tuple(
    split_document(
        paper("Mosses were sampled in May.", "Learning rates of 0.5 and 0.05.", "β-catenin in mosses; mosses, again."),
        36,
        0,
    )
)


def found(question: str) -> list[str]:
    return [segment.text.strip() for segment in rank_by_bm25(MOSSES, question)]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When were SAMPLES taken?", MOSSES[0]),
        ("Was the learning rate 0.5?", MOSSES[1]),
        ("What does β-CATENIN do?", MOSSES[2]),
    ],
)
def test_words_match_whatever_their_case_and_ending(question: str, expected: object) -> None:
    assert rank_by_bm25(MOSSES, question) == [expected]


@pytest.mark.parametrize("question", ["", "?!", "Which zebras?", "What was it in the and of?"])
def test_a_question_that_shares_no_telling_word_finds_nothing(question: str) -> None:
    assert found(question) == []


def test_the_segment_with_more_of_the_words_is_first() -> None:
    assert rank_by_bm25(MOSSES, "mosses and learning rates of 0.05") == [MOSSES[1], MOSSES[2], MOSSES[0]]


def test_a_word_that_every_segment_has_is_found_too() -> None:
    alone = tuple(split_document(paper("Mosses dry out.")))
    assert rank_by_bm25(alone, "mosses") == list(alone)


@pytest.mark.parametrize("texts", [(), ("... — ...",), ("It is what it is.",)])
def test_a_text_without_telling_words_finds_nothing(texts: tuple[str, ...]) -> None:
    assert rank_by_bm25(tuple(split_document(paper(*texts))), "mosses") == []
