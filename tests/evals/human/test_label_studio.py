"""Label Studio's side: what its configuration must hold to, and exports read in both formats."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from evals.human.answers import AnswerStore, SurveyQuestion
from evals.human.items import comparisons, rated_texts
from evals.human.judgements import CRITERIA
from evals.human.label_studio import (
    collect_answers,
    comparison_config,
    comparison_tasks,
    rating_config,
    rating_tasks,
    read_export,
)
from evals.human.ratings import QUESTIONNAIRE
from state.errors import BadInput
from tests.support.raters import LINK, Sheet, as_json, as_json_min, candidates, write_json

CONFIGS = pytest.mark.parametrize(
    ("config", "questions"),
    [(rating_config(), QUESTIONNAIRE), (comparison_config(), CRITERIA)],
    ids=["ratings", "comparisons"],
)
FORMATS = pytest.mark.parametrize("export", [as_json, as_json_min])

TEXTS, _ = rated_texts(candidates(), seed=3)
TASKS = rating_tasks(TEXTS)
ANSWERS = {"knowledge": "2", "readability": "5"}


@CONFIGS
def test_every_question_is_asked_with_all_its_answers(config: str, questions: tuple[SurveyQuestion, ...]) -> None:
    asked = {
        choices.get("name"): [(choice.get("alias"), choice.get("value")) for choice in choices]
        for choices in ElementTree.fromstring(config).iter("Choices")
    }
    assert asked == {question.name: list(question.options) for question in questions}


@CONFIGS
def test_no_question_can_be_left_out(config: str, questions: tuple[SurveyQuestion, ...]) -> None:
    found = list(ElementTree.fromstring(config).iter("Choices"))
    assert all((each.get("required"), each.get("choice")) == ("true", "single-radio") for each in found)


@CONFIGS
def test_names_are_unique_and_questions_are_about_something(config: str, questions: tuple[SurveyQuestion, ...]) -> None:
    names = re.findall(r'\bname="([^"]*)"', config)  # as Label Studio checks them
    assert len(set(names)) == len(names)
    assert set(re.findall(r'\btoName="([^"]*)"', config)) <= set(names)


@pytest.mark.parametrize(
    ("config", "tasks"),
    [(rating_config(), TASKS), (comparison_config(), comparison_tasks(comparisons(candidates(), seed=3)[0]))],
    ids=["ratings", "comparisons"],
)
def test_tasks_have_the_fields_that_are_shown(config: str, tasks: list[dict[str, dict[str, str]]]) -> None:
    shown = set(re.findall(r'value="\$(\w+)"', config))
    assert all(shown <= set(task["data"]) for task in tasks)
    assert all(isinstance(value, str) for task in tasks for value in task["data"].values())


def test_a_scale_has_five_points_that_say_what_they_mean() -> None:
    for question in QUESTIONNAIRE:
        assert [option.value for option in question.options] == ["1", "2", "3", "4", "5"]
        assert all(re.fullmatch(rf"{option.value}: \w.+", option.text) for option in question.options)


def test_the_paper_and_the_article_stand_in_columns_of_one_row() -> None:
    rows = [view for view in ElementTree.fromstring(rating_config()).iter("View") if "flex;" in view.get("style", "")]
    columns = [[text.get("value") for text in column.iter("Text")] for row in rows for column in row]
    assert columns == [["$paper"], ["$text"]]


def test_the_link_is_one_that_can_be_clicked() -> None:
    sheets, _ = comparisons(candidates(), seed=3)
    anchor = comparison_tasks(sheets)[0]["data"]["anchor"]
    escaped = LINK.replace("&", "&amp;")
    assert anchor == f'<a href="{escaped}" target="_blank" rel="noopener noreferrer">{escaped}</a>'
    without = [sheet.model_copy(update={"link": ""}) for sheet in sheets]
    assert comparison_tasks(without)[0]["data"]["anchor"] == ""


def test_a_link_cannot_break_out_of_its_attribute() -> None:
    sheets, _ = comparisons(candidates(), seed=3)
    hostile = sheets[0].model_copy(update={"link": 'https://x/"><script>alert(1)</script>'})
    assert "<script>" not in comparison_tasks([hostile])[0]["data"]["anchor"]


@FORMATS
def test_an_export_holds_what_was_answered(tmp_path: Path, export: Any) -> None:
    path = write_json(tmp_path / "export.json", export([Sheet(TASKS[0], 7, ANSWERS)]))
    found = [(each.item, each.question, each.rater, each.value) for each in read_export(path)]
    assert found == [(TEXTS[0].item, question, "7", value) for question, value in ANSWERS.items()]


@FORMATS
def test_answers_come_in_the_order_in_which_they_were_given(tmp_path: Path, export: Any) -> None:
    exported = export([Sheet(TASKS[0], rater, {"readability": str(rater)}) for rater in (1, 2, 3)])
    path = write_json(tmp_path / "export.json", exported[::-1])
    assert [each.rater for each in read_export(path)] == ["1", "2", "3"]


@FORMATS
def test_what_a_team_asks_besides_is_passed_over(tmp_path: Path, export: Any) -> None:
    exported = export([Sheet(TASKS[0], 7, {"readability": "5", "remarks": "Nice."})])
    path = write_json(tmp_path / "export.json", exported)
    assert [each.question for each in read_export(path)] == ["readability"]


def test_skipped_tasks_and_other_results_are_passed_over(tmp_path: Path) -> None:
    (skipped,) = as_json([Sheet(TASKS[0], 7, ANSWERS)], was_cancelled=True)
    (other,) = as_json([Sheet(TASKS[1], 7, {})])
    other["annotations"][0]["result"] = [
        {"type": "relation", "from_id": "a", "to_id": "b"},
        {"type": "textarea", "from_name": "readability", "value": {"text": ["Nice."]}},
        {"type": "taxonomy", "from_name": "branch", "value": {"choices": [["a", "b"]]}},
    ]
    assert read_export(write_json(tmp_path / "export.json", [skipped, other])) == []


def test_a_task_without_answers_is_passed_over_in_json_min(tmp_path: Path) -> None:
    (record,) = as_json_min([Sheet(TASKS[0], 7, ANSWERS)])
    nobody = {**record, "annotator": None, "updated_at": None}
    assert read_export(write_json(tmp_path / "export.json", [nobody])) == []


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
    found = read_export(write_json(tmp_path / "export.json", exported))
    assert {each.rater for each in found} == {rater}


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ([{"data": {"text": "x"}, "annotations": []}], r"`0\.JSON\.data\.item`: field required"),
        ([{"item": "a"}], r"`0\.JSON-MIN\.annotator`: field required"),
        ({"tasks": []}, "`value`: input should be a valid"),
    ],
)
def test_what_is_no_export_is_refused(tmp_path: Path, content: Any, problem: str) -> None:
    path = write_json(tmp_path / "export.json", content)
    with pytest.raises(BadInput, match=rf"export\.json is no JSON or JSON-MIN export .*{problem}"):
        read_export(path)


def test_answers_of_several_places_are_put_together(tmp_path: Path) -> None:
    full = write_json(tmp_path / "full.json", as_json([Sheet(TASKS[0], 1, {"readability": "4"})]))
    flat = write_json(tmp_path / "flat.json", as_json_min([Sheet(TASKS[0], 2, {"readability": "3"})] * 2))
    store = AnswerStore(tmp_path / "page.jsonl")
    for answer in read_export(full):
        store.add(answer.model_copy(update={"rater": "Ada"}))
    found = collect_answers([flat, store.path, full])
    assert [each.rater for each in found] == ["2", "Ada", "1", "2"]
    assert found == sorted(found, key=lambda each: each.at)


def test_a_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere\.json cannot be read"):
        collect_answers([tmp_path / "nowhere.json"])
