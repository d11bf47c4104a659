"""Answers as they are given: an append-only JSON Lines file, in which the newest answer to a question counts.

The file is all there is: nothing is kept in memory. A page that is stopped in any way and started again goes on where
it was, and the file can be read and copied while raters work.
"""

from __future__ import annotations

import os
from pathlib import Path
from threading import Lock

from evals.human.answers import Answer
from state.errors import StateError
from tools.input_files import from_json, read_file


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

    def add(self, answer: Answer) -> None:
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

    def answers(self) -> list[Answer]:
        """All answers in the order in which they were given.

        Raises:
            BadInput: The file cannot be read, or a line of it is no answer.
        """
        return read_answers(self.path)

    def _unwritable(self, error: OSError) -> StateError:
        return StateError(
            f"Answers cannot be saved in {self.path} ({error.strerror}); make room for it, or name another file."
        )


def read_answers(path: Path) -> list[Answer]:
    """The answers in a file that an `AnswerStore` writes, in the order in which they were given.

    Raises:
        BadInput: The file cannot be read, or a line of it is no answer.
    """
    lines = _whole_lines(read_file(path, "file of answers")).splitlines()
    return [from_json(Answer, line, f"Line {n} of {path} is no answer") for n, line in enumerate(lines, start=1)]


def _whole_lines(data: bytes) -> bytes:
    """Everything but half a line at the end, which a crash leaves, or a disk that is full."""
    return data[: data.rfind(b"\n") + 1]
