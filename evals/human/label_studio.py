"""Label Studio projects: writing the labelling configuration and tasks, and reading the exported answers.

The configurations are in `templates`. Scales are `Choices` and not stars (`Rating`), so that each point has a
description. Raters can see all fields of a task in Label Studio's list of tasks, so a task has only the texts that are
shown and the random name of its item. Exports are read in the format called JSON (https://labelstud.io/guide/export).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic import AliasPath, AwareDatetime, BaseModel, Field, TypeAdapter, ValidationError

from evals.human.blinding import BlindingKey, LabelStudioTask
from state.errors import InputError, StateError
from state.files import read_file, write_atomically
from state.settings import describe_validation_error
from tools.html_pages import build_template_environment


class SurveyQuestion(NamedTuple):
    """A question to raters, with its options."""

    name: str
    title: str
    text: str
    options: Mapping[str, str]
    """Texts for raters, by the value in exported answers."""


_QUESTION_TEXTS: Final = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))
_TEMPLATES: Final = build_template_environment("evals.human")

# Questions on an article: the rater's knowledge of the topic, then the qualities of the article, each from 1 to 5.
QUESTIONNAIRE: Final = tuple(
    SurveyQuestion(
        name=each["name"],
        title=each["title"],
        text=each["text"],
        options={str(point): f"{point}: {meaning}" for point, meaning in enumerate(each["scale"], start=1)},
    )
    for each in _QUESTION_TEXTS["articles"]
)
KNOWLEDGE, *QUALITIES = QUESTIONNAIRE

FIRST, TIE, SECOND = "first", "tie", "second"
_COMPARISON_OPTIONS = {FIRST: "The first is better", TIE: "No difference", SECOND: "The second is better"}
CRITERIA: Final = tuple(SurveyQuestion(**each, options=_COMPARISON_OPTIONS) for each in _QUESTION_TEXTS["comments"])
GUIDELINES: Final[Sequence[str]] = _QUESTION_TEXTS["guidelines"]  # paragraphs for raters of comments
_QUESTION_NAMES = frozenset(question.name for question in (*QUESTIONNAIRE, *CRITERIA))


class RaterAnswer(NamedTuple):
    """An answer to a question on an item. It does not name a system."""

    item: str
    question: str
    rater: str
    value: str
    """Value of the chosen option."""
    at: datetime


def build_rating_config() -> str:
    """Return Label Studio's labelling configuration for ratings of articles, as XML."""
    return _TEMPLATES.get_template("ratings.xml").render(questions=QUESTIONNAIRE)


def build_comparison_config() -> str:
    """Return Label Studio's labelling configuration for comparisons of comments, as XML."""
    return _TEMPLATES.get_template("comparisons.xml").render(questions=CRITERIA, guidelines=GUIDELINES)


def write_project(folder: Path, config: str, tasks: Sequence[LabelStudioTask], key: BlindingKey) -> None:
    """Write or replace labelling.xml and tasks.json for Label Studio, and key.json, which no rater may see.

    Raises:
        StateError: The folder cannot be written.
    """
    files = {
        "labelling.xml": config,
        "tasks.json": json.dumps(tasks, ensure_ascii=False, indent=1),
        "key.json": key.model_dump_json(indent=1),
    }
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            write_atomically(folder / name, f"{content}\n".encode())
    except OSError as error:
        raise StateError(
            f"{folder} cannot be written ({error.strerror}); name another folder.", kind="output_unwritable"
        ) from error


class _ExportedUser(BaseModel):
    id: int
    email: str = ""


class _ExportedResult(BaseModel):
    """A rater's answer to one question."""

    from_name: str = ""
    choices: list[Any] = Field([], validation_alias=AliasPath("value", "choices"))
    """Chosen values; lists of values if a team has added questions with nested choices."""


class _ExportedAnnotation(BaseModel):
    """One rater's answers to a task."""

    completed_by: _ExportedUser | int | str
    """A number or a user, depending on Label Studio's version and the way of exporting."""
    result: list[_ExportedResult]
    was_cancelled: bool = False
    """Whether the rater skipped the task."""
    updated_at: AwareDatetime


class _ExportedTask(BaseModel):
    """A task of an export, with the annotations of all raters."""

    item: str = Field(validation_alias=AliasPath("data", "item"))
    annotations: list[_ExportedAnnotation]

    def iterate_answers(self) -> Iterator[RaterAnswer]:
        """Yield the answers of all raters to our questions, leaving out skipped tasks and a team's own questions."""
        for annotation in self.annotations:
            if annotation.was_cancelled:
                continue
            user = annotation.completed_by
            rater = str((user.email or user.id) if isinstance(user, _ExportedUser) else user)
            for result in annotation.result:
                # A team may have added questions of its own to the project.
                if result.from_name in _QUESTION_NAMES and len(result.choices) == 1:
                    value = str(result.choices[0])
                    yield RaterAnswer(self.item, result.from_name, rater, value, annotation.updated_at)


_EXPORT_ADAPTER = TypeAdapter(list[_ExportedTask])


def read_exports(paths: Iterable[Path]) -> list[RaterAnswer]:
    """Read the answers in Label Studio's JSON exports, sorted by the time at which they were given.

    Raises:
        InputError: A file cannot be read, or is no export of these tasks.
    """
    found: list[RaterAnswer] = []
    for path in paths:
        try:
            tasks = _EXPORT_ADAPTER.validate_json(read_file(path, "JSON export of Label Studio"))
        except ValidationError as error:
            raise InputError(
                f"{path} is no JSON export of these tasks ({describe_validation_error(error)}); "
                "export them in the format JSON."
            ) from error
        found += [answer for task in tasks for answer in task.iterate_answers()]
    return sorted(found, key=lambda answer: answer.at)
