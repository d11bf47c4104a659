"""Statistic, degrees of freedom and p-value."""

from __future__ import annotations

import pytest

from tests.tools.consistency.papers import found

KIND = "test and p-value"


@pytest.mark.parametrize(
    "text",
    [
        "The groups differed, t(38) = 2.20, p = .034.",
        "The groups differed (t(38) = 2.2, p = .03).",  # 2.15 to 2.25 give 0.030 to 0.038
        "The groups differed, *t*(38) = −2.20, *p* < .05.",
        "The groups differed, t(38) = 2.20, p < 0.035.",
        "The groups did not differ, t(38) = 1.20, ns.",
        "The groups did not differ, t(38) = 1.20, p > .05.",
        "There was an effect, F(2, 57) = 4.10, MSE = 3.2, p = .022.",
        "There was an effect of genotype: F3,29=174.077, p<0.001.",
        "They correlated, r(48) = .32, p = .023.",
        "They were associated, χ²(1, N = 90) = 3.84, p = .05.",
        "They were associated, $\\chi^2(2) = 6.10$, $p = .047$.",
        "The share was higher (z = 2.10, p = 0.036).",
        "Studies varied, Q(5) = 12.3, p = .031.",
        "The groups differed, t(38) = 1.90, p = .033, one-tailed.",
        "The groups differed, t(38) = 2.20, p = .10 after Bonferroni correction.",
        "The groups differed, t(21.43) = 2.20, p = .039.",
        "The groups differed, t(38) = 4.41, p = 8.3 × 10−5.",
    ],
)
def test_what_fits_is_left_alone(text: str):
    assert found(text, KIND) == []


@pytest.mark.parametrize(
    ("text", "severity", "computed"),
    [
        ("The groups differed, t(38) = 2.20, p = .012.", "medium", "0.0336 to 0.0343"),
        ("The groups differed, t(38) = 1.20, p = .034.", "high", "0.236 to 0.239"),
        ("The groups did not differ, t(38) = 2.90, p > .05.", "high", "0.00"),
        ("There was an effect, F(2, 57) = 2.10, p = .022.", "high", "0.13"),
        ("They correlated, r(48) = .32, p < .001.", "medium", "0.02"),
        ("They were associated, χ²(1, N = 90) = 1.84, p = .03.", "high", "0.17"),
        ("The share was higher (z = 1.10, p = 0.036).", "high", "0.27"),
        ("Studies varied, Q(5) = 2.3, p = .031.", "high", "0.799"),
        ("The groups differed, t = 1.20, df = 38, p = .034.", "high", "0.236"),
    ],
)
def test_what_does_not_fit_is_found(text: str, severity: str, computed: str):
    (finding,) = found(text, KIND)
    assert finding["severity"] == severity
    assert computed in finding["computation"]
    assert finding["quote"] in text


def test_half_of_a_two_sided_p_is_a_lesser_finding():
    (finding,) = found("The groups differed, t(38) = 2.20, p = .017.", KIND)
    assert finding["severity"] == "low"
    assert "one-sided" in finding["consistent"]


def test_a_p_value_of_another_clause_is_not_taken():
    assert found("F(1, 30) = 0.20 was small. The other had p = .001.", KIND) == []


def test_rows_of_tables_are_read_by_their_header():
    table = "| Measure | t | df | p |\n|---|---|---|---|\n| Fear | 2.20 | 38 | .034 |\n| Mood | 1.20 | 38 | .034 |"
    (finding,) = found(table, KIND)
    assert finding["quote"] == "Mood | 1.20 | 38 | .034"
