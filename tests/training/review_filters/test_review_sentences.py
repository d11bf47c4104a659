"""A review is cut at its sentences and list items; what it quotes is found, however that was typed, and stays whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.review_filters.review_sentences import is_bare, parts, quotations, review_sentences, split


@pytest.mark.parametrize(
    "sentences",
    [
        ["The method is new.", "It is not described!", "Why?", "42 plants died."],
        ["Plants (e.g. cress) grew, see Fig. 3 and Smith et al. (2001).", "They died."],
        ["They say “It grew. It died.” of cress.", "Did it?"],
        ['They say "It grew. It died."', "Did it?"],
        ["- Please explain.", "- Table 1 has no legend:", "- Add one."],
        ["1. The aim is unclear.", "2) Say more about J. Smith."],
        ["Minor points:", "• a typo"],
        ["See https://example.org/a?b.", "It is good."],
        ["E. coli grew at 0.5 g.", "“It grew” is wrong."],
        ["no capital. no sentence"],
    ],
)
def test_sentences(sentences: list[str]) -> None:
    text = " ".join(sentences)
    assert [place.of(text) for place in split(text)] == sentences


@pytest.mark.parametrize("text", ["", "  \n ", "\u2003"])
def test_nothing_has_no_sentences(text: str) -> None:
    assert split(text) == []


def test_items_and_ids() -> None:
    found = review_sentences("r7", ["One. Two.", "", "List: - Three. Four. - Five."])
    assert [(sentence.id, sentence.item, sentence.paragraph) for sentence in found] == [
        ("r7_1@0", 1, 0),
        ("r7_1@1", 1, 0),
        ("r7_3@0", 2, 2),
        ("r7_3@1", 3, 2),
        ("r7_3@2", 3, 2),
        ("r7_3@3", 4, 2),
    ]


@given(st.text("aB1 .?!:-–\n\"“”'()e.g", max_size=60))
def test_no_character_is_lost(text: str) -> None:
    places = split(text)
    assert "".join("".join(place.of(text) for place in places).split()) == "".join(text.split())
    assert all(place.of(text).strip() == place.of(text) != "" for place in places)


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
