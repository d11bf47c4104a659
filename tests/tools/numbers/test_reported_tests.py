"""Statistic, degrees of freedom and p-value."""

from __future__ import annotations

import pytest

from tests.tools.numbers.papers import found

KIND = "test and p-value"


@pytest.mark.parametrize(
    "text",
    [
        "The groups differed, t(38) = 2.20, p = .034.",
        "The groups differed (t(38) = 2.2, p = .03).",  # 2.15 to 2.25 give 0.030 to 0.038
        "The groups differed, *t*(38) = −2.20, *p* < .05.",
        "The groups did not differ, t(38) = 1.20, ns.",
        "There was an effect of genotype: F3,29=174.077, p<0.001.",
        "They correlated, r(48) = .32, p = .023.",
        "We tested 12 variables; one correlated (r = .247, p = .002).",
        "They were associated, $\\chi^2(2) = 6.10$, $p = .047$.",
        "Studies varied, Q(5) = 12.3, p = .031.",
        "The groups differed, t(38) = 1.90, p = .033, one-tailed.",
        "The groups differed, t(38) = 2.20, p = .10 after Bonferroni correction.",
        "The groups differed, t(21.43) = 2.20, p = .039.",
        "The groups differed, t(38) = 4.41, p = 8.3 × 10−5.",
        "F(1, 30) = 0.20 was small. The other had p = .001.",
        "| Group | t0 | t30 | p |\n|---|---|---|---|\n| A | 4.1 | 5.2 | 0.30 |\n| B | 4.0 | 4.2 | 0.40 |",
    ],
)
def test_what_fits_is_left_alone(text: str):
    assert found(text, KIND) == []


@pytest.mark.parametrize(
    ("text", "severity", "computed"),
    [
        ("The groups differed, t(38) = 2.20, p = .012.", "medium", "0.0336 to 0.0343"),
        ("The groups differed, t(38) = 2.20, p = .017.", "low", "the printed p is half of it"),
        ("The groups did not differ, t(38) = 2.90, p > .05.", "high", "0.00"),
        ("There was an effect, F(2, 57) = 2.10, p = .022.", "high", "0.13"),
        ("They correlated, r(48) = .32, p < .001.", "medium", "0.02"),
        ("They were associated, χ²(1, N = 90) = 1.84, p = .03.", "high", "0.17"),
        ("The share was higher (z-score: 1.10; p-value: 0.036).", "high", "0.27"),
        ("Studies varied, Q(5) = 2.3, p = .031.", "high", "0.799"),
        ("The groups differed, t = 1.20, df = 38, p = .034.", "high", "0.236"),
        ("The groups differed (p = .034, t(38) = 1.20).", "high", "0.236"),
        ("The sites differed (F~1,143~ = 2.10, P = 0.022).", "high", "0.149"),
        ("The sites differed (F = 2.10 on 2 and 57 degrees of freedom, p = .022).", "high", "0.13"),
        ("The sites differed (F = 2.10; df1 = 2, df2 = 57; p = .022).", "high", "0.13"),
        ("With Greenhouse–Geisser correction it held (F(1.62, 48.6) = 5.18, p = .14).", "high", "0.0135"),
    ],
)
def test_what_does_not_fit_is_found(text: str, severity: str, computed: str):
    (finding,) = found(text, KIND)
    assert finding["severity"] == severity
    assert computed in finding["computation"]
    assert finding["quote"] in text


TURNED = "| | Adults | Children |\n|---|---|---|\n| Q | 12.6 | 4.1 |\n| df | 4 | 5 |\n| P | {p} | 0.54 |"
ANALYSIS = (
    "| Source | df | F | p |\n|---|---|---|---|\n| Material | 2 | 5.37 | .007 |\n| Storage | 1 | 3.94 | {p} |\n"
    "| Error | 54 | | |"
)
TEXT_DEGREES = "The Hosmer–Lemeshow statistic was 13.9 on 8 degrees of freedom (p = {p})."
PAIRS = "Sleep and shifts had a Spearman coefficient of −0.22 among the 48 midwives, with p = {p}."
STUDIES = "| Subgroup | k | Q | p |\n|---|---|---|---|\n| Young | 5 | 3.1 | 0.54 |\n| Old | 7 | 6.6 | {p} |"


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        (TURNED, "0.013", "0.13"),
        (ANALYSIS, ".052", ".005"),
        (TEXT_DEGREES, "0.084", "0.84"),
        (PAIRS, "0.13", "0.013"),
        (STUDIES, "0.36", "0.06"),
        ("`testparm` gave F(3, 412) = 1.87, Prob > F = {p}.", "0.1340", "0.0340"),
    ],
)
def test_a_test_has_its_degrees_of_freedom_from_anywhere(text: str, right: str, wrong: str):
    assert found(text.format(p=right), KIND) == []
    assert len(found(text.format(p=wrong), KIND)) == 1


@pytest.mark.parametrize(
    ("header", "right", "wrong"),
    [
        ("Measure | t | df | p", "Fear | 2.20 | 38 | .034", "Mood | 1.20 | 38 | .034"),
        ("Factor | Num. df | Den. df | F value | Pr(>F)", "Soil | 1 | 80 | 6.04 | .016", "Clay | 1 | 80 | 6.04 | .16"),
        ("Trait | Statistic | P", "Colour | χ²~2~ = 1.98 | .37", "Scent | χ²~2~ = 8.40 | .15"),
    ],
)
def test_rows_of_tables_are_read_by_their_header(header: str, right: str, wrong: str):
    rule = "|".join("---" for _ in header.split(" | "))
    (finding,) = found("\n".join(f"| {row} |" for row in (header, rule, right, wrong)), KIND)
    assert finding["quote"] == wrong
