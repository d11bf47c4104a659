"""A review is cut at its sentences and list items, never inside a quotation, and keeps every character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.review_filters.review_sentences import review_sentences, split


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
