"""SARI against published examples, by hand, and against a second implementation written from its definition."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.metrics.sari import Sari, sari

SOURCE = "About 95 species are currently accepted ."
REFERENCES = [
    "About 95 species are currently known .",
    "About 95 species are now accepted .",
    "95 species are now accepted .",
]

texts = st.lists(st.sampled_from("abcd"), max_size=9).map(" ".join)


@pytest.mark.parametrize(
    ("text", "published"),
    [
        # Both from https://github.com/huggingface/evaluate/issues/376
        ("About 95 you now get in .", 26.953601953601954),
        ("About 95 species are now agreed .", 61.709656084656075),
    ],
)
def test_published_examples(text: str, published: float) -> None:
    assert sari(SOURCE, text, REFERENCES).sari == pytest.approx(published, abs=1e-9)


def test_tokens_are_lower_cased_and_split_by_13a() -> None:
    whole = [reference.replace(" .", ".").upper() for reference in REFERENCES]
    assert sari("about 95 species are currently accepted.", "About 95 YOU now get in.", whole) == sari(
        SOURCE, "About 95 you now get in .", REFERENCES
    )


def test_recall_of_keep_is_over_all_ngrams() -> None:
    # The example of https://github.com/cocoxu/simplification/issues/6: its recall for n = 1 is 1/3, the precision 1/2.
    # For n = 2 nothing was kept of the "a b" that one reference keeps; longer n-grams there are none.
    assert sari("a b", "b", ["a b", "a"]).keep == pytest.approx(100 * (0.4 + 0 + 1 + 1) / 4)


def test_delete_is_a_precision() -> None:
    # Of "b" and "c" only "b" was deleted: rightly, so the part is perfect although the recall is not.
    assert sari("a b c", "a c", ["a"]).delete == 100


def test_an_unchanged_text_has_a_perfect_delete_and_no_add() -> None:
    score = sari("a b c d e", "a b c d e", ["x y z u v"])
    assert (score.delete, score.add) == (100, 0)


def test_an_empty_text_deletes_everything() -> None:
    score = sari("a b c d", "", ["x y z u"])
    assert (score.keep, score.delete, score.add) == (100, 100, 0)


@given(st.permutations("abcdefgh"), st.permutations("efghijkl"))
def test_the_reference_itself_scores_100(source: list[str], reference: list[str]) -> None:
    simplified = " ".join(reference)
    assert sari(" ".join(source), simplified, [simplified]) == Sari(100, 100, 100, 100)


@given(texts, texts, st.lists(texts, min_size=1, max_size=3))
def test_agrees_with_the_definition_written_out(source: str, text: str, references: list[str]) -> None:
    assert sari(source, text, references) == pytest.approx(naive(source, text, references))


def naive(source: str, text: str, references: list[str]) -> list[float]:
    """SARI, KEEP, DELETE, ADD, n-gram by n-gram in exact fractions, where a reference's counts are divided."""
    keeps, deletes, adds = [], [], []
    for n in range(1, 5):
        keep, delete, add = naive_order(n, source.split(), text.split(), [each.split() for each in references])
        keeps.append(keep)
        deletes.append(delete)
        adds.append(add)
    parts = [float(100 * sum(part) / 4) for part in (keeps, deletes, adds)]
    return [sum(parts) / 3, *parts]


def naive_order(n: int, source: list[str], text: list[str], references: list[list[str]]) -> list[Fraction]:
    kept, keepable, deleted, added, addable = [], [], [], [], []
    for ngram in {ngram for tokens in (source, text, *references) for ngram in ngrams(n, tokens)}:
        before, after = ngrams(n, source).count(ngram), ngrams(n, text).count(ngram)
        wanted = Fraction(sum(ngrams(n, tokens).count(ngram) for tokens in references), len(references))
        if before and after:
            kept.append((min(before, after, wanted), min(before, after)))
        if before and wanted:
            keepable.append((min(before, after, wanted), min(before, wanted)))
        if before > after:
            deleted.append((max(before - after - wanted, Fraction(0)), before - after))
        if after and not before:
            added.append(wanted > 0)
        if wanted and not before:
            addable.append(after > 0)
    recall = ratio(sum(good for good, _ in keepable), sum(all_ for _, all_ in keepable))
    return [
        harmonic(ratio(sum(Fraction(good) / all_ for good, all_ in kept), len(kept)), recall),
        ratio(sum(Fraction(good) / all_ for good, all_ in deleted), len(deleted)),
        harmonic(ratio(sum(added), len(added)), ratio(sum(addable), len(addable))),
    ]


def ngrams(n: int, tokens: list[str]) -> list[tuple[str, ...]]:
    return [tuple(tokens[start : start + n]) for start in range(len(tokens)) if start + n <= len(tokens)]


def ratio(part: Fraction | int, whole: Fraction | int) -> Fraction:
    return Fraction(part) / whole if whole else Fraction(1)


def harmonic(first: Fraction, second: Fraction) -> Fraction:
    return 2 / (1 / first + 1 / second) if first and second else Fraction(0)
