"""Our projects in a real Label Studio: it takes configurations and tasks, and we understand what it exports.

It is installed on first use, which takes minutes; `pytest -m label_studio` runs these tests.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from evals.human.blinding import build_comparison_tasks, build_rating_tasks
from evals.human.judgements import tabulate_answers
from evals.human.label_studio import CRITERIA, QUESTIONNAIRE, build_comparison_config, build_rating_config, read_exports
from tests.support.label_studio import LabelStudio, running_label_studio
from tests.support.raters import WRITTEN, candidates, write_json

pytestmark = [pytest.mark.label_studio, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LabelStudio]:
    with running_label_studio(tmp_path_factory.mktemp("label-studio")) as studio:
        yield studio


def imported(studio: LabelStudio, config: str, tasks: list[Any]) -> tuple[int, list[dict[str, Any]]]:
    """A new project and the tasks in it, in the order in which they are shown."""
    project = studio.new_project("human evaluation", config)
    assert studio.import_tasks(project, tasks) == len(tasks)
    found = sorted(studio.export(project, "JSON", download_all_tasks="true"), key=lambda task: int(task["id"]))
    assert [task["data"] for task in found] == [task["data"] for task in tasks]
    return project, found


def chosen(question: str, about: str, value: str) -> dict[str, Any]:
    """What the page of Label Studio sends for a choice."""
    return {
        "id": f"result-{question}",
        "type": "choices",
        "from_name": question,
        "to_name": about,
        "origin": "manual",
        "value": {"choices": [value]},
    }


def exported(studio: LabelStudio, project: int, folder: Path) -> list[Path]:
    return [write_json(folder / "export.json", studio.export(project, "JSON"))]


def test_ratings_come_back(studio: LabelStudio, tmp_path: Path) -> None:
    texts, key = build_rating_tasks(candidates(), seed=11)
    project, tasks = imported(studio, build_rating_config(), texts)
    said = {}
    for number, task in enumerate(tasks):
        values = {question.name: str(1 + (number + place) % 5) for place, question in enumerate(QUESTIONNAIRE)}
        studio.annotate(task["id"], [chosen(name, "text", value) for name, value in values.items()])
        said.update({(*WRITTEN[task["data"]["text"]], name): value for name, value in values.items()})
    found = tabulate_answers(read_exports(exported(studio, project, tmp_path)), key, QUESTIONNAIRE, ["system"])
    assert {(each.sample, each.system, each.question): each.value for each in found.itertuples()} == said
    assert found["rater"].nunique() == 1


def test_judgements_come_back(studio: LabelStudio, tmp_path: Path) -> None:
    sheets, key = build_comparison_tasks(candidates(), seed=11)
    project, tasks = imported(studio, build_comparison_config(), sheets)
    for task in tasks:
        (_, first), (_, second) = WRITTEN[task["data"]["first"]], WRITTEN[task["data"]["second"]]
        value = "first" if first < second else "second"
        studio.annotate(task["id"], [chosen(question.name, "first", value) for question in CRITERIA])
    found = tabulate_answers(read_exports(exported(studio, project, tmp_path)), key, CRITERIA, ["first", "second"])
    assert len(found) == len(sheets) * len(CRITERIA)
    assert all((each.value == "first") == (each.first < each.second) for each in found.itertuples())


def test_a_task_that_lacks_the_paper_is_refused(studio: LabelStudio) -> None:
    """So a task that is taken has been checked."""
    project = studio.new_project("incomplete", build_rating_config())
    with pytest.raises(AssertionError, match="paper"):
        studio.import_tasks(project, [{"data": {"item": "x"}}])
