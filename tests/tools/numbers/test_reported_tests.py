"""Statistic, degrees of freedom and p-value."""

from __future__ import annotations

import pytest

from tests.tools.numbers.papers import found, found_in
from tools.documents.structure import build_document_from_parts
from tools.documents.web_pages import parse_markdown
from tools.numbers import check_paper

KIND = "test and p-value"


@pytest.mark.parametrize(
    "text",
    [
        "t(38) = 2.20, p = .034",
        "t(38) = 2.2, p = .03",  # 2.15 to 2.25 give 0.030 to 0.038
        "*t*(38) = −2.20, *p* < .05",
        "F(2, 57) < 1, p = .86",
        "F3,29=174.077, p<0.001",
        "r(48) = .32, p = .023",
        "$\\chi^2(2) = 6.10$, $p = .047$",
        "t(38) = 1.90, p = .033, one-tailed",
        "t(38) = −1.90, p = .97, one-tailed",
        "t(21.43) = 2.20, p = .039",
        "F(1, 38) = 4.20, p < .05",  # 0.0474
        "F(1, 30) = 0.20 was small. The other had p = .001",
        "t(17) = 2,76, p = .013",
        "χ2(5) = 1 231.24, p < .001",
        "t(38) \x03 7.10, p \x04 .0005",
        "t(40) = 5.00, p   .001",
        "t(40) = 5.00, p = 1.2",
        "t(28) = 1.20, p = .03-.05",
        "x = -42, y = 22, z = -2, p < .001",
        "R2 = .32, p < .01, r2 = .20, p < .01",
        "𝝌12 = 4.93, p = .026",  # χ₁² in plain text
        "r(817.23) = .39, p = .09",  # S of Spearman's rank correlation
    ],
)
def test_what_fits_or_is_no_prescribed_format_is_left_alone(text: str):
    assert found(f"The groups were compared, {text}.", KIND) == []


@pytest.mark.parametrize("power", ["1.2 · 10−5", "1.2 × 10^−5^", "1.2 * 10-5", "1.2·10⁻⁵", "1.2e-5", "1.2 × 10^{-5}"])
def test_a_p_value_as_a_power_of_ten(power: str):
    assert found(f"It differed, t(40) = 5.00, p = {power}.", KIND) == []
    (finding,) = found(f"It differed, t(40) = 6.00, p = {power}.", KIND)
    assert "printed is p = 1.2e-05" in finding["computation"]


@pytest.mark.parametrize(
    ("text", "severity", "computed"),
    [
        ("t(38) = 2.20, p = .012", "medium", "0.0336 to 0.0343"),
        ("t(38) = 2.90, p > .05", "high", "0.00"),
        ("t(99) = -1.86, p = .06", "low", "0.0651"),  # less than a unit of the last digit off
        ("z = 1.88, p = .0589", "low", "0.0594"),  # z is 1.889
        ("t(22) = 6.65, p = .0001", "low", "1.09e-06"),
        ("F(1, 180) < 1, p = .010", "high", "F(1, 180) < 1 gives p of 0.319 to 1.00"),
        ("F(1, 38) = 4.00, p < .05", "high", "0.05"),  # 0.0527
        ("F2(1, 19) = 3.10, MSE = 12.5, ηp² = .14, p = .03", "high", "0.09"),
        ("r(48) = .32, p < .001", "medium", "0.02"),
        ("r(58) = 2.67, p = .010", "medium", "outside -1 to 1"),
        ("χ²(1, N = 90) = 1.84, p = .03", "high", "0.17"),
        ("2(1, N = 90) = 1.84, p = .03", "high", "0.17"),
        ("G²(1) = 1.84, p = .03", "high", "0.17"),
        ("z = 1.10; p-value = 0.036", "high", "0.27"),
        ("Q-within(5) = 2.3, p = .031", "high", "0.799"),
        ("t(38) = 2.90, n.s.", "high", "printed is not significant"),
        ("t = 1.20, df = 38, p = .034", "high", "0.236"),
        ("with Greenhouse–Geisser correction F(1.62, 48.6) = 5.18, p = .14", "high", "0.01"),
    ],
)
def test_what_does_not_fit_is_found(text: str, severity: str, computed: str):
    (finding,) = found(f"The groups were compared, {text}.", KIND)
    assert finding["severity"] == severity
    assert computed in finding["computation"]
    assert finding["quote"] in text
    assert not [each for each in finding["explanations"] if "correlation" not in each]


