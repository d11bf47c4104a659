"""Answers in an export of Label Studio (https://labelstud.io/guide/export): its formats JSON and JSON-MIN."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

from pydantic import AwareDatetime, BaseModel, ConfigDict, Discriminator, Tag, TypeAdapter, ValidationError

from evals.human.answers import Answer
from evals.human.questions import CRITERIA, QUESTIONNAIRE
from state.errors import BadInput
from tools.configuration import describe
from tools.input_files import read_file

_QUESTIONS = frozenset(question.name for question in (*QUESTIONNAIRE, *CRITERIA))


class _User(BaseModel):
    id: int
    email: str = ""


class _Value(BaseModel):
    choices: list[Any] = []
    """The values that were chosen; lists of them where a team nests choices in questions of its own."""


class _Result(BaseModel):
    from_name: str = ""
    value: _Value = _Value()


class _Annotation(BaseModel):
    completed_by: _User | int | str
    """A number, or the whole person, depending on Label Studio's version and on how it was exported."""
    result: list[_Result]
    was_cancelled: bool = False
    """The rater skipped the task."""
    updated_at: AwareDatetime


class _Data(BaseModel):
    item: str


class _Task(BaseModel):
    """Of the export that is called JSON."""

    data: _Data
    annotations: list[_Annotation]

    def answers(self) -> Iterator[Answer]:
        for annotation in self.annotations:
            for result in annotation.result:
                if result.from_name in _QUESTIONS and len(result.value.choices) == 1 and not annotation.was_cancelled:
                    yield Answer(
                        item=self.data.item,
                        question=result.from_name,
                        rater=_name(annotation.completed_by),
                        value=str(result.value.choices[0]),
                        at=annotation.updated_at,
                    )


class _FlatTask(BaseModel):
    """Of the export that is called JSON-MIN: an annotation, or a task without any."""

    model_config = ConfigDict(extra="allow")

    item: str
    annotator: int | str | None
    updated_at: AwareDatetime | None

    def answers(self) -> Iterator[Answer]:
        fields: dict[str, Any] = self.model_extra or {}
        for name in sorted(_QUESTIONS & fields.keys()):
            if self.annotator is not None and self.updated_at is not None:
                yield Answer(
                    item=self.item,
                    question=name,
                    rater=_name(self.annotator),
                    value=str(fields[name]),
                    at=self.updated_at,
                )


def _format(task: object) -> str:
    return "JSON" if isinstance(task, dict) and "annotations" in task else "JSON-MIN"


_AnyTask = Annotated[Annotated[_Task, Tag("JSON")] | Annotated[_FlatTask, Tag("JSON-MIN")], Discriminator(_format)]
_EXPORT = TypeAdapter(list[_AnyTask])


def read_export(path: Path) -> list[Answer]:
    """The answers in an export, in the order in which they were given; both JSON and JSON-MIN are understood.

    Skipped tasks are left out, and so is whatever a team has asked besides.

    Raises:
        BadInput: The file cannot be read, or is no such export.
    """
    try:
        tasks = _EXPORT.validate_json(read_file(path, "JSON export of Label Studio"))
    except ValidationError as error:
        raise BadInput(
            f"{path} is no JSON or JSON-MIN export of these tasks ({describe(error)}); export them in one of these "
            "formats."
        ) from error
    return sorted((answer for task in tasks for answer in task.answers()), key=lambda answer: answer.at)


def _name(rater: _User | int | str) -> str:
    return str((rater.email or rater.id) if isinstance(rater, _User) else rater)
