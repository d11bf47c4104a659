"""The questionnaire from candidates to tables: what raters said comes back, for the system that they rated."""

from __future__ import annotations

from typing import Any

import pytest
from pandas import DataFrame

from evals.human.blinding import BlindingKey, HiddenItem
from evals.human.judgements import build_ratings_report, tabulate_answers
from evals.human.label_studio import QUALITIES, QUESTIONNAIRE, RaterAnswer
from evals.reports.document import render_report_markdown
from state.errors import InputError
from tests.support.raters import BEGUN
from tests.support.report_files import lines


def answer(value: str, question: str = "readability", **fields: Any) -> RaterAnswer:
    return RaterAnswer(**{"item": "x", "question": question, "rater": "Ada", "value": value, "at": BEGUN, **fields})


def rating(value: int, question: str = "readability", **fields: str) -> dict[str, Any]:
    return {"sample": "s1", "system": "Umber", "rater": "Ada", "question": question, **fields, "value": value}


def reported(given: list[dict[str, Any]], group: str, **options: Any) -> dict[str, list[str]]:
    """The cells of a group's means, by the system."""
    text = render_report_markdown(build_ratings_report(DataFrame(given), **options))
    (title,) = [line.removeprefix("## ") for line in text.splitlines() if line.startswith(f"## {group}")]
    return {line[0]: line[1:] for line in lines(text, title)}


KEY = BlindingKey(seed=0, items={"x": HiddenItem(sample="s1", systems=("Umber",))})


@pytest.mark.parametrize("wrong", [answer("6"), answer("good"), answer("first", "helpfulness"), answer("4", "taste")])
def test_an_answer_that_was_not_offered_is_refused(wrong: RaterAnswer) -> None:
    with pytest.raises(InputError, match=r"'Ada' answered '.*' to '.*' of 'x', which was not offered"):
        tabulate_answers([wrong], KEY, QUESTIONNAIRE, ["system"])


def test_raters_are_split_by_what_they_know_of_the_topic() -> None:
    given = [
        rating(5, "knowledge"),
        rating(2),
        rating(1, "knowledge", rater="Bob"),
        rating(4, rater="Bob"),
        rating(3, rater="Cleo"),
    ]
    assert reported(given, "All raters")["Umber"][:3] == ["3", "3.00 [3.00, 3.00]", "3.00 [3.00, 3.00]"]
    assert reported(given, "Within the field")["Umber"][2] == "2.00 [2.00, 2.00]"
    assert reported(given, "Outside")["Umber"][2] == "4.00 [4.00, 4.00]"


def test_a_rater_is_on_one_side_for_all_texts_about_a_paper() -> None:
    given = [
        *(rating(value, "knowledge", system=system) for system, value in (("Umber", 2), ("Cobalt", 4))),
        *(rating(5, system=system) for system in ("Umber", "Cobalt")),
        rating(1, "knowledge", sample="s2"),
        rating(1, sample="s2"),
    ]
    within = reported(given, "Within")
    assert within["Umber"][2] == within["Cobalt"][2] == "5.00 [5.00, 5.00]"
    assert reported(given, "Outside")["Umber"][2] == "1.00 [1.00, 1.00]"


def test_intervals_are_over_papers() -> None:
    agreed = [
        rating(value, sample=sample, rater=str(rater)) for rater in range(50) for sample, value in (("a", 1), ("b", 5))
    ]
    assert reported(agreed, "All raters")["Umber"] == ["100", "-", "3.00 [1.00, 5.00]", "-", "-", "-"]


def test_the_report_has_the_means_and_the_papers_beside() -> None:
    given = [
        rating(4, "knowledge", system="a|b"),
        *(rating(value, each.name, system="a|b") for each, value in zip(QUALITIES, (5, 4, 3, 2), strict=True)),
    ]
    whole = [f"{value}.00 [{value}.00, {value}.00]" for value in (4, 5, 4, 3, 2)]
    assert reported(given, "All raters") == {"a\\|b": ["1", *whole]}
    assert reported(given, "Within the field")["paper: LLM-CLBR"] == ["-", "-", "3.95", "3.60", "3.70", "3.55"]
    assert reported(given, "Outside the field") == {
        "paper: LLM-CLBR": ["-", "-", "3.65", "3.40", "3.55", "3.20"],
        "paper: GPT-4": ["-", "-", "3.40", "3.55", "3.70", "3.15"],
    }
    assert "5 answers of 1 raters to texts about 1 papers" in render_report_markdown(
        build_ratings_report(DataFrame(given))
    )
