"""Label Studio projects: writing the labelling configuration and tasks, and reading the exported answers.

The tags are those of Label Studio 1.23 (https://labelstud.io/tags). Scales are `Choices` and not stars (`Rating`), so
that each point has a description. Raters can see all fields of a task in Label Studio's list of tasks, so a task has
only the texts that are shown and the random name of its item. Exports are read in the format called JSON
(https://labelstud.io/guide/export).
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
    """An option of a question: its value in exports, and its text for raters."""

    value: str
    """Value in exported answers."""
    text: str


class SurveyQuestion(NamedTuple):
    """A question to raters, with its options."""

    name: str
    title: str
    text: str
    options: tuple[AnswerOption, ...]


_QUESTION_TEXTS: Final = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))


def _build_question(asked: dict[str, str], options: Iterable[tuple[str, str]]) -> SurveyQuestion:
    return SurveyQuestion(asked["name"], asked["title"], asked["text"], tuple(AnswerOption(*each) for each in options))


# Questions on an article: the rater's knowledge of the topic, then the qualities of the article, each from 1 to 5.
QUESTIONNAIRE: Final = tuple(
    _build_question(each, ((str(point), f"{point}: {meaning}") for point, meaning in enumerate(each["scale"], start=1)))
    for each in _QUESTION_TEXTS["articles"]
)
KNOWLEDGE, *QUALITIES = QUESTIONNAIRE

FIRST, TIE, SECOND = "first", "tie", "second"
_COMPARISON_OPTIONS = ((FIRST, "The first is better"), (TIE, "No difference"), (SECOND, "The second is better"))
CRITERIA: Final = tuple(_build_question(each, _COMPARISON_OPTIONS) for each in _QUESTION_TEXTS["comments"])
GUIDELINES: Final[Sequence[str]] = _QUESTION_TEXTS["guidelines"]  # paragraphs for raters of comments
# The link is inline, because Label Studio's frames may not open another window.
_LINK_ATTRIBUTES = {
    "name": "link",
    "value": "$anchor",
    "valueType": "text",
    "inline": "true",
    "clickableLinks": "true",
}
_QUESTION_NAMES = frozenset(question.name for question in (*QUESTIONNAIRE, *CRITERIA))


class RaterAnswer(NamedTuple):
    """An answer to a question on an item. It does not name a system."""

    item: str
    question: str
    rater: str
    value: str
    """Value of the chosen option."""
    at: datetime


def resolve_answers(
    answers: Iterable[RaterAnswer], key: BlindingKey, questions: Sequence[SurveyQuestion], *, system_count: int
) -> Iterator[tuple[RaterAnswer, HiddenItem]]:
    """Yield each rater's last answer to each question on an item, with what the item hides, from chronological answers.

    Raises:
        InputError: The key belongs to other tasks, or an answer was not offered.
    """
    offered = {(question.name, option.value) for question in questions for option in question.options}
    # Raters may change their mind: the last answer to a question counts.
    newest = {(each.rater, each.item, each.question): each for each in answers}
    for answer in newest.values():
        if (answer.question, answer.value) not in offered:
            raise InputError(
                f"{answer.rater!r} answered {answer.value!r} to {answer.question!r} of {answer.item!r}, which was not "
                "offered; give the answers that belong to this key."
            )
        yield answer, key.find_hidden_item(answer.item, system_count)


def build_rating_config() -> str:
    """Return Label Studio's labelling configuration for ratings of articles, as XML."""
    view = Element("View")
    SubElement(view, "Header", value="$title", size="3")
    paper, _ = _add_columns(view, {"paper": "The abstract of the paper", "text": "The article"})
    SubElement(paper, "HyperText", _LINK_ATTRIBUTES)
    return _add_questions(view, QUESTIONNAIRE, about="text")


def build_comparison_config() -> str:
    """Return Label Studio's labelling configuration for comparisons of comments, as XML."""
    view = Element("View")
    guidelines = _add_collapsed_panel(view, "Guidelines")
    for paragraph in GUIDELINES:
        SubElement(guidelines, "Header", value=paragraph, size="6")
    SubElement(view, "Header", value="Paragraph", size="4")
    _add_text(view, "paragraph")
    SubElement(view, "HyperText", _LINK_ATTRIBUTES)
    _add_text(_add_collapsed_panel(view, "The paper, where there is no link to it"), "paper")
    _add_columns(view, {"first": "First comment", "second": "Second comment"})
    return _add_questions(view, CRITERIA, about="first")


def _add_columns(parent: Element, columns: Mapping[str, str]) -> list[Element]:
    """Add a column for each field of the tasks, given with its title, and return the columns; they may wrap."""
    row = SubElement(parent, "View", style="display: flex; flex-wrap: wrap; gap: 2em")
    sides = [SubElement(row, "View", style="flex: 1 1 20em") for _ in columns]
    for side, (name, title) in zip(sides, columns.items(), strict=True):
        SubElement(side, "Header", value=title, size="4")
        _add_text(side, name)
    return sides


def _add_collapsed_panel(parent: Element, title: str) -> Element:
    """Add a panel that opens on a click, and return the element for its content."""
    return SubElement(SubElement(SubElement(parent, "Collapse"), "Panel", value=title), "View")


def _add_text(parent: Element, name: str) -> None:
    SubElement(parent, "Text", name=name, value=f"${name}", valueType="text", selectionEnabled="false")


def _add_questions(view: Element, questions: Iterable[SurveyQuestion], about: str) -> str:
    """Add the questions on the text `about` as the last part of a configuration, and return all of it as XML."""
    for question in questions:
        SubElement(view, "Header", value=f"{question.title}. {question.text}", size="5")
        message = f"Please answer the question on {question.title.lower()}."
        # Label Studio attaches every question to one of the texts, even a question about both.
        attributes = {"name": question.name, "toName": about, "choice": "single-radio"}
        choices = SubElement(view, "Choices", attributes, required="true", requiredMessage=message)
        for option in question.options:
            SubElement(choices, "Choice", value=option.text, alias=option.value)
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode")


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


class _ExportedValue(BaseModel):
    """A rater's answer to one question: the values that were chosen."""

    choices: list[Any] = []
    """Chosen values; lists of values if a team has added questions with nested choices."""


class _ExportedResult(BaseModel):
    from_name: str = ""
    value: _ExportedValue = _ExportedValue()


class _ExportedAnnotation(BaseModel):
    """One rater's answers to a task."""

    completed_by: _ExportedUser | int | str
    """A number or a user, depending on Label Studio's version and the way of exporting."""
    result: list[_ExportedResult]
    was_cancelled: bool = False
    """Whether the rater skipped the task."""
    updated_at: AwareDatetime


class _ExportedData(BaseModel):
    item: str


class _ExportedTask(BaseModel):
    """A task of an export, with the annotations of all raters."""

    data: _ExportedData
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
                if result.from_name in _QUESTION_NAMES and len(result.value.choices) == 1:
                    value = str(result.value.choices[0])
                    yield RaterAnswer(self.data.item, result.from_name, rater, value, annotation.updated_at)


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
