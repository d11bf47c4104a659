"""Two words are the same whatever case, accents, hyphens, dashes and white space they were typed with."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.review_filters.verbatim import vocabulary, words


def keys(text: str, *others: str) -> list[str]:
    return [word.key for word in words(text, vocabulary([text, *others]))]


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("THE “Tea”, we thought", 'the "tea" we\nthought'),
        ("a naïve Müller", "a naive Mu\u0308ller"),
        ("de\ufb01ned by x² ≤ µ", "defined by x2 μ"),
        ("a 3–5 fold–change — or more", "a 3-5 fold change, or more"),
        ("self-\nreported", "self reported"),
        ("author’s", "author's"),
        ("only \uff9e a mark", "only a mark"),  # a letter for Unicode, of which NFKD leaves a mark
        ("_emphasis_ and zero\u200bwidth", "emphasis and zerowidth"),
    ],
)
def test_the_same_words(typed: str, printed: str) -> None:
    assert keys(typed, printed) == keys(printed, typed)
    assert keys(typed)


@pytest.mark.parametrize(
    ("divided", "whole"),
    [
        ("some infor- mation", "some information"),
        ("some infor-\nmation", "some information"),
        ("some infor\u00admation", "some information"),
        ("close co-operation of all", "close cooperation of all"),
    ],
)
def test_a_divided_word_is_one_where_it_is_known_as_one(divided: str, whole: str) -> None:
    assert keys(divided, whole) == keys(whole)
    assert keys(divided) != keys(whole)


@pytest.mark.parametrize(
    ("one", "other"),
    [("3-5 of 35", "35 of 35"), ("resigned", "re-signed it"), ("infor mation", "information"), ("a - b ab", "ab ab")],
)
def test_other_words_stay_other_words(one: str, other: str) -> None:
    assert keys(one, other) != keys(other, one)


def test_a_word_knows_its_place_in_the_text() -> None:
    text = "Some “infor- mation”, naïve."
    found = words(text, {"information"})
    assert [text[word.start : word.end] for word in found] == ["Some", "infor- mation", "naïve"]


@given(st.text())
def test_no_word_is_empty_and_all_are_in_order(text: str) -> None:
    found = words(text, vocabulary([text]))
    assert all(word.key for word in found)
    edges = [edge for word in found for edge in (word.start, word.end)]
    assert edges == sorted(edges)


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd", "Zs", "Po", "Pi", "Pf"]), max_size=60))
def test_composed_or_not_is_the_same(text: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, text) for form in ("NFC", "NFD"))
    assert keys(composed) == keys(decomposed)
