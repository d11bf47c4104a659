"""Percentages, means of whole numbers, intervals and many tests."""

from __future__ import annotations

import pytest

from state.computed_findings import CheckKind
from tests.tools.numbers.papers import found

GROUPS = "Tea (M = 3.50, SD = 1.10, n = 20) tasted better than water (M = 2.90, SD = 1.20, n = 20)"
LIKERT = "Each was rated on a 5-point Likert scale."
INTERVALS = (
    "| Term | OR | 2.5% | 97.5% |\n|---|---|---|---|\n| Shade | 0.83 | 0.71 | 0.97 |\n| Wood | 1.38 | {} | 1.73 |"
)
SHARES = (
    "| | Tea (n = 40) | | Water (n = 30) | |\n|---|---|---|---|---|\n| | n | % | n | % |\n| Fall | 10 | {} | 9 | 30 |"
)
MODEL = "| | b | SE | OR | 95% CI | p |\n|---|---|---|---|---|---|\n| Age | 0.41 | 0.2 | {} | 1.02, 2.20 | .04 |"
TWO_GROUPS = (
    "| | Tea (n = 20) | | Water (n = 20) | | | |\n|---|---|---|---|---|---|---|\n| | M | SD | M | SD | t(38) | p |\n"
    "| Taste | 3.50 | 1.10 | 2.90 | 1.20 | {} | .11 |"
)
TURNED = "| | Frail | Fit |\n|---|---|---|\n| HR | 1.94 | 1 |\n| 95% CI | 1.32 to 2.85 | – |\n| P | {} | – |"


@pytest.mark.parametrize(
    ("kind", "text", "wrong", "right"),
    [
        ("percentage", "It held in {} (8 out of 32) of them.", "20%", "25%"),
        ("percentage", "It affected 108 of 175 patients ({}) in all.", "72%", "62%"),
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
        ("estimate and interval", "The estimated slope was {} [95% CI: −0.52, −0.10].", "0.31", "−0.31"),
        ("estimate and interval", INTERVALS, "1.41", "1.10"),
        ("estimate and interval", MODEL, "0.41", "1.50"),
        ("estimate and interval", "It fell (SMD {}, 95% CI −0.15 to 0.23).", "−0.04", "0.04"),
        ("ratio interval", "The odds rose (OR {}, 95% CI 1.02 to 2.20).", "2.10", "1.50"),
        ("ratio interval", "It was more frequent (OR {} (1.21–3.11)).", "2.64", "1.94"),
        ("interval and p-value", "The odds rose (OR 1.50, 95% CI 1.02 to 2.20, p = {}).", "0.30", "0.04"),
        ("interval and p-value", "It fell (mean difference 0.4, 95% CI −0.2 to 1.0, p = {}).", "0.01", "0.19"),
        ("interval and p-value", "It was lower (b = −2.4, SE = 0.6, 95% CI [−3.6, −1.2], p = {}).", ".35", ".001"),
        ("interval and p-value", TURNED, "0.07", "0.001"),
        ("percentage", SHARES, "20", "25"),
        ("test and group means", TWO_GROUPS, "2.65", "1.65"),
        ("test and group means", f"{GROUPS}, t(38) = {{}}, p = .11.", "2.65", "1.65"),
        ("test and group means", f"{GROUPS}, d = {{}}.", "0.82", "0.52"),
        ("test and group means", f"{GROUPS}, t(38) = {{}}, p = .72.", "0.63", "0.37"),  # these are standard errors
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
        ("percentage", "| Trait | Tea (n = 40) |\n|---|---|\n| Age, mean (SD) | 45 (12) |"),
        ("mean of whole numbers", "| | n | % |\n|---|---|---|\n| Women | 13 | 40.0 |\n| Men | 20 | 60.0 |"),
        (
            "mean of whole numbers",
            "Table 1. Mass\n\n| Group | n | M |\n|---|---|---|\n| A | 28 | 5.19 |\n\n"
            "Table 2. Marks, a single-item scale\n\n| Group | n | M |\n|---|---|---|\n| A | 28 | 5.21 |",
        ),
        ("mean of whole numbers", "Their weight was high (M = 3.45, SD = 1.07, n = 19)."),
        (
            "deviation of whole numbers",
            "Shares between 0 and 1 came from a binary model (M = 0.53, SD = 0.20, n = 40).",
        ),
        ("interval and p-value", "The odds rose (OR 1.50, 95% CI 1.02 to 2.20, p = .30 for interaction)."),
        (
            "interval and p-value",
            "| Stage | OR (95% CI) | p |\n|---|---|---|\n| II | 1.1 (0.8–1.5) | .01 |\n| III | 2.0 (1.3–3.1) | |",
        ),
        ("percentage", "| Event | n (weighted %) (n = 40) |\n|---|---|\n| Fall | 10 (20) |"),
        ("test and group means", f"{GROUPS}, t(19) = 2.65, p = .016."),  # paired
        ("interval and p-value", "Beside the field, tillage multiplied loss by 1.12 (95% CI 0.91 to 1.38, p = 0.284)."),
        ("interval and p-value", "It fell (b = -0.15, 95% CI [-0.21 -0.08], p < .001)."),
        ("interval and p-value", "The odds ratio was 1.38 (95% CI 0.94 to 2.03), while means differed, P = 0.004."),
        ("estimate and interval", "We could detect an odds ratio of 1.5 [12,13]."),
    ],
)
def test_what_may_be_is_left_alone(kind: CheckKind, text: str):
    assert found(text, kind) == []


