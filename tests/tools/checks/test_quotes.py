"""Quoted words are found as the text has them, and only if they are there."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.checks.quotes import find_closest_quote, find_quote

TEXT = (
    "We raised 24 seedlings of cress (Lepidium sativum). “Tea”, we thought, makes them grow. Light was not measured. "
    "Of these 41% had $\\hat{h}_{1} > b_{2}$ and $x = \\mu + \\sigma_k + t$."
)


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("raised 24 seedlings", "raised 24 seedlings"),
        ("  WE RAISED\n24 seedlings.", "We raised 24 seedlings"),
        ('"Tea" we thought makes them', "Tea”, we thought, makes them"),
        ("cress, Lepidium sativum", "cress (Lepidium sativum)"),
        ("Lepidium sativum Tea", "Lepidium sativum). “Tea"),
        ("of these 41", "Of these 41%"),
        ("hat{h}_{1} > b_{2", "$\\hat{h}_{1} > b_{2}$"),
        ("mu + sigma_k + t", "\\mu + \\sigma_k + t"),
    ],
)
def test_case_punctuation_and_white_space_may_differ(quote: str, found: str) -> None:
    place = find_quote(quote, TEXT)
    assert place
    assert place.slice_text(TEXT) == found


@pytest.mark.parametrize(
    "quote", ["", "...", "raised 24", "raised 25 seedlings", "raised seedlings of cress", "24seedlings of cress"]
)
def test_other_words_or_too_few_are_not_found(quote: str) -> None:
    assert find_quote(quote, TEXT) is None


def test_the_sentence_that_shares_most_words_is_what_a_loose_quote_means() -> None:
    place = find_closest_quote("24 cress seedlings were raised", TEXT)
    assert place
    assert place.slice_text(TEXT) == "We raised 24 seedlings of cress (Lepidium sativum)"
    assert find_closest_quote("The weather in Spain was fine", TEXT) is None


@given(st.text(max_size=80), st.text(max_size=200))
def test_what_is_found_has_the_words_of_the_quote(quote: str, text: str) -> None:
    place = find_quote(quote, text, fewest=1)
    if place:
        words = [word for word in place.slice_text(text).casefold() if word.isalnum()]
        assert words == [word for word in quote.casefold() if word.isalnum()]
