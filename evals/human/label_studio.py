"""Label Studio: the project that is imported, and the answers that come back.

Tags are those of Label Studio 1.23 (https://labelstud.io/tags). Answers are `Choices` and not stars (`Rating`), so that
each point of a scale says what it means. Tasks are shown in the order in which they are imported, and whoever opens the
list of tasks sees every field of them: they hold nothing but what is shown and the random name of an item. Of the
formats of exports (https://labelstud.io/guide/export) the one called JSON is read.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from pydantic import AwareDatetime, BaseModel, TypeAdapter, ValidationError

from evals.human.blinding import BlindingKey, HiddenItem, LabelStudioTask
from state.errors import InputError, StateError
from state.files import read_file, write_atomically
from state.settings import describe_validation_error


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


_QUESTION_TEXTS: Final = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))


def _build_question(asked: dict[str, str], options: Iterable[tuple[str, str]]) -> SurveyQuestion:
    return SurveyQuestion(asked["name"], asked["title"], asked["text"], tuple(AnswerOption(*each) for each in options))


QUESTIONNAIRE: Final = tuple(
    _build_question(each, ((str(point), f"{point}: {meaning}") for point, meaning in enumerate(each["scale"], start=1)))
    for each in _QUESTION_TEXTS["articles"]
)
"""On an article: what the rater knew of the topic, and what the article is like, each from 1 to 5."""
KNOWLEDGE, *QUALITIES = QUESTIONNAIRE

FIRST, TIE, SECOND = "first", "tie", "second"
_COMPARISON_OPTIONS = ((FIRST, "The first is better"), (TIE, "No difference"), (SECOND, "The second is better"))
CRITERIA: Final = tuple(_build_question(each, _COMPARISON_OPTIONS) for each in _QUESTION_TEXTS["comments"])
"""What two comments are compared on."""
GUIDELINES: Final[Sequence[str]] = _QUESTION_TEXTS["guidelines"]
"""What raters of comments are told, a paragraph each."""


class RaterAnswer(NamedTuple):
    """An answer to one question about one item; it names no system, so raters may keep it."""

    item: str
    question: str
    rater: str
    value: str
    """Of the chosen option."""
    at: datetime


def unblind_answers(
    answers: Iterable[RaterAnswer], key: BlindingKey, questions: Sequence[SurveyQuestion], *, systems: int
) -> Iterator[tuple[RaterAnswer, HiddenItem]]:
    """Lay the key on the answers: each with what stands behind its item.

    Of several answers of a rater to the same question the last one counts, for raters may change their mind.

    Args:
        answers: In the order in which they were given.
        key: Of the tasks that they are about.
        questions: That were asked.
        systems: How many texts an item shows.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    offered = {(question.name, option.value) for question in questions for option in question.options}
    newest = {(each.rater, each.item, each.question): each for each in answers}
    for answer in newest.values():
        if (answer.question, answer.value) not in offered:
            raise InputError(
                f"{answer.rater!r} answered {answer.value!r} to {answer.question!r} of {answer.item!r}, which was not "
                "offered; give the answers that belong to this key."
            )
        yield answer, key.unblind_item(answer.item, systems)


_QUESTION_NAMES = frozenset(question.name for question in (*QUESTIONNAIRE, *CRITERIA))


def build_rating_config() -> str:
    """The labelling configuration of the questionnaire, in XML: the abstract beside the article."""
    view = Element("View")
    SubElement(view, "Header", value="$title", size="3")
    paper, _ = _add_columns(view, {"paper": "The abstract of the paper", "text": "The article"})
    _add_link(paper)
    for question in QUESTIONNAIRE:
        _add_question(view, question, about="text")
    return _serialize_xml(view)


def build_comparison_config() -> str:
    """The labelling configuration of the comparisons, in XML."""
    view = Element("View")
    guidelines = _add_collapsed_panel(view, "Guidelines")
    for paragraph in GUIDELINES:
        SubElement(guidelines, "Header", value=paragraph, size="6")
    SubElement(view, "Header", value="Paragraph", size="4")
    _add_text(view, "paragraph")
    _add_link(view)
    _add_text(_add_collapsed_panel(view, "The paper, where there is no link to it"), "paper")
    _add_columns(view, {"first": "First comment", "second": "Second comment"})
    for question in CRITERIA:
        _add_question(view, question, about="first")
    return _serialize_xml(view)


