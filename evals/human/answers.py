"""What raters are asked and what they chose: the record of an answer, and the file that the local page appends to.

In the file the newest answer to a question counts. The file is all there is: nothing is kept in memory. A page that is
stopped in any way and started again goes on where it was, and the file can be read and copied while raters work.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from pydantic import AwareDatetime, BaseModel, ConfigDict

from evals.human.blinding import BlindingKey, HiddenItem
from state.errors import BadInput, StateError
from state.files import from_json, read_file


class AnswerOption(NamedTuple):
    """A possible answer."""

    value: str
    """As an answer holds it."""
    text: str


class SurveyQuestion(NamedTuple):
    """A question with all its answers."""

    name: str
    title: str
    text: str
    options: tuple[AnswerOption, ...]


class RaterAnswer(BaseModel):
    """An answer to one question about one item; it names no system, so raters may keep it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item: str
    question: str
    rater: str
    value: str
    """Of the chosen option."""
    at: AwareDatetime


def newest(answers: Iterable[RaterAnswer]) -> list[RaterAnswer]:
    """Of several answers of a rater to the same question the last one, for raters may change their mind.

    Args:
        answers: In the order in which they were given.
    """
    return list({(each.rater, each.item, each.question): each for each in answers}.values())


def revealed(
    answers: Iterable[RaterAnswer], key: BlindingKey, questions: Sequence[SurveyQuestion], *, systems: int
) -> Iterator[tuple[RaterAnswer, HiddenItem]]:
    """Lay the key on the newest answers: each with what stands behind its item.

    Args:
        answers: In the order in which they were given.
        key: Of the sheets that they are about.
        questions: That were asked.
        systems: How many texts an item shows.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    for answer in newest(answers):
        _check(answer, questions)
        yield answer, key.reveal(answer.item, systems)


def _check(answer: RaterAnswer, questions: Sequence[SurveyQuestion]) -> None:
    """Refuse an answer that was not offered."""
    offered = {
        option.value for question in questions if question.name == answer.question for option in question.options
    }
    if answer.value not in offered:
        raise BadInput(
            f"{answer.rater!r} answered {answer.value!r} to {answer.question!r} of {answer.item!r}, which was not "
            "offered; give the answers that belong to this key."
        )


class AnswerStore:
    """The answers of all raters.

    Args:
        path: The file; it and its folder are made where they do not exist.

    Raises:
        StateError: The file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        except OSError as error:
            raise self._unwritable(error) from error

    def add(self, answer: RaterAnswer) -> None:
        """Write down an answer; when this returns, it is on the disk.

        Raises:
            StateError: The file cannot be written.
        """
        line = f"{answer.model_dump_json()}\n".encode()
        try:
            with self._lock, self.path.open("a+b") as file:
                file.seek(0)
                written = file.read()
                if not written.endswith(b"\n"):
                    file.truncate(len(_whole_lines(written)))
                file.write(line)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise self._unwritable(error) from error

    def answers(self) -> list[RaterAnswer]:
        """All answers in the order in which they were given.

        Raises:
            BadInput: The file cannot be read, or a line of it is no answer.
        """
        return read_answers(self.path)

    def _unwritable(self, error: OSError) -> StateError:
        return StateError(
            f"Answers cannot be saved in {self.path} ({error.strerror}); make room for it, or name another file."
        )


def read_answers(path: Path) -> list[RaterAnswer]:
    """The answers in a file that an `AnswerStore` writes, in the order in which they were given.

    Raises:
        BadInput: The file cannot be read, or a line of it is no answer.
    """
    lines = _whole_lines(read_file(path, "file of answers")).splitlines()
    return [from_json(RaterAnswer, line, f"Line {n} of {path} is no answer") for n, line in enumerate(lines, start=1)]


def _whole_lines(data: bytes) -> bytes:
    """Everything but half a line at the end, which a crash leaves, or a disk that is full."""
    return data[: data.rfind(b"\n") + 1]
