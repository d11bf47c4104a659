"""A training plan is used only if it is what it should be."""

from __future__ import annotations

import pytest

from tests.training.toy_plans import in_form
from training.plan_reranker.generate import flaw
from training.plan_reranker.plans import pertinence
from training.plan_reranker.writing import Written

PARAGRAPH = "Seedlings were watered with diluted vinegar, and their stems were measured weekly."
REVIEW = "The concentration of the vinegar should be stated."

OPTIMAL = in_form("What concentration did the diluted vinegar have?")
GENERIC = in_form("Which details of the seedlings are missing?")


def flaw_of(plan: str, written: Written) -> str | None:
    return flaw(plan, written, paragraph=PARAGRAPH, review=REVIEW)


def test_plans_that_are_what_they_should_be_are_used() -> None:
    assert flaw_of(OPTIMAL, "optimal") is None
    assert flaw_of(GENERIC, "generic") is None
    assert flaw_of(GENERIC, "sampled") is None


def test_an_optimal_plan_asks_about_the_review() -> None:
    assert flaw_of(GENERIC, "optimal") == "asks about nothing in the review"


@pytest.mark.parametrize("written", ["optimal", "generic", "sampled"])
def test_every_plan_asks_about_the_paragraph(written: Written) -> None:
    plan = in_form("How many teachers answered the questionnaire?")
    assert flaw_of(plan, written) == "asks about nothing in the paragraph"


def test_the_form_of_a_plan_says_nothing_about_the_review() -> None:
    assert pertinence(OPTIMAL, REVIEW) == pytest.approx(2 / 3)
    assert pertinence(OPTIMAL, "An investigator, a paper and a reviewer write literature.") == 0
    assert pertinence("", REVIEW) == 0
