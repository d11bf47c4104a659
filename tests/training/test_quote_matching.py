"""Verbatim runs are found wherever they are, and each word of a sentence is given to the longest."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from training.review_filters.verbatim import MatchedRuns, VerbatimIndex, WordRun, choose


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
