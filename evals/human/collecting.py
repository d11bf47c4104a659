"""Answers from several places, as when raters work on machines of their own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from evals.human.answers import Answer
from evals.human.label_studio_export import read_export
from evals.human.store import read_answers
from tools.input_files import read_file


def collect_answers(paths: Iterable[Path]) -> list[Answer]:
    """The answers in exports of Label Studio and in files of the local page, in the order in which they were given.

    Raises:
        BadInput: A file cannot be read, or is neither.
    """
    found = [answer for path in paths for answer in _answers(path)]
    return sorted(found, key=lambda answer: answer.at)


def _answers(path: Path) -> list[Answer]:
    is_list = read_file(path, "file of answers").lstrip().startswith(b"[")
    return read_export(path) if is_list else read_answers(path)
