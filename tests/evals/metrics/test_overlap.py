"""BLEU and ROUGE as sacrebleu and rouge-score count them, on texts that can be counted by hand."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu import BLEU

from evals.metrics import compute_corpus_bleu, compute_rouge

words = st.lists(
    st.sampled_from(["the", "drug", "drugs", "lowers", "BP", "by", "5.2%", "(HR", "Café", "東京"]), min_size=1
)
texts = words.map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=5)


@given(pairs)
def test_bleu_is_that_of_sacrebleu(corpus: list[tuple[str, str]]) -> None:
    texts, references = [text for text, _ in corpus], [reference for _, reference in corpus]
    assert compute_corpus_bleu(texts, references) == pytest.approx(BLEU().corpus_score(texts, [references]).score)


def test_a_text_that_is_empty_still_counts_in_the_corpus() -> None:
    reference = "the drug lowers blood pressure"
    assert compute_corpus_bleu([reference, ""], [reference, reference]) == pytest.approx(100 * math.exp(1 - 2))


@given(texts, texts)
def test_rouge_is_that_of_rouge_score(text: str, reference: str) -> None:
    scores = RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True).score(target=reference, prediction=text)
    assert compute_rouge(text, reference) == pytest.approx([100 * score.fmeasure for score in scores.values()])
