"""SARI against published examples, by hand, and against a second implementation written from its definition."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.metrics import Sari, compute_sari

SOURCE = "About 95 species are currently accepted ."
REFERENCES = [
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
]
OUTPUTS = [
    "About 95 you now get in .",
    "About 95 species are now agreed .",
    "About 95 species are currently agreed .",
]
"""The examples of the authors' own script, https://github.com/cocoxu/simplification."""

texts = st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join)
written = st.text(max_size=40)


@pytest.mark.parametrize(
    ("text", "published"),
    [
        # The first two from https://github.com/huggingface/evaluate/issues/376, the last one from the tests of
        # https://github.com/tensorflow/tensor2tensor (sari_hook_test.py), which has the same choices.
        (OUTPUTS[0], 26.953601953601954),
        (OUTPUTS[1], 61.709656084656075),
        (OUTPUTS[2], 50.88682),
    ],
)
def test_published_examples(text: str, published: float) -> None:
    assert compute_sari(SOURCE, text, REFERENCES).sari == pytest.approx(published, abs=1e-5)


def test_tokens_are_lower_cased_and_split_by_13a() -> None:
    whole = [reference.replace(" .", ".").upper() for reference in REFERENCES]
    assert compute_sari("about 95 species are currently accepted.", "About 95 YOU now get in.", whole) == compute_sari(
        SOURCE, "About 95 you now get in .", REFERENCES
    )


def test_the_f1_of_delete_sees_what_was_left() -> None:
    # Of "b" and "c" one was deleted; both pairs and the triple went, and there is nothing of four.
    score = compute_sari("a b c", "a c", ["a"])
    assert score.delete_f1 == pytest.approx(100 * (2 / 3 + 1 + 1 + 1) / 4)
    assert score.sari_f1 == pytest.approx((score.keep + score.delete_f1 + score.add) / 3)


@given(written)
def test_a_text_that_nobody_needed_to_change_is_perfect(text: str) -> None:
    assert compute_sari(text, text, [text]) == Sari(100, 100, 100, 100, 100)


@given(texts, texts, st.lists(texts, min_size=1, max_size=3))
def test_agrees_with_the_definition_written_out(source: str, text: str, references: list[str]) -> None:
    assert compute_sari(source, text, references) == pytest.approx(naive(source, text, references))


def naive(source: str, text: str, references: Sequence[str]) -> list[float]:
    """SARI, KEEP, DELETE, ADD, F1 of DELETE, n-gram by n-gram in exact fractions; a reference's counts are divided."""
    every: list[list[Fraction]] = []
    for n in range(1, 5):
        tokens = [each.split() for each in (source, text, *references)]
        every.append(naive_order(n, tokens[0], tokens[1], tokens[2:]))
    parts = [float(100 * sum(part) / 4) for part in zip(*every, strict=True)]
    return [sum(parts[:3]) / 3, *parts]


def naive_order(n: int, source: list[str], text: list[str], references: list[list[str]]) -> list[Fraction]:
    kept, keepable, deleted, deletable, added, addable = [], [], [], [], [], []
    for ngram in {ngram for tokens in (source, text, *references) for ngram in ngrams(n, tokens)}:
        before, after = ngrams(n, source).count(ngram), ngrams(n, text).count(ngram)
        wanted = Fraction(sum(ngrams(n, tokens).count(ngram) for tokens in references), len(references))
        if before and after:
            kept.append((min(before, after, wanted), min(before, after)))
        if before and wanted:
            keepable.append((min(before, after, wanted), min(before, wanted)))
        if before > after:
            deleted.append((max(before - after - wanted, Fraction(0)), before - after))
        if before > wanted:
            deletable.append((max(before - after - wanted, Fraction(0)), before - wanted))
        if after and not before:
            added.append((Fraction(wanted > 0), 1))
        if wanted and not before:
            addable.append((Fraction(after > 0), 1))
    return [
        harmonic(mean_share(kept), share(keepable)),
        mean_share(deleted),
        harmonic(mean_share(added), mean_share(addable)),
        harmonic(mean_share(deleted), share(deletable)),
    ]


Shares = Sequence[tuple[Fraction | int, Fraction | int]]
"""For each n-gram, how many times it was done rightly, of how many."""


def ngrams(n: int, tokens: list[str]) -> list[tuple[str, ...]]:
    return [tuple(tokens[start : start + n]) for start in range(len(tokens)) if start + n <= len(tokens)]


def mean_share(shares: Shares) -> Fraction:
    return sum((Fraction(good) / all_ for good, all_ in shares), Fraction(0)) / len(shares) if shares else Fraction(1)


def share(shares: Shares) -> Fraction:
    good, all_ = sum(good for good, _ in shares), sum(all_ for _, all_ in shares)
    return Fraction(good) / all_ if all_ else Fraction(1)


def harmonic(first: Fraction, second: Fraction) -> Fraction:
    return 2 / (1 / first + 1 / second) if first and second else Fraction(0)
