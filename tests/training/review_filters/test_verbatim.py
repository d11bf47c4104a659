"""Words are the same however they were typed; runs of them are found wherever they are, and the longest wins."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from training.review_filters.verbatim import MatchedRuns, VerbatimIndex, WordRun, choose, vocabulary, words


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


def runs(sentence: str, *texts: str, size: int = 2) -> set[WordRun]:
    return set(VerbatimIndex([text.split() for text in texts], size).runs(sentence.split()))


def chosen(sentence: str, *texts: str, size: int = 2) -> MatchedRuns:
    return choose(runs(sentence, *texts, size=size), lambda run: run.length >= size)


def test_runs_are_as_long_as_they_can_be() -> None:
    assert runs("x a b c y", "a b c d", "b c", "c y a") == {WordRun(0, 1, 4), WordRun(1, 2, 4), WordRun(2, 3, 5)}


def test_texts_that_are_too_short_have_no_runs() -> None:
    assert runs("a", "a", "", size=2) == set()
    assert runs("", "a b") == set()


def test_the_longest_wins_and_a_shorter_one_keeps_what_is_left() -> None:
    assert chosen("a b c d e f", "a b c d", "c d e f z").runs == [WordRun(0, 0, 4), WordRun(1, 4, 6)]


def test_the_very_same_words_in_two_texts_are_ambiguous() -> None:
    found = chosen("x a b c y z q", "a b c", "k a b c", "y z q")
    assert found.runs == [WordRun(2, 4, 7)]
    assert [(run.start, run.end) for run in found.ambiguous] == [(1, 4)]


def test_a_word_more_decides() -> None:
    found = chosen("x a b c", "a b c", "x a b c")
    assert found == MatchedRuns([WordRun(1, 0, 4)], [])


def test_the_same_words_twice_in_one_text_are_not_ambiguous() -> None:
    assert chosen("a b c", "a b c k a b c") == MatchedRuns([WordRun(0, 0, 3)], [])


WORDS = st.lists(st.sampled_from("abc"), max_size=12)


def common(sentence: list[str], text: list[str], number: int, size: int) -> set[WordRun]:
    """Every common run that cannot be extended, by trying all of them."""
    found = set()
    for start in range(len(sentence)):
        for at in range(len(text)):
            if start and at and sentence[start - 1] == text[at - 1]:
                continue
            length = 0
            while sentence[start + length : start + length + 1] == text[at + length : at + length + 1] != []:
                length += 1
            if length >= size:
                found.add(WordRun(number, start, start + length))
    return found


@given(WORDS, st.lists(WORDS, max_size=3), st.integers(1, 4))
def test_the_index_finds_what_trying_everything_finds(sentence: list[str], texts: list[list[str]], size: int) -> None:
    expected = {run for number, text in enumerate(texts) for run in common(sentence, text, number, size)}
    assert set(VerbatimIndex(texts, size).runs(sentence)) == expected


@given(WORDS, st.lists(WORDS, max_size=3), st.integers(1, 4))
def test_chosen_runs_are_verbatim_apart_and_long_enough(sentence: list[str], texts: list[list[str]], size: int) -> None:
    found = choose(VerbatimIndex(texts, size).runs(sentence), lambda run: run.length >= size)
    taken = [word for run in (*found.runs, *found.ambiguous) for word in range(run.start, run.end)]
    assert len(taken) == len(set(taken))
    for run in found.runs:
        words, text = sentence[run.start : run.end], texts[run.text]
        assert len(words) >= size
        assert any(text[at : at + len(words)] == words for at in range(len(text)))