def _add_columns(parent: Element, columns: Mapping[str, str]) -> list[Element]:
    """Texts in columns, by name and title; below each other where the window is narrow."""
    row = SubElement(parent, "View", style="display: flex; flex-wrap: wrap; gap: 2em")
    sides = [SubElement(row, "View", style="flex: 1 1 20em") for _ in columns]
    for side, (name, title) in zip(sides, columns.items(), strict=True):
        SubElement(side, "Header", value=title, size="4")
        _add_text(side, name)
    return sides


def _add_collapsed_panel(parent: Element, title: str) -> Element:
    """A part that is opened by a click."""
    return SubElement(SubElement(SubElement(parent, "Collapse"), "Panel", value=title), "View")


def _add_link(parent: Element) -> None:
    # Not in a frame of its own (`inline`): Label Studio's frames may not open another window.
    SubElement(
        parent, "HyperText", name="link", value="$anchor", valueType="text", inline="true", clickableLinks="true"
    )


def _add_text(parent: Element, name: str) -> None:
    SubElement(parent, "Text", name=name, value=f"${name}", valueType="text", selectionEnabled="false")


def _add_question(parent: Element, question: SurveyQuestion, about: str) -> None:
    SubElement(parent, "Header", value=f"{question.title}. {question.text}", size="5")
    choices = SubElement(
        parent,
        "Choices",
        name=question.name,
        toName=about,
        choice="single-radio",
        required="true",
        requiredMessage=f"Please answer the question on {question.title.lower()}.",
    )
    for option in question.options:
        SubElement(choices, "Choice", value=option.text, alias=option.value)


def _serialize_xml(view: Element) -> str:
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode")


def write_project(folder: Path, config: str, tasks: Sequence[LabelStudioTask], key: BlindingKey) -> None:
    """Write `labelling.xml` and the tasks, which Label Studio imports, and `key.json`, which no rater may see.

    Args:
        folder: Where they go.
        config: The labelling configuration.
        tasks: In the order in which they are shown.
        key: Of all of them.

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


class _ExportedValue(BaseModel):
    choices: list[Any] = []
    """The values that were chosen; lists of them where a team nests choices in questions of its own."""


class _ExportedResult(BaseModel):
    from_name: str = ""
    value: _ExportedValue = _ExportedValue()


class _ExportedAnnotation(BaseModel):
    completed_by: _ExportedUser | int | str
    """A number, or the whole person, depending on Label Studio's version and on how it was exported."""
    result: list[_ExportedResult]
    was_cancelled: bool = False
    """The rater skipped the task."""
    updated_at: AwareDatetime


class _ExportedData(BaseModel):
    item: str


class _ExportedTask(BaseModel):
    data: _ExportedData
    annotations: list[_ExportedAnnotation]

    def iterate_answers(self) -> Iterator[RaterAnswer]:
        for annotation in self.annotations:
            by = annotation.completed_by
            rater = str((by.email or by.id) if isinstance(by, _ExportedUser) else by)
            for result in annotation.result:
                if (
                    result.from_name in _QUESTION_NAMES
                    and len(result.value.choices) == 1
                    and not annotation.was_cancelled
                ):
                    value = str(result.value.choices[0])
                    yield RaterAnswer(self.data.item, result.from_name, rater, value, annotation.updated_at)


_EXPORT_ADAPTER = TypeAdapter(list[_ExportedTask])


def read_exports(paths: Iterable[Path]) -> list[RaterAnswer]:
    """The answers in exports in the format JSON, in the order in which they were given.

    Skipped tasks are left out, and so is whatever a team has asked besides.

    Raises:
        BadInput: A file cannot be read, or is no such export.
    """
    found = [answer for path in paths for task in _read_export(path) for answer in task.iterate_answers()]
    return sorted(found, key=lambda answer: answer.at)


def _read_export(path: Path) -> list[_ExportedTask]:
    try:
        return _EXPORT_ADAPTER.validate_json(read_file(path, "JSON export of Label Studio"))
    except ValidationError as error:
        raise InputError(
            f"{path} is no JSON export of these tasks ({describe_validation_error(error)}); "
            "export them in the format JSON."
        ) from error