@pytest.mark.parametrize(
    ("text", "severity", "explanation"),
    [
        ("t(38) = 1.90, p = .033.", "medium", "a one-sided test, of which p is 0.0322 to 0.0329"),
        ("t(38) = 2.20, p = .017.", "low", "a one-sided test"),
        ("t(38) = 2.20, p = .10, Bonferroni-corrected.", "low", "the text names Bonferroni"),
        ("z = -1.60, p = .156. Ranks were compared by Wilcoxon's test.", "low", "an exact p-value of a rank test"),
        ("F(1, 27) = 6.71, p = .010. All degrees were corrected by Greenhouse-Geisser.", "low", "sphericity"),
    ],
)
def test_what_else_could_explain_it_lowers_the_severity(text: str, severity: str, explanation: str):
    (finding,) = found(f"The groups differed, {text}", KIND)
    assert finding["severity"] == severity
    assert explanation in finding["explanations"][0]
    assert found(f"The groups differed, {text} Tests of age were one-tailed.", KIND) == [] or "one" not in explanation


@pytest.mark.parametrize("test", ["z = 0.51, p = .305", "z = 4.31, p > .999"])
def test_an_equivalence_test_is_one_sided(test: str):
    assert found(f"The two were not statistically equivalent, {test}.", KIND) == []
    assert len(found(f"The two differed, {test}.", KIND)) == 1


def test_a_table_of_which_most_values_contradict_was_not_read_right():
    rows = "\n".join(
        f"| {name} | 2.20 | 38 | {p} |" for name, p in (("A", ".1"), ("B", ".2"), ("C", ".3"), ("D", ".034"))
    )
    paper = f"# A paper\n\n## Results\n\n| Contrast | t | df | p |\n|---|---|---|---|\n{rows}\n"
    report = check_paper(build_document_from_parts(parse_markdown(paper), sha256="", document_format="markdown"))
    assert report["findings"] == []
    assert ["3 of 4 values do not fit its headings (test" in each for each in report["unread"]] == [True]
    assert len(found_in(paper.replace(".3 |", ".034 |"))) == 2


def test_a_lesser_finding_hides_no_graver_one():
    text = "It differed, t(38) = 2.20, p = .017, and F(2, 57) = 2.10, p = .022, and so did χ²(1) = 1.84, p = .03."
    assert [each["severity"] for each in found(text, KIND)] == ["low", "high", "high"]


@pytest.mark.parametrize(
    "font",
    [
        {"=": "¼", "<": "o", "−": "À", "(": "ð", ")": "Þ"},
        {"=": "⫽", "<": "⬍", "−": "⫺"},
        {"=": "\x03", "<": "\x04"},
        {"=": "p", "<": "!"},
        {"<": "b"},
    ],
)
def test_signs_that_a_font_has_destroyed_are_restored_by_the_pattern_of_the_whole_paper(font: dict[str, str]):
    right = "It differed, t(38) = −2.20, p = .034, and F(1, 57) = 12.10, p < .001.\n\nIt fell, t(38) = 2.90, p < .01."
    paper = f"{right} It rose, t(38) = −1.20, p = .034.".translate(str.maketrans(font))
    (finding,) = found(paper, KIND)
    assert finding["computation"].startswith("t(38) = -1.2 gives")
    assert any("the font has destroyed" in each for each in finding["explanations"]) == ("=" in font)


def test_decimal_commas_are_read_where_the_paper_has_them():
    paper = "It differed, t(17) = 2,76, p = ,013. It rose, F(1,38) = 4,20, p = {}. The rest was 12,5 %."
    assert found(paper.format("0,047"), KIND) == []
    (finding,) = found(paper.format("0,47"), KIND)
    assert finding["quote"] == "F(1,38) = 4,20, p = 0,47"
    rows = "\n\n| | t | df | p |\n|---|---|---|---|\n| A | 2,20 | 38 | ,034 |\n| B | 2,205 | 38 | ,340 |"
    (finding,) = found(paper.format("0,047") + rows, KIND)
    assert finding["quote"] == "B | 2,205 | 38 | ,340"


TURNED = "| | Adults | Children |\n|---|---|---|\n| Q | 12.6 | 4.1 |\n| df | 4 | 5 |\n| P | {} | 0.54 |"
ANALYSIS = (
    "| Source | df | F | p |\n|---|---|---|---|\n| Material | 2 | 5.37 | .007 |\n| Storage | 1 | 3.94 | {} |\n"
    "| Error | 54 | | |"
)
COLUMNS = "| Measure | t | df | p |\n|---|---|---|---|\n| Fear | 2.20 | 38 | {} |"
TWO_DEGREES = "| Factor | Num. df | Den. df | F value | Pr(>F) |\n|---|---|---|---|---|\n| Soil | 1 | 80 | 6.04 | {} |"
BELOW = "| Trait | χ²~2~ | P |\n|---|---|---|\n| Scent | 8.40 | {} |"


@pytest.mark.parametrize(
    ("table", "right", "wrong"),
    [
        (TURNED, "0.013", "0.13"),
        (ANALYSIS, ".052", ".005"),
        (COLUMNS, ".034", ".34"),
        (TWO_DEGREES, ".016", ".16"),
        (BELOW, ".015", ".15"),
    ],
)
def test_rows_of_tables_are_read_by_their_headings(table: str, right: str, wrong: str):
    assert found(table.format(right), KIND) == []
    assert len(found(table.format(wrong), KIND)) == 1
