"""The questionnaire from candidates to tables: what raters said comes back, for the system that they rated."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evals.human.answers import RaterAnswer
from evals.human.blinding import BlindingKey, HiddenItem
from evals.human.items import rated_texts
from evals.human.label_studio import rating_tasks, read_export
from evals.human.ratings import QUALITIES, QUESTIONNAIRE, Rating, Summary, alphas, ratings, ratings_report, summarise
from evals.reports.document import ReportSection, as_markdown
from state.errors import BadInput
from tests.support.raters import (
    BEGUN,
    WRITTEN,
    Sheet,
    as_json,
    as_json_min,
    candidates,
    write_json,
)

RATERS = (1, 2)
EVERYTHING = [
    (*WRITTEN[text], str(rater), question.name)
    for text in sorted(WRITTEN)
    for rater in RATERS
    for question in QUESTIONNAIRE
]
"""Sample, system, rater and question of all that can be asked."""


@given(st.integers(), st.lists(st.integers(1, 5), min_size=len(EVERYTHING), max_size=len(EVERYTHING)), st.booleans())
@settings(deadline=None, max_examples=25)
def test_what_raters_said_comes_back(
    tmp_path_factory: pytest.TempPathFactory, seed: int, values: list[int], full: bool
) -> None:
    said = {Rating(*asked, value) for asked, value in zip(EVERYTHING, values, strict=True)}
    texts, key = rated_texts(candidates(), seed=seed)
    sheets = [
        Sheet(task, rater, {each.question: str(each.value) for each in said if _is_about(each, task, rater)})
        for rater in RATERS
        for task in rating_tasks(texts)
    ]
    exported = as_json(sheets) if full else as_json_min(sheets)
    path = write_json(tmp_path_factory.mktemp("export") / "export.json", exported)
    assert set(ratings(read_export(path), key)) == said


def _is_about(said: Rating, task: dict[str, Any], rater: int) -> bool:
    return (said.sample, said.system) == WRITTEN[task["data"]["text"]] and said.rater == str(rater)


def answer(value: str, question: str = "readability", **fields: Any) -> RaterAnswer:
    return RaterAnswer(**{"item": "x", "question": question, "rater": "Ada", "value": value, "at": BEGUN, **fields})


def rating(value: int, question: str = "readability", **fields: str) -> Rating:
    return Rating(**{"sample": "s1", "system": "Umber", "rater": "Ada", "question": question, **fields}, value=value)


def means(given: list[Rating], **options: Any) -> dict[tuple[str, str, str], tuple[int, float]]:
    """Number and mean of ratings, by system, question and group."""
    return {
        (each.system, each.question, each.group): (each.ratings, each.value.value)
        for each in summarise(given, **options)
    }


KEY = BlindingKey(seed=0, items={"x": HiddenItem(sample="s1", systems=("Umber",))})


def test_the_newest_answer_counts() -> None:
    later = answer("4", at=BEGUN + timedelta(minutes=1))
    assert ratings([answer("2"), later], KEY) == [rating(4)]
    assert ratings([answer("2"), answer("4", rater="Bob")], KEY) == [rating(2), rating(4, rater="Bob")]


@pytest.mark.parametrize("wrong", [answer("6"), answer("good"), answer("first", "helpfulness"), answer("4", "taste")])
def test_an_answer_that_was_not_offered_is_refused(wrong: RaterAnswer) -> None:
    with pytest.raises(BadInput, match=r"'Ada' answered '.*' to '.*' of 'x', which was not offered"):
        ratings([wrong], KEY)


def test_an_answer_about_something_else_is_refused() -> None:
    with pytest.raises(BadInput, match="'y' is none of the key's texts"):
        ratings([answer("4", item="y")], KEY)


def test_raters_are_split_by_what_they_know_of_the_topic() -> None:
    given = [
        rating(5, "knowledge"),
        rating(2),
        rating(1, "knowledge", rater="Bob"),
        rating(4, rater="Bob"),
        rating(3, rater="Cleo"),
    ]
    found = means(given)
    assert found["Umber", "readability", "all"] == (3, 3.0)
    assert found["Umber", "readability", "within"] == (1, 2.0)
    assert found["Umber", "readability", "outside"] == (1, 4.0)


@pytest.mark.parametrize(("within_from", "group"), [(3.0, "within"), (3.5, "outside"), (1.0, "within")])
def test_the_line_between_them_can_be_drawn_elsewhere(within_from: float, group: str) -> None:
    found = means([rating(3, "knowledge"), rating(2)], within_from=within_from)
    assert ("Umber", "readability", group) in found
    assert len([cell for cell in found if cell[1] == "readability"]) == 2


def test_a_rater_is_on_one_side_for_all_texts_about_a_paper() -> None:
    given = [
        *(rating(value, "knowledge", system=system) for system, value in (("Umber", 2), ("Cobalt", 4))),
        *(rating(5, system=system) for system in ("Umber", "Cobalt")),
        rating(1, "knowledge", sample="s2"),
        rating(1, sample="s2"),
    ]
    found = means(given)
    assert found["Umber", "readability", "within"] == found["Cobalt", "readability", "within"] == (1, 5.0)
    assert found["Umber", "readability", "outside"] == (1, 1.0)


def test_intervals_are_over_papers() -> None:
    agreed = [
        rating(value, sample=sample, rater=str(rater)) for rater in range(50) for sample, value in (("a", 1), ("b", 5))
    ]
    (found,) = summarise(agreed)
    assert found == Summary("Umber", "readability", "all", 100, (3.0, 1.0, 5.0))
    (alone,) = summarise([rating(4), rating(2, rater="Bob")])
    assert alone.value == (3.0, 3.0, 3.0)


def test_agreement_is_on_texts_and_not_on_what_raters_know() -> None:
    given = [
        *(rating(value, sample=sample, rater=rater) for sample, value in (("a", 1), ("b", 4)) for rater in "AB"),
        rating(1, "knowledge", rater="A"),
        rating(5, "knowledge", rater="B"),
    ]
    assert alphas(given) == {"readability": 1.0, "information": None, "authenticity": None, "interest": None}


def grid(given: list[Rating], title: str, **options: Any) -> dict[str, list[str]]:
    """A table of the report: the texts of its cells by the first one."""
    (section,) = [each for each in ratings_report(given, **options).sections if each.title.startswith(title)]
    return rows(section)


def rows(section: ReportSection) -> dict[str, list[str]]:
    assert section.table is not None
    return {
        row.cells[0].text: [f"{cell.text} {cell.detail}".strip() for cell in row.cells[1:]]
        for row in section.table.rows
    }


def test_the_report_has_the_means_and_the_papers_beside() -> None:
    given = [
        rating(4, "knowledge"),
        *(rating(value, quality.name) for quality, value in zip(QUALITIES, (5, 4, 3, 2), strict=True)),
    ]
    whole = ["5.00 [5.00, 5.00]", "4.00 [4.00, 4.00]", "3.00 [3.00, 3.00]", "2.00 [2.00, 2.00]"]
    assert grid(given, "All raters") == {"Umber": ["1", "4.00 [4.00, 4.00]", *whole]}
    within = grid(given, "Within the field")
    assert within["Umber"] == ["1", "4.00 [4.00, 4.00]", *whole]
    assert within["paper: LLM-CLBR"] == ["-", "-", "3.95", "3.60", "3.70", "3.55"]
    outside = grid(given, "Outside the field")
    assert outside == {
        "paper: LLM-CLBR": ["-", "-", "3.65", "3.40", "3.55", "3.20"],
        "paper: GPT-4": ["-", "-", "3.40", "3.55", "3.70", "3.15"],
    }


def test_the_report_tells_where_the_line_was_drawn_and_what_was_not_answered() -> None:
    given = [rating(4, "knowledge"), rating(2)]
    (section,) = [each for each in ratings_report(given, within_from=3.5).sections if each.title.startswith("Within")]
    assert section.title == "Within the field: knowledge of the topic 3.5 or more"
    assert rows(section)["Umber"][2:] == ["2.00 [2.00, 2.00]", "-", "-", "-"]


def test_the_report_tells_how_far_raters_agree() -> None:
    given = [rating(value, sample=sample, rater=rater) for sample, value in (("a", 1), ("b", 4)) for rater in "AB"]
    assert grid(given, "Agreement") == {
        "Readability": ["1.000"],
        "Information": ["-"],
        "Authenticity": ["-"],
        "Interest": ["-"],
    }


def test_the_report_can_be_printed() -> None:
    given = [rating(4, "knowledge"), rating(2), rating(3, system="a|b")]
    text = as_markdown(ratings_report(given))
    assert "3 answers of 1 raters to texts about 1 papers" in text
    assert "| a\\|b | 1 |" in text