# Verdicts of scrutiny's and rsprite2's unit tests (MIT): mean or percentage, deviation, n, items, possible.
VERDICTS = [
    ("5.19", "", 28, "single", False),
    ("5.21", "", 28, "single", True),
    ("0.154", "", 120, "three", False),
    ("0.155", "", 120, "three", False),
    ("0.83", "", 28, "two", False),
    ("0.86", "", 28, "two", True),
    ("67.4", "%", 150, "", False),
    ("54.0", "%", 150, "", True),
    ("5.23", "2.55", 35, "single", False),
    ("3.44", "2.47", 18, "single", False),
    ("2.57", "2.57", 30, "single", True),
    ("0.19", "0.35", 1683, "binary", False),
    ("0.12", "0.33", 1683, "binary", True),
]


@pytest.mark.parametrize(("mean", "deviation", "n", "items", "possible"), VERDICTS)
def test_verdicts_of_grim_grimmer_and_debit(mean: str, deviation: str, n: int, items: str, possible: bool):
    scale = "a binary answer" if items == "binary" else f"a {items}-item scale of 7-point ratings"
    pair = f"M = {mean}, {f'SD = {deviation}, ' if deviation else ''}n = {n}"
    values = f"| n | M | SD |\n|---|---|---|---|\n| Tea | {n} | {mean} | {deviation} |"
    texts = [f"They gave {scale} ({pair}).", f"Table 1. Results of {scale}\n\n| Group {values}"]
    if deviation == "%":
        rows = f"| Answer | Participants (n = {n}), % |\n|---|---|\n| Yes | {mean} |"
        texts = [f"It was so for {mean}% of the {n} participants.", f"Table 1. Answers\n\n{rows}"]
    for text in texts:
        findings = [*found(text, "mean of whole numbers"), *found(text, "deviation of whole numbers")]
        assert bool(findings) is not possible


@pytest.mark.parametrize(
    ("kind", "text", "explanation"),
    [
        ("mean of whole numbers", f"{LIKERT} They agreed (M = 3.45, n = 19).", "means of several items"),
        ("deviation of whole numbers", "The single-item mark was low (M = 5.23, SD = 2.55, n = 35).", "in place of 34"),
        ("percentage", "| Event | Tea (n = 40) |\n|---|---|\n| Fall | 10 (27%) |", "of a block of rows"),
        ("percentage", "The method saved 61.5% (462/1200 records).", "the share of the others"),
        ("estimate and interval", "The slope was 0.31 [95% CI −0.52, −0.10].", "a sign in words"),
        ("estimate and interval", "They differed, Cohen’s d = 8.54, 95% CI = −2.33 to −2.30.", "a mean difference"),
        ("interval and p-value", "The odds rose (OR 1.50, 95% CI 1.02 to 2.20, p = .06).", "of two methods"),
        (
            "interval and p-value",
            "By Holm’s method, the odds rose (OR 1.50, 95% CI 1.02 to 2.20, p = .40).",
            "the p-value is adjusted",
        ),
    ],
)
def test_what_could_explain_a_finding_makes_it_less_severe(kind: CheckKind, text: str, explanation: str):
    findings = found(text, kind)
    assert findings
    for finding in findings:
        assert finding["severity"] == "low"
        assert explanation in " ".join(finding["explanations"])


SIX_TESTS = (
    "Mood differed, t(30) = 2.07, p = .047. The others did not: t(30) = 1.20, p = .240. t(30) = 1.00, p = .325. "
    "t(30) = 0.90, p = .375. t(30) = 0.80, p = .430. t(30) = 0.68, p = .502."
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (SIX_TESTS, 1),
        (SIX_TESTS.replace("2.07, p = .047", "3.05, p = .005"), 0),
        (f"{SIX_TESTS} Fear differed, t(30) = 4.20, p < .001.", 0),
        (f"{SIX_TESTS} The level was corrected by Bonferroni's method.", 0),
        (SIX_TESTS.replace(" t(30) = 0.68, p = .502.", ""), 0),
    ],
)
def test_many_tests_of_which_few_are_just_significant(text: str, number: int):
    assert len(found(text, "many tests")) == number
