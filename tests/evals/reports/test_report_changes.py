"""What changed between two texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evals.reports.changes import Change, word_changes

TEXTS = st.text(st.sampled_from("ab \n"), max_size=60).filter(lambda text: text == "" or not text.isspace())


def test_words_that_change_are_told_from_those_that_stay() -> None:
    assert word_changes("The old moss grows fast.", "The old moss grows slowly now.") == [
        Change("same", "The old moss grows "),
        Change("removed", "fast."),
        Change("added", "slowly now."),
    ]


def test_a_single_word_that_stays_between_changes_is_part_of_the_change() -> None:
    assert [change.kind for change in word_changes("a two three b", "c two d e")] == ["removed", "added"]


@given(TEXTS, TEXTS)
def test_the_pieces_make_up_both_texts(before: str, after: str) -> None:
    changes = word_changes(before, after)
    assert "".join(change.text for change in changes if change.kind != "added") == before
    assert "".join(change.text for change in changes if change.kind != "removed") == after
