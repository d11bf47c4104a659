"""Similarity of words and places, computed by hand."""

from __future__ import annotations

import pytest

from evals.metrics.localization import FlawPlace, names, similarity

SENTENCE = "More rain led to heavier fleeces on all of them."
LED = FlawPlace(SENTENCE, SENTENCE.index("led"), SENTENCE.index("led") + len("led to"))
CUT = "The hair was longer on wet meadows (Figure 2)."
GAP = FlawPlace(CUT, CUT.index(" (Figure"), CUT.index(" (Figure"), gap=True)
WHOLE = "The hair was longer on wet meadows than on dry ones (Figure 2)."
TWIN = FlawPlace(WHOLE, WHOLE.index(" than"), WHOLE.index(" (Figure"), gap=True)


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("more rain", "More rain!", 1),
        ("a b c d", "a x c d", 0.75),  # one word of four is another
        ("a b c d", "a b", 0.5),  # two of four are missing
        ("a b", "a c d e", 0.25),  # one word of four is kept
        ("a b", "c d", 0),
        ("", "a", 0),
        ("", "", 0),
    ],
)
def test_similarity_is_the_share_of_words_that_need_no_edit(one: str, other: str, alike: float) -> None:
    assert similarity(one, other) == pytest.approx(alike)
    assert similarity(other, one) == pytest.approx(alike)


@pytest.mark.parametrize(
    ("excerpt", "found"),
    [
        (SENTENCE, True),
        ("rain led to heavier", True),  # four of ten words, but they hold the place
        ("led", True),
        ("heavier fleeces on all", False),  # four of ten words, beside the place
        ("to heavier fleeces on all of them", True),
        ("Rain led to lighter fleeces on most of them", True),  # in other words: seven of ten
        (f"{SENTENCE} {SENTENCE}", True),  # ten of twenty
        (f"{SENTENCE} The hair was longer on wet meadows, and it was grey.", False),  # ten of twenty-one
        ("", False),
    ],
)
def test_an_excerpt_names_words(excerpt: str, found: bool) -> None:
    assert names(excerpt, LED) is found


@pytest.mark.parametrize(
    ("excerpt", "found"),
    [
        ("meadows (Figure", True),
        ("wet meadows", True),
        ("(Figure 2)", True),
        ("longer on wet", False),
        (CUT, True),
    ],
)
def test_a_gap_is_named_by_a_word_beside_it(excerpt: str, found: bool) -> None:
    assert names(excerpt, GAP) is found


@pytest.mark.parametrize(
    ("excerpt", "found"),
    [("wet meadows", True), ("dry ones", True), ("(Figure 2)", True), ("than on", True), ("longer on wet", False)],
)
def test_of_a_twin_the_same_words_beside_the_place_count(excerpt: str, found: bool) -> None:
    assert names(excerpt, TWIN) is found
