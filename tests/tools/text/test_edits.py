from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tools.text import DiffSegment, diff_words

TEXTS = st.text(st.sampled_from("ab \n"), max_size=60).filter(lambda text: text == "" or not text.isspace())


def test_words_that_change_are_told_from_those_that_stay():
    assert diff_words("The old moss grows fast.", "The old moss grows slowly now.") == [
        DiffSegment("same", "The old moss grows "),
        DiffSegment("removed", "fast."),
        DiffSegment("added", "slowly now."),
    ]


def test_a_single_word_that_stays_between_changes_is_part_of_the_change():
    changes = diff_words("one two three four", "one zwei three vier")
    assert [change.kind for change in changes] == ["same", "removed", "added"]


def test_equal_texts_have_no_changes():
    assert {change.kind for change in diff_words("a b c", "a b c")} == {"same"}


@given(TEXTS, TEXTS)
def test_the_pieces_make_up_both_texts(before: str, after: str):
    changes = diff_words(before, after)
    assert "".join(change.text for change in changes if change.kind != "added") == before
    assert "".join(change.text for change in changes if change.kind != "removed") == after
