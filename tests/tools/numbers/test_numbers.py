"""Percentages, means of whole numbers, intervals and many tests."""

from __future__ import annotations

import pytest

from state.computed_findings import CheckKind
from tests.tools.numbers.papers import found

LIKERT = "Each was rated on a 5-point Likert scale."
INTERVALS = (
    "| Term | OR | 2.5% | 97.5% |\n|---|---|---|---|\n| Shade | 0.83 | 0.71 | 0.97 |\n| Wood | 1.38 | {} | 1.73 |"
)
TURNED = "| | Frail | Fit |\n|---|---|---|\n| HR | 1.94 | 1 |\n| 95% CI | 1.32 to 2.85 | – |\n| P | {} | – |"


@pytest.mark.parametrize(
    ("kind", "text", "wrong", "right"),
    [
        ("percentage", "It held in {} (8 out of 32) of them.", "20%", "25%"),
        ("percentage", "It affected 108 of 175 patients ({}) in all.", "72%", "62%"),
        ("percentage", "It held in 8 ({}) of 32 plants.", "20%", "25%"),
        ("percentage", "Thirty-one of the 48 pots ({}) were empty.", "54.6%", "64.6%"),
        ("percentage", "More than half of the couples ({}/61, 44%) had children.", "31", "27"),
        ("percentage", "| Event | Tea (n = 40) |\n|---|---|\n| Fall | 10 (25%) |\n| Cough | 10 ({}) |", "20%", "25%"),
        ("mean of whole numbers", f"{LIKERT} They agreed (M = {{}}, SD = 1.07, n = 19).", "3.45", "3.47"),
        (
            "mean of whole numbers",
            "| | A (n = 14) | B (n = 17) |\n|---|---|---|\n| Errors, mean | 8.79 | 6.29 |\n"
            "| Words read, mean | 48.14 | {} |\n\nNote. Errors and words are counts.",
            "51.32",
            "51.29",
        ),
        ("deviation of whole numbers", f"{LIKERT} They agreed (M = 3.50, SD = {{}}, n = 10).", "1.14", "1.18"),
        ("estimate and interval", "The odds rose (OR 1.50, 95% CI {} to 2.20).", "1.72", "1.02"),
        ("estimate and interval", "Marks rose by 3.4 points (95% CI {} to 5.9) in the first year.", "3.9", "1.9"),
        ("estimate and interval", "The estimated slope was {} [95% CI: −0.52, −0.10].", "0.31", "−0.31"),
        ("estimate and interval", INTERVALS, "1.41", "1.10"),
        ("estimate and interval", "It fell (SMD {}, 95% CI −0.15 to 0.23).", "−0.04", "0.04"),
        ("ratio interval", "The odds rose (OR {}, 95% CI 1.02 to 2.20).", "2.10", "1.50"),
        ("ratio interval", "It was more frequent (OR {} (1.21–3.11)).", "2.64", "1.94"),
        ("interval and p-value", "The odds rose (OR 1.50, 95% CI 1.02 to 2.20, p = {}).", "0.30", "0.04"),
        ("interval and p-value", "It fell (mean difference 0.4, 95% CI −0.2 to 1.0, p = {}).", "0.01", "0.19"),
        ("interval and p-value", "It was lower (b = −2.4, SE = 0.6, 95% CI [−3.6, −1.2], p = {}).", ".35", ".001"),
        ("interval and p-value", TURNED, "0.07", "0.001"),
    ],
)
def test_a_number_that_cannot_be_is_found(kind: CheckKind, text: str, wrong: str, right: str):
    (finding,) = found(text.format(wrong), kind)
    assert finding["quote"] in text.format(wrong)
    assert found(text.format(right), kind) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("percentage", "It held in 1% (6/400) of them."),  # 1.5 rounds either way
        ("percentage", "It held in about 20% (7 of 32) of them."),
        ("percentage", "The share of 20% (95% CI 8 to 32) was small."),
        ("percentage", "Two of three eligible studies (93% of the potential data) were small."),
        ("percentage", "| Trait | Tea (n = 40) |\n|---|---|\n| Age, mean (SD) | 45 (12) |"),
        ("mean of whole numbers", "Their weight was high (M = 3.45, SD = 1.07, n = 19)."),
        ("mean of whole numbers", f"{LIKERT} All 25 readers took part. Marks averaged 3.84 for A and 4.18 for B."),
        ("mean of whole numbers", f"{LIKERT} Their mean age was 41.18 (n = 25)."),
        ("mean of whole numbers", "We counted 650 males in the six traps (n = 6; mean = 5.75 per trap night)."),
        ("estimate and interval", "It led to a reduction of 4.18 mmHg (95% CI −5.03 to −3.33)."),
        ("estimate and interval", "In 40 patients (95% CI 2.1 to 3.4) it was so."),
        ("ratio interval", "It was 3.5 times higher in pots with ants (95% CI: 0.9–13.5)."),
        ("interval and p-value", "Beside the field, tillage multiplied loss by 1.12 (95% CI 0.91 to 1.38, p = 0.284)."),
        ("interval and p-value", "The odds ratio was 1.38 (95% CI 0.94 to 2.03), while means differed, P = 0.004."),
    ],
)
def test_what_may_be_is_left_alone(kind: CheckKind, text: str):
    assert found(text, kind) == []


SIX_TESTS = (
    "Mood differed, t(30) = 2.07, p = .047. The others did not: t(30) = 1.20, p = .240. t(30) = 1.00, p = .325. "
    "t(30) = 0.90, p = .375. t(30) = 0.80, p = .430. t(30) = 0.68, p = .502."
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (SIX_TESTS, 1),
        (SIX_TESTS.replace("2.07, p = .047", "3.05, p = .005"), 0),
        (f"{SIX_TESTS} The level was corrected by Bonferroni's method.", 0),
        (SIX_TESTS.replace(" t(30) = 0.68, p = .502.", ""), 0),
    ],
)
def test_many_tests_of_which_few_are_just_significant(text: str, number: int):
    assert len(found(text, "many tests")) == number
