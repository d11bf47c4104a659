"""Segments: equal length, nothing lost, and where each comes from."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.documents import Document, Word
from state.errors import SettingsError
from tests.tools.retrieval.papers import paper
from tools.retrieval.segments import split, windows

PROSE = st.lists(st.text("abcdeé", min_size=1, max_size=12), max_size=400).map(" ".join)
ANYTHING = st.text(st.sampled_from("ab細 \n\u2009🙂"), max_size=300)
LENGTHS = st.tuples(st.integers(1, 60), st.integers(0, 59)).filter(lambda pair: pair[1] < pair[0])


def running_text(document: Document) -> str:
    return "\n\n".join(paragraph["text"] for paragraph in document["paragraphs"])


@settings(deadline=None)
@given(ANYTHING, LENGTHS)
def test_windows_leave_nothing_out(text: str, lengths: tuple[int, int]) -> None:
    found = list(windows(text, *lengths))
    assert [start for start, _ in found[:1]] == [0] * bool(text)
    assert [end for _, end in found[-1:]] == [len(text)] * bool(text)
    for (before, end), (start, after) in pairwise(found):
        assert before < start <= end < after


@settings(deadline=None)
@given(PROSE, st.integers(40, 200), st.integers(0, 20))
def test_windows_of_prose_are_equally_long_whole_words(text: str, length: int, overlap: int) -> None:
    found = list(windows(text, length, overlap))
    if len(found) > 1:
        assert all(end - start > length - 14 for start, end in found[:-1])
        assert found[-1][1] - found[-1][0] > length - 14
    assert all(start == 0 or text[start - 1] == " " for start, _ in found)


@settings(deadline=None)
@given(st.lists(PROSE | ANYTHING, max_size=6), st.integers(30, 90))
def test_segments_hold_every_word_and_know_their_paragraphs(texts: list[str], characters: int) -> None:
    document = paper(*texts)
    text = running_text(document)
    segments = split(document, characters, 20)
    covered = {place for segment in segments for place in range(segment.start, segment.start + len(segment.text))}
    assert all(text[place].isspace() or place in covered for place in range(len(text)))
    assert all(text.startswith(segment.text, segment.start) for segment in segments)
    named = {name for segment in segments for name in segment.paragraphs}
    assert named >= {paragraph["id"] for paragraph in document["paragraphs"] if paragraph["text"].strip()}


def test_segments_begin_and_end_with_whole_words_and_are_numbered() -> None:
    document = paper("The mosses were weighed twice.", "They had dried for a week.")
    assert [(segment.text, segment.paragraphs) for segment in split(document, 26, 8)] == [
        ("The mosses were weighed ", ("p1",)),
        ("weighed twice.\n\nThey had ", ("p1", "p2")),
        ("They had dried for a week.", ("p2",)),
    ]
    assert [segment.id for segment in split(document, 26, 8)] == [f"{document['sha256'][:12]}:{n}" for n in (1, 2, 3)]


def test_a_segment_has_the_section_in_which_it_begins() -> None:
    document = paper("One two three.", "Four five six.")
    document["paragraphs"][1]["section"] = "Results"
    assert [segment.section for segment in split(document, 16, 0)] == ["Methods", "Results"]
    assert [segment.section for segment in split(document)] == ["Methods"]


def test_a_segment_has_the_page_on_which_it_begins() -> None:
    document = paper("One two three four.")
    places = [(0, 3, 4), (4, 7, 4), (8, 13, 5), (14, 19, 5)]
    document["paragraphs"][0]["page"] = 4
    document["paragraphs"][0]["words"] = [Word(start=s, end=e, page=page, box=[0, 0, 1, 1]) for s, e, page in places]
    assert [(segment.text, segment.page) for segment in split(document, 8, 0)] == [
        ("One two ", 4),
        ("three ", 5),
        ("four.", 5),
    ]


@pytest.mark.parametrize("texts", [(), ("",), (" \n ", "")])
def test_a_document_without_text_has_no_segments(texts: tuple[str, ...]) -> None:
    assert split(paper(*texts)) == []


def test_references_are_no_part_of_the_running_text() -> None:
    document = paper("Mosses dry out.")
    document["references"] = [{"id": "r1", "text": "Smith, On ferns."}]
    assert [segment.text for segment in split(document)] == ["Mosses dry out."]


@pytest.mark.parametrize("overlap", [200, 300, -1])
def test_an_overlap_that_is_no_part_of_a_segment_is_refused(overlap: int) -> None:
    with pytest.raises(SettingsError, match="set `segment_overlap` to less"):
        split(paper("Mosses dry out."), 200, overlap)
