"""Percentages, parts, means of whole numbers, intervals."""

from __future__ import annotations

import pytest

from state.computed_findings import CheckKind
from tests.tools.consistency.papers import found

LIKERT = "Each was rated on a 5-point Likert scale."


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("percentage", "It held in 25% (8 out of 32) of them."),
        ("percentage", "It held in 1% (6/400) of them."),  # 1.5 rounds either way
        ("percentage", "It held in about 20% (7 of 32) of them."),
        ("percentage", "It affected 108 of 175 patients (62%) in all."),
        ("percentage", "The share of 20% (95% CI 8 to 32) was small."),
        ("sum of parts", "We asked 120 participants (70 women and 50 men)."),
        ("sum of parts", "In all 120 patients were randomised to rest (n = 60) or walks (n = 60)."),
        ("mean of whole numbers", f"{LIKERT} They agreed (M = 3.47, SD = 1.07, n = 19)."),
        ("mean of whole numbers", "Their weight was high (M = 3.45, SD = 1.07, n = 19)."),
        ("deviation of whole numbers", f"{LIKERT} They agreed (M = 3.47, SD = 1.07, n = 19)."),
        ("estimate and interval", "The odds rose (OR 1.50, 95% CI 1.02 to 2.20)."),
        ("ratio interval", "The odds rose (OR 1.50, 95% CI 1.02 to 2.20)."),
        ("interval and p-value", "The odds rose (OR 1.50, 95% CI 1.02 to 2.20, p = 0.04)."),
        ("interval and p-value", "The difference was small (mean difference 0.4, 95% CI −0.2 to 1.0, p = 0.19)."),
    ],
)
def test_what_fits_is_left_alone(kind: CheckKind, text: str):
    assert found(text, kind) == []


@pytest.mark.parametrize(
    ("kind", "text", "computed"),
    [
        ("percentage", "It held in 20% (8 out of 32) of them.", "25.0%"),
        ("percentage", "It affected 108 of 175 patients (72%) in all.", "61.7%"),
        ("percentage", "It held in 8 (20%) of 32 plants.", "25.0%"),
        ("sum of parts", "We asked 120 participants (70 women and 40 men).", "= 110"),
        ("sum of parts", "In all 120 patients were randomised to rest (n = 60) or walks (n = 50).", "= 110"),
        ("mean of whole numbers", f"{LIKERT} They agreed (M = 3.45, SD = 1.07, n = 19).", "65/19"),
        ("estimate and interval", "The odds rose (OR 1.50, 95% CI 1.72 to 2.20).", "outside"),
        ("ratio interval", "The odds rose (OR 2.10, 95% CI 1.02 to 2.20).", "1.50"),
        ("interval and p-value", "The odds rose (OR 1.50, 95% CI 1.02 to 2.20, p = 0.30).", "leaves out 1"),
        ("interval and p-value", "It fell (mean difference 0.4, 95% CI −0.2 to 1.0, p = 0.01).", "includes 0"),
    ],
)
def test_what_cannot_be_is_found(kind: CheckKind, text: str, computed: str):
    (finding,) = found(text, kind)
    assert computed in finding["computation"]
    assert finding["quote"] in text


def test_no_whole_numbers_have_a_deviation_whose_squares_are_none():
    (finding,) = found(f"{LIKERT} They agreed (M = 3.50, SD = 1.14, n = 10).", "deviation of whole numbers")
    assert "35" in finding["computation"]


def test_cells_below_a_group_of_known_size():
    table = "| Event | Tea (n = 40) |\n|---|---|\n| Fall | 10 (25%) |\n| Cough | 10 (20%) |"
    (finding,) = found(table, "percentage")
    assert finding["quote"] == "Cough | 10 (20%)"


@pytest.mark.parametrize(
    ("kind", "table", "row"),
    [
        (
            "percentage",
            "| Age | Tested | Positive (%) |\n|---|---|---|\n| 0 | 310 | 22 (7.1) |\n"
            "| 1 | 905 | 118 (13.0) |\n| 2 | 264 | 51 (13.9) |",
            "2 | 264 | 51 (13.9)",
        ),
        (
            "sum of parts",
            "| Year | Cape | Marsh | All |\n|---|---|---|---|\n"
            "| 2016 | 412 | 288 | 700 |\n| 2017 | 390 | 305 | 965 |\n| 2018 | 5 | 6 | 11 |",
            "2017 | 390 | 305 | 965",
        ),
        (
            "estimate and interval",
            "| Term | OR | 2.5% | 97.5% |\n|---|---|---|---|\n"
            "| Shade | 0.83 | 0.71 | 0.97 |\n| Wood | 1.38 | 1.41 | 1.73 |",
            "Wood | 1.38 | 1.41 | 1.73",
        ),
    ],
)
def test_a_row_that_is_unlike_the_others_of_its_table(kind: CheckKind, table: str, row: str):
    assert [each["quote"] for each in found(table, kind)] == [row]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("percentage", "Among the 58 ships, 13 (40%) carried timber, 17 (29%) salt and 11 (19%) grain."),
        (
            "sum of parts",
            "We caught 347 moths at the lamps. Of these, 188 were males, 129 were females and ten unknown.",
        ),
        ("estimate and interval", "Marks rose by 3.4 points (95% CI 3.9 to 5.9) in the first year."),
    ],
)
def test_what_a_list_contradicts(kind: CheckKind, text: str):
    assert len(found(text, kind)) == 1
