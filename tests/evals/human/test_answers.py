"""Answers on the disk: nothing that was saved is lost, whatever happens while one is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.human.answers import AnswerStore, RaterAnswer, read_answers
from state.errors import BadInput, StateError
from tests.support.raters import BEGUN


def answer(value: str, rater: str = "Ada") -> RaterAnswer:
    return RaterAnswer(item="x", question="helpfulness", rater=rater, value=value, at=BEGUN)


def test_answers_are_there_for_the_next_one_who_opens_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "answers.jsonl"
    given = [answer("first"), answer("tie", "Łucja"), answer("second")]
    for each in given:
        AnswerStore(path).add(each)
    assert AnswerStore(path).answers() == read_answers(path) == given
    assert len(path.read_bytes().splitlines()) == 3, "nothing is overwritten"


def test_a_new_store_is_empty(tmp_path: Path) -> None:
    assert AnswerStore(tmp_path / "answers.jsonl").answers() == []


@pytest.mark.parametrize("kept", [1, 40])
def test_half_a_line_is_passed_over_and_written_over(tmp_path: Path, kept: int) -> None:
    path = tmp_path / "answers.jsonl"
    store = AnswerStore(path)
    store.add(answer("first"))
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:kept])
    assert store.answers() == [answer("first")]
    store.add(answer("second"))
    assert store.answers() == [answer("first"), answer("second")]


def test_half_a_line_may_be_the_first_one(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'{"item"')
    store = AnswerStore(path)
    assert store.answers() == []
    store.add(answer("tie"))
    assert store.answers() == [answer("tie")]


def test_a_line_that_is_no_answer_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    store = AnswerStore(path)
    store.add(answer("tie"))
    path.write_bytes(path.read_bytes() + b'{"item": "x"}\n')
    with pytest.raises(BadInput, match=r"Line 2 of .*answers\.jsonl is no answer: `question`: field required"):
        store.answers()


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StateError, match=r"cannot be saved in .*file"):
        AnswerStore(tmp_path / "file" / "answers.jsonl")
    store = AnswerStore(tmp_path / "answers.jsonl")
    store.path.unlink()
    store.path.mkdir()
    with pytest.raises(StateError, match=r"cannot be saved in .*answers\.jsonl \(Is a directory\)"):
        store.add(answer("tie"))


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.jsonl cannot be read"):
        read_answers(tmp_path / "nowhere.jsonl")
