"""Label Studio projects: the labelling configuration and the tasks to import.

Tags are those of Label Studio 1.23 (https://labelstud.io/tags). Answers are `Choices` and not stars (`Rating`), so that
each point of a scale says what it means. Tasks are shown in the order in which they are imported, and whoever opens the
list of tasks sees every field of them: they hold nothing but what is shown and the random name of an item.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from markupsafe import Markup
from pydantic import BaseModel, TypeAdapter, ValidationError

from evals.human.blinding import Key
from evals.human.questions import CRITERIA, GUIDELINES, QUESTIONNAIRE, Question
from evals.human.sheets import Comparison, RatedText
from state.errors import BadInput, StateError
from state.files import write_atomically
from tools.configuration import describe
from tools.input_files import read_file

Task = dict[str, dict[str, str]]


class _ComparisonTask(BaseModel):
    data: Comparison


_COMPARISONS = TypeAdapter(list[_ComparisonTask])


def rating_config() -> str:
    """The labelling configuration of the questionnaire, in XML."""
    view = Element("View")
    SubElement(view, "Header", value="$title", size="3")
    SubElement(view, "Header", value="$topic", size="5")
    _text(view, "text")
    for question in QUESTIONNAIRE:
        _ask(view, question, about="text")
    return _xml(view)


def comparison_config() -> str:
    """The labelling configuration of the comparisons, in XML."""
    view = Element("View")
    guidelines = SubElement(SubElement(SubElement(view, "Collapse"), "Panel", value="Guidelines"), "View")
    for paragraph in GUIDELINES:
        SubElement(guidelines, "Header", value=paragraph, size="6")
    SubElement(view, "Header", value="Paragraph", size="4")
    _text(view, "paragraph")
    # Not in a frame of its own (`inline`): Label Studio's frames may not open another window.
    SubElement(view, "HyperText", name="link", value="$anchor", valueType="text", inline="true", clickableLinks="true")
    pair = SubElement(view, "View", style="display: flex; flex-wrap: wrap; gap: 2em")
    for name, title in (("first", "First comment"), ("second", "Second comment")):
        side = SubElement(pair, "View", style="flex: 1 1 20em")
        SubElement(side, "Header", value=title, size="4")
        _text(side, name)
    for question in CRITERIA:
        _ask(view, question, about="first")
    return _xml(view)


def rating_tasks(texts: Iterable[RatedText]) -> list[Task]:
    """Tasks to import, one for each text."""
    return [{"data": text.model_dump()} for text in texts]


def comparison_tasks(pairs: Iterable[Comparison]) -> list[Task]:
    """Tasks to import, one for each pair of comments, with all criteria."""
    return [{"data": {**pair.model_dump(), "anchor": _anchor(pair.link)}} for pair in pairs]


def read_comparisons(path: Path) -> list[Comparison]:
    """The comparisons in a `tasks.json`, for the local page: who serves it needs no file that names the systems.

    Raises:
        BadInput: The file cannot be read, or holds no such tasks.
    """
    try:
        return [task.data for task in _COMPARISONS.validate_json(read_file(path, "file of tasks with comparisons"))]
    except ValidationError as error:
        raise BadInput(
            f"{path} holds no tasks with comparisons: {describe(error)}; name a tasks.json of `blind --kind feedback`."
        ) from error


def write_project(folder: Path, config: str, tasks: Sequence[Task], key: Key) -> None:
    """Write `labelling.xml` and `tasks.json`, which Label Studio imports, and `key.json`, which no rater may see.

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


def _text(parent: Element, name: str) -> None:
    SubElement(parent, "Text", name=name, value=f"${name}", valueType="text", selectionEnabled="false")


def _ask(parent: Element, question: Question, about: str) -> None:
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


def _xml(view: Element) -> str:
    ElementTree.indent(view)
    return ElementTree.tostring(view, encoding="unicode")


def _anchor(link: str) -> str:
    """A link in HTML; empty if there is none."""
    anchor = Markup('<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>')
    return str(anchor.format(link, link)) if link else ""
