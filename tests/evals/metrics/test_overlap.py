"""BLEU and ROUGE as sacrebleu and rouge-score count them, on texts that can be counted by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import BLEU

from evals.metrics.overlap import bleu, rouge

words = st.lists(
    st.sampled_from(["the", "drug", "drugs", "lowers", "BP", "by", "5.2%", "(HR", "Café", "東京"]), min_size=1
)
texts = words.map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=5)


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


@given(pairs)
def test_bleu_is_that_of_sacrebleu(corpus: list[tuple[str, str]]) -> None:
    texts, references = [text for text, _ in corpus], [reference for _, reference in corpus]
    assert bleu(texts, references) == pytest.approx(BLEU().corpus_score(texts, [references]).score)


def test_long_texts_that_are_the_same_have_a_bleu_of_100() -> None:
    text = "Le naïve café: 東京 (HR 0.74; 95% CI 0.63 to 0.87)."
    assert bleu([text], [text]) == pytest.approx(100)


@pytest.mark.parametrize("text", ["", " ", "nothing in common"])
def test_nothing_in_common_has_no_bleu(text: str) -> None:
    assert bleu([text], ["the drug lowers blood pressure"]) == 0


def test_a_text_that_is_empty_still_counts_in_the_corpus() -> None:
    reference = "the drug lowers blood pressure"
    assert bleu([reference, ""], [reference, reference]) == pytest.approx(100 * math.exp(1 - 2))


def test_every_text_needs_a_reference() -> None:
    with pytest.raises(ValueError, match="shorter"):
        bleu(["a", "b"], ["a"])


def test_rouge_is_an_f1_over_stems() -> None:
    # "cats" and "running" match "cat" and "run" by their stems only
    score = rouge("the cats were running", "the cat was running away today")
    assert score.rouge1 == pytest.approx(100 * 2 * 3 / (4 + 6))
    assert score.rouge2 == pytest.approx(100 * 2 * 1 / (3 + 5))


def test_rouge_l_keeps_the_order_but_allows_gaps() -> None:
    # "the cat ... running" is common to both; "today" comes too early
    score = rouge("today the cats were running", "the cat was running away today")
    assert score.rouge_l == pytest.approx(100 * 2 * 3 / (5 + 6))


@given(texts, texts)
def test_rouge_is_that_of_rouge_score(text: str, reference: str) -> None:
    scores = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True).score(target=reference, prediction=text)
    assert rouge(text, reference) == pytest.approx([100 * score.fmeasure for score in scores.values()])


def test_a_text_without_words_overlaps_with_nothing() -> None:
    assert rouge("", "the cat") == (0, 0, 0)
    assert rouge("", "") == (0, 0, 0)


@given(st.lists(st.sampled_from(["drug", "lowers", "blood"]), min_size=2).map(" ".join))
def test_texts_that_are_the_same_have_a_rouge_of_100(text: str) -> None:
    assert rouge(text, text) == pytest.approx((100, 100, 100))


def test_rouge_sees_the_letters_a_to_z_only() -> None:
    # rouge-score's tokenizer: a text in another script has no words, and an accent splits one
    assert rouge("東京 αβγ", "東京 αβγ") == (0, 0, 0)
    assert rouge("café", "caf") == pytest.approx((100, 0, 100))
