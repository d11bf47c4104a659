"""Tests, intervals and many tests, read by what each number is called, wherever it stands."""

from __future__ import annotations

import pytest

from tests.tools.consistency.papers import found

TURNED = "| | Adults | Children |\n|---|---|---|\n| Q | 12.6 | 4.1 |\n| df | 4 | 5 |\n| P | {p} | 0.54 |"
ANALYSIS = (
    "| Source | df | F | p |\n|---|---|---|---|\n| Material | 2 | 5.37 | .007 |\n| Storage | 1 | 3.94 | {p} |\n"
    "| Error | 54 | | |"
)
TEXT_DEGREES = "The Hosmer–Lemeshow statistic was 13.9 on 8 degrees of freedom (p = {p})."
PAIRS = "Sleep and shifts had a Spearman coefficient of −0.22 among the 48 midwives, with p = {p}."


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [(TURNED, "0.013", "0.13"), (ANALYSIS, ".052", ".005"), (TEXT_DEGREES, "0.084", "0.84"), (PAIRS, "0.13", "0.013")],
)
def test_a_test_has_its_degrees_of_freedom_from_anywhere(text: str, right: str, wrong: str):
    assert found(text.format(p=right), "test and p-value") == []
    assert len(found(text.format(p=wrong), "test and p-value")) == 1


def test_a_correlation_without_a_number_of_pairs_is_left_alone():
    assert found("We tested 12 variables; one correlated (r = .247, p = .002).", "test and p-value") == []


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (
            "| | Frail | Fit |\n|---|---|---|\n| HR | 1.94 | 1 |\n| 95% CI | 1.32 to 2.85 | – |\n| P | 0.07 | – |",
            "interval and p-value",
        ),
        (
            "They used 2.4 more questions than those in the other arm (95% CI 0.6–4.2, p = 0.31).",
            "interval and p-value",
        ),
        ("The odds ratio was 1.38 (95% CI 0.94 to 2.03, eleven studies; P = 0.004).", "interval and p-value"),
        ("The odds ratio was 1.84 (Wald 95% CI 1.22 to 2.46).", "ratio interval"),
    ],
)
def test_an_interval_is_found_whatever_stands_between(text: str, kind: str):
    assert len(found(text, kind)) == 1


def test_the_p_value_of_another_claim_is_not_that_of_an_interval():
    text = "The odds ratio was 1.38 (95% CI 0.94 to 2.03), while the means differed, P = 0.004."
    assert found(text, "interval and p-value") == []


@pytest.mark.parametrize(("named", "number"), [("Zinc", 1), ("Zinc, the primary outcome,", 0)])
def test_a_measure_chosen_before_needs_no_correction(named: str, number: int):
    text = f"{named} was higher (p = 0.038); for the other eleven metals the p-value lay between 0.12 and 0.93."
    assert len(found(text, "many tests")) == number
