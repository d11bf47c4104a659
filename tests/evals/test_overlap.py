"""BLEU and ROUGE as sacrebleu and rouge-score count them, on texts that can be counted by hand."""

from __future__ import annotations

import math

import pytest

from evals.metrics.overlap import bleu, rouge


def test_bleu_by_hand() -> None:
    # 5 of 6 words, 3 of 5 bigrams, 2 of 4 trigrams, 1 of 3 4-grams; the lengths are the same, so nothing is taken off
    expected = 100 * math.prod([5 / 6, 3 / 5, 2 / 4, 1 / 3]) ** 0.25
    assert bleu(["the drug lowers blood fat levels"], ["the drug lowers blood pressure levels"]) == pytest.approx(
        expected
    )


def test_bleu_is_of_the_corpus_and_not_a_mean() -> None:
    texts, references = ["a b c d e f g h", "x y z w"], ["a b c d e f g h", "x y w z"]
    mean = (bleu(texts[:1], references[:1]) + bleu(texts[1:], references[1:])) / 2
    counted = 100 * math.prod([12 / 12, 8 / 10, 6 / 8, 5 / 6]) ** 0.25
    assert bleu(texts, references) == pytest.approx(counted)
    assert bleu(texts, references) != pytest.approx(mean, abs=1)


def test_rouge_is_an_f1_over_stems() -> None:
    # "cats" and "running" match "cat" and "run" by their stems only
    score = rouge("the cats were running", "the cat was running away today")
    assert score.rouge1 == pytest.approx(100 * 2 * 3 / (4 + 6))
    assert score.rouge2 == pytest.approx(100 * 2 * 1 / (3 + 5))


def test_rouge_l_keeps_the_order_but_allows_gaps() -> None:
    # "the cat ... running" is common to both; "today" comes too early
    score = rouge("today the cats were running", "the cat was running away today")
    assert score.rouge_l == pytest.approx(100 * 2 * 3 / (5 + 6))


def test_a_text_without_words_overlaps_with_nothing() -> None:
    assert rouge("", "the cat") == (0, 0, 0)
