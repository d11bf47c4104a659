"""What stands in quotation marks is found, however they were typed, and what only looks like it is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.review_filters.review_sentences import is_bare, parts, quotations


def quoted(text: str) -> list[str]:
    return [place.of(text) for place in quotations(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('They write "grows in light" twice.', ["grows in light"]),
        ("They write “grows in light” and “dies”.", ["grows in light", "dies"]),
        ('They write “grows in light" here.', ["grows in light"]),
        ("They write ``grows in light'' here.", ["grows in light"]),
        ("They write „grows in light“ and «dies».", ["grows in light", "dies"]),
        ("They write ‘grows in light’, and 'dies'.", ["grows in light", "dies"]),
        ("They write ‘grows in light' here.", ["grows in light"]),
        ('The phrase: " My seeds grow ." is odd.', [" My seeds grow ."]),
        ("The plant's height isn’t known, nor the authors’ reason.", []),
        ('A 5" pot.', []),
        ('An "open quotation', []),
        ("", []),
    ],
)
def test_quotations(text: str, found: list[str]) -> None:
    assert quoted(text) == found


@pytest.mark.parametrize(
    ("quotation", "pieces"),
    [
        ("grows in light", ["grows in light"]),
        ("…grows in … light", ["grows in ", " light"]),
        ("grows ... in [dim] light. . .", ["grows ", " in ", " light"]),
        ("0.5 of it", ["0.5 of it"]),
        ("…", []),
    ],
)
def test_a_quotation_is_divided_where_words_were_left_out(quotation: str, pieces: list[str]) -> None:
    text = f"They write “{quotation}”."
    (place,) = quotations(text)
    assert [part.of(text) for part in parts(place, text)] == pieces


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("“It grew. It died.”", True),
        ("2) Discussion: “It grew”.", True),
        ("- “It grew” … “it died” -", True),
        ("Why “it grew”?", False),
        ("“It grew”?", False),
        ("They say “it grew”.", False),
        ("“It grew” is wrong.", False),
        ("Methods:", False),
    ],
)
def test_a_sentence_may_be_nothing_but_a_quotation(text: str, bare: bool) -> None:
    assert is_bare(text) is bare


@given(st.text("ab \"'“”‘’`„«».…[]", max_size=40))
def test_quotations_and_their_parts_lie_in_order(text: str) -> None:
    found = quotations(text)
    edges = [edge for place in found for edge in place]
    assert edges == sorted(edges)
    for place in found:
        inner = [edge for part in parts(place, text) for edge in part]
        assert [place.start, *inner, place.end] == sorted([place.start, *inner, place.end])
