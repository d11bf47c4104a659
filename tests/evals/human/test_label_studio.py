"""Label Studio's side: what its configuration must hold to, and exports read."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evals.human.blinding import build_comparison_tasks, build_rating_tasks
from evals.human.label_studio import (
    CRITERIA,
    QUESTIONNAIRE,
    SurveyQuestion,
    build_comparison_config,
    build_rating_config,
    read_exports,
)
from tests.support.raters import Sheet, as_json, candidates, write_json

CONFIGS = pytest.mark.parametrize(
    ("config", "questions"),
    [(build_rating_config(), QUESTIONNAIRE), (build_comparison_config(), CRITERIA)],
    ids=["ratings", "comparisons"],
)
TASKS, _ = build_rating_tasks(candidates(), seed=3)
ANSWERS = {"knowledge": "2", "readability": "5"}


@CONFIGS
def test_every_question_must_be_answered_and_has_all_its_answers(
    config: str, questions: tuple[SurveyQuestion, ...]
) -> None:
    asked = list(ElementTree.fromstring(config).iter("Choices"))
    assert {each.get("name"): [(choice.get("alias"), choice.get("value")) for choice in each] for each in asked} == {
        question.name: list(question.options.items()) for question in questions
    }
    assert all((each.get("required"), each.get("choice")) == ("true", "single-radio") for each in asked)


@CONFIGS
def test_names_are_unique_and_questions_are_about_something(config: str, questions: tuple[SurveyQuestion, ...]) -> None:
    names = re.findall(r'\bname="([^"]*)"', config)  # as Label Studio checks them
    assert len(set(names)) == len(names)
    assert set(re.findall(r'\btoName="([^"]*)"', config)) <= set(names)


@pytest.mark.parametrize(
    ("config", "tasks"),
    [(build_rating_config(), TASKS), (build_comparison_config(), build_comparison_tasks(candidates(), seed=3)[0])],
    ids=["ratings", "comparisons"],
)
def test_tasks_have_the_fields_that_are_shown(config: str, tasks: list[dict[str, dict[str, str]]]) -> None:
    shown = set(re.findall(r'value="\$(\w+)"', config))
    assert all(shown <= set(task["data"]) for task in tasks)
    assert all(isinstance(value, str) for task in tasks for value in task["data"].values())


def test_an_export_holds_what_was_answered_in_the_order_in_which_it_was(tmp_path: Path) -> None:
    sheets = [Sheet(TASKS[0], 7, ANSWERS), Sheet(TASKS[1], 8, {"readability": "1"})]
    exported = as_json(sheets)
    paths = [write_json(tmp_path / f"{n}.json", [each]) for n, each in enumerate(exported[::-1])]
    items = [task["data"]["item"] for task in TASKS]
    assert [(each.item, each.question, each.rater, each.value) for each in read_exports(paths)] == [
        *((items[0], question, "7", value) for question, value in ANSWERS.items()),
        (items[1], "readability", "8", "1"),
    ]


def test_skipped_tasks_and_what_a_team_asks_besides_are_passed_over(tmp_path: Path) -> None:
    (skipped,) = as_json([Sheet(TASKS[0], 7, ANSWERS)], was_cancelled=True)
    (other,) = as_json([Sheet(TASKS[0], 7, {"taste": "good"})])
    other["annotations"][0]["result"] += [
        {"type": "relation", "from_id": "a", "to_id": "b"},
        {"type": "textarea", "from_name": "readability", "value": {"text": ["Nice."]}},
        {"type": "taxonomy", "from_name": "branch", "value": {"choices": [["a", "b"]]}},
    ]
    assert read_exports([write_json(tmp_path / "export.json", [skipped, other])]) == []


@pytest.mark.parametrize(
    ("completed_by", "rater"),
    [
        (7, "7"),
        ("ada@example.org", "ada@example.org"),
        ({"id": 7, "email": "ada@example.org", "first_name": "Ada"}, "ada@example.org"),
        ({"id": 7, "email": ""}, "7"),
    ],
)
def test_a_rater_is_known_by_whatever_label_studio_tells(tmp_path: Path, completed_by: Any, rater: str) -> None:
    exported = as_json([Sheet(TASKS[0], 7, ANSWERS)], completed_by=completed_by)
    assert {each.rater for each in read_exports([write_json(tmp_path / "export.json", exported)])} == {rater}
