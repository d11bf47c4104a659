"""Segments: at most so long, nothing lost, and where each comes from."""

from __future__ import annotations

from itertools import count

from hypothesis import given, settings
from hypothesis import strategies as st

from state.documents import Word
from tests.tools.retrieval.papers import paper
from tools.retrieval.search import split_document

PARAGRAPHS = st.lists(st.integers(0, 60), max_size=6)


@settings(deadline=None)
@given(PARAGRAPHS, st.integers(30, 90), st.integers(0, 20))
def test_segments_hold_every_word_and_know_their_paragraphs(lengths: list[int], characters: int, overlap: int) -> None:
    number = count()
    document = paper(*(" ".join(f"word{next(number)}" for _ in range(length)) for length in lengths))
    text = "\n\n".join(paragraph["text"] for paragraph in document["paragraphs"])
    segments = split_document(document, characters, overlap)
    assert all(0 < len(segment.text) <= characters for segment in segments)
    covered = {place for segment in segments for place in range(segment.start, segment.start + len(segment.text))}
    assert all(text[place].isspace() or place in covered for place in range(len(text)))
    assert all(text.startswith(segment.text, segment.start) for segment in segments)
    named = {name for segment in segments for name in segment.paragraphs}
    assert named == {paragraph["id"] for paragraph in document["paragraphs"] if paragraph["text"].strip()}


def test_segments_end_with_a_paragraph_where_they_can_and_else_with_a_word() -> None:
    document = paper("The mosses were weighed twice.", "They had dried for a week.", "So they were light.")
    assert [(segment.text, segment.paragraphs) for segment in split_document(document, 50, 16)] == [
        ("The mosses were weighed twice.", ("p1",)),
        ("They had dried for a week.\n\nSo they were light.", ("p2", "p3")),
    ]
    assert [segment.text for segment in split_document(document, 24, 8)][:3] == [
        "The mosses were weighed",
        "weighed twice.",
        "They had dried for a",
    ]
    assert [segment.id for segment in split_document(document, 50, 0)] == [
        f"{document['sha256'][:12]}:{n}" for n in (1, 2)
    ]


def test_a_segment_has_the_section_in_which_it_begins() -> None:
    document = paper("One two three.", "Four five six.")
    document["paragraphs"][1]["section"] = "Results"
    assert [segment.section for segment in split_document(document, 16, 0)] == ["Methods", "Results"]
    assert [segment.section for segment in split_document(document)] == ["Methods"]


def test_a_segment_has_the_page_on_which_it_begins() -> None:
    document = paper("One two three four.")
    places = [(0, 3, 4), (4, 7, 4), (8, 13, 5), (14, 19, 5)]
    document["paragraphs"][0]["page"] = 4
    document["paragraphs"][0]["words"] = [Word(start=s, end=e, page=page, box=[0, 0, 1, 1]) for s, e, page in places]
    assert [(segment.text, segment.page) for segment in split_document(document, 8, 0)] == [
        ("One two", 4),
        ("three", 5),
        ("four.", 5),
    ]


def test_references_are_no_part_of_the_running_text() -> None:
    document = paper("Mosses dry out.")
    document["references"] = [{"id": "r1", "text": "Smith, On ferns."}]
    assert [segment.text for segment in split_document(document)] == ["Mosses dry out."]
