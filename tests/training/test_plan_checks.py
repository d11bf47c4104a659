"""A training plan is used only if it is what it should be."""

from __future__ import annotations

from typing import Any

import pytest

from tests.training.toy_plans import in_form
from training.plan_reranker.generate import assemble, flaw, pertinence
from training.plan_reranker.writing import Criterion

PARAGRAPH = "Seedlings were watered with diluted vinegar, and their stems were measured weekly."
REVIEW = "The concentration of the vinegar should be stated."
ELSEWHERE = "The questionnaire was answered by too few teachers."

OPTIMAL = in_form("What concentration did the diluted vinegar have?")
INCOHERENT = in_form("How many teachers answered the questionnaire?")
GENERIC = in_form("Which details of the seedlings are missing?")


def flaw_of(
    plan: str, criterion: Criterion, *, comment: str = REVIEW, repairs: tuple[str, ...] = (), fewest: int = 1
) -> str | None:
    written = {"plan": plan, "repairs": list(repairs), "calls": []}
    return flaw(written, criterion, paragraph=PARAGRAPH, review=REVIEW, comment=comment, fewest=fewest)  # type: ignore[arg-type]


def test_plans_that_are_what_they_should_be_are_used() -> None:
    assert flaw_of(OPTIMAL, "optimal") is None
    assert flaw_of(INCOHERENT, "coherence", comment=ELSEWHERE) is None
    assert flaw_of("I would first look up the vinegar. Then I would write.", "structure") is None
    assert flaw_of(GENERIC, "specificity") is None


def test_an_optimal_plan_that_had_to_be_repaired_is_not_used() -> None:
    assert flaw_of(OPTIMAL, "optimal", repairs=("It asked twice.",)) == "It asked twice."
    assert flaw_of(GENERIC, "specificity", repairs=("It asked twice.",)) is None


def test_an_optimal_plan_asks_about_the_paragraph_and_the_review() -> None:
    assert flaw_of(INCOHERENT, "optimal") == "asks about nothing in the paragraph"
    assert flaw_of(in_form("How were the seedlings chosen?"), "optimal") == "asks about nothing in the review"


def test_a_generic_plan_is_about_the_paragraph_all_the_same() -> None:
    assert flaw_of(in_form("Which details are missing here?"), "specificity") == "asks about nothing in the paragraph"


def test_a_plan_that_lacks_coherence_takes_up_the_other_comment() -> None:
    assert flaw_of(OPTIMAL, "coherence", comment=ELSEWHERE) == "takes nothing from the comment on another paragraph"


@pytest.mark.parametrize("plan", [OPTIMAL, "1) Investigator: look it up.\n2) Write.", "Plan:\n 2. reviewer, write."])
def test_a_plan_that_lacks_structure_has_none_of_it(plan: str) -> None:
    assert flaw_of(plan, "structure") == "has the structure that it should lack"


@pytest.mark.parametrize(
    "plan", ["To review this paragraph, I would take these steps:", "I would look up the vinegar."]
)
def test_a_plan_in_free_form_asks_no_less_than_the_others(plan: str) -> None:
    assert flaw_of(plan, "structure", fewest=2) == "says less than the other plans"
    assert flaw_of(OPTIMAL, "coherence", fewest=3) == "says less than the other plans"


def test_the_form_of_a_plan_says_nothing_about_the_review() -> None:
    assert pertinence(OPTIMAL, REVIEW) == pytest.approx(2 / 3)
    assert pertinence(OPTIMAL, "An investigator, a paper and a reviewer write literature.") == 0
    assert pertinence("", REVIEW) == 0


PAIR = {
    "id": "p1",
    "paper_id": "a",
    "split": "dev",
    "section": "Methods",
    "paragraph": PARAGRAPH,
    "aspect": "Replicability",
    "feedback": REVIEW,
}


def log_of(pair: str = "p1", **plans: str | None) -> list[dict[str, Any]]:
    usual = {"optimal": OPTIMAL, "coherence": INCOHERENT, "structure": "I would look.", "specificity": GENERIC}
    return [{"id": pair, "criterion": name, "plan": plan, "model": "m"} for name, plan in {**usual, **plans}.items()]


def test_a_paragraph_with_all_plans_is_kept() -> None:
    ((record,), lost) = assemble([PAIR], log_of())
    assert record["plans"]["optimal"] == OPTIMAL
    assert (record["review"], record["model"], record["aspect"]) == (REVIEW, "m", "Replicability")
    assert not lost


def test_a_model_that_is_not_led_astray_gets_the_plan_of_another_paper() -> None:
    other, two = in_form("How many pupils were asked?"), in_form("How many pupils were asked?", "How old were they?")
    pairs = [
        PAIR,
        *({**PAIR, "id": each, "paper_id": paper} for each, paper in (("p2", "b"), ("p3", "b"), ("p4", "a"))),
    ]
    log = [*log_of(coherence=None), *log_of("p2", optimal=other), *log_of("p3", optimal=two), *log_of("p4")]
    records, _ = assemble(pairs, log)
    record = next(each for each in records if each["id"] == "p1")
    assert (record["plans"]["coherence"], record["coherence_of"]) == (other, "p2")
    assert [each["coherence_of"] for each in records if each["id"] == "p4"] == [None]


def test_what_is_missing_is_counted() -> None:
    records, lost = assemble([PAIR, {**PAIR, "id": "p2"}], log_of(coherence=None))
    assert records == []
    assert lost == {"optimal": 1, "coherence": 2, "structure": 1, "specificity": 1}


def test_a_generic_plan_that_is_as_specific_as_the_optimal_one_does_not_count() -> None:
    records, lost = assemble([PAIR], log_of(specificity=OPTIMAL))
    assert records == []
    assert lost == {"as specific as the optimal one": 1}
