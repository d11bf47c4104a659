"""What the checks read by its place in a clause, a table or a paper, and not by its wording."""

from __future__ import annotations

import pytest

from state.computed_findings import CheckKind
from tests.tools.consistency.papers import found, found_in
from tools.consistency.counted import counted


@pytest.mark.parametrize(
    ("sentence", "numbers"),
    [
        ("Of 1,200 doctors, twenty-one replied (n = 21).", [1200, 21, 21]),
        ("In 2019 we gave 50 mg for 12 weeks to 80 people aged 30 (Table 2).", [80]),
        ("At stage 3 the 40 mice, 3–5 a cage, weighed 20 to 25 g [7].", [40]),
        ("For two reasons, (1) cost and (2) time, 14 clinics left.", [2, 14]),
    ],
)
def test_numbers_that_count_things(sentence: str, numbers: list[int]):
    assert [each.number for each in counted(sentence)] == numbers


@pytest.mark.parametrize(
    ("kind", "wrong", "right"),
    [
        ("percentage", "We mailed 480 surveys and got 312 back, a response rate of 75%.", ("75%", "65%")),
        ("percentage", "The programme named 432 of the 500 images correctly (accuracy 88.4%).", ("88.4", "86.4")),
        ("percentage", "Twelve per cent of the seeds (24/150) died.", ("24/", "18/")),
        ("percentage", "A majority of the jurors (17 of 44) voted for it.", ("17", "27")),
        ("percentage", "It was 18.0% in one group (4/50) and 12.0% in the other (6/50).", ("18.0", "8.0")),
        ("percentage", "In all, 27 of the 90 dogs fell ill. This corresponds to a rate of 35%.", ("35", "30")),
        (
            "sum of parts",
            "Twenty-four rats were assigned to salt (n = 8), sugar (n = 8) or water (n = 6).",
            ("6)", "8)"),
        ),
        ("sum of parts", "From 140 people we excluded 12, so that 119 were analysed.", ("12", "21")),
        ("sum of parts", "Seven of the 52 pupils withdrew, leaving 54.", ("54", "45")),
        ("sum of parts", "The 28 articles covered two topics: stigma (12) and cost (26).", ("26", "16")),
        (
            "sum of parts",
            "It lasted 12 weeks: a run-in of 2 weeks, treatment of 7 weeks and 4 weeks of rest.",
            ("4", "3"),
        ),
        ("sum of parts", "Mass rose from 24.1 g to 27.4 g, a gain of 4.3 g.", ("4.3", "3.3")),
        ("estimate and interval", "There were 3.4 birds ha−1 (95% CI: 3.9–4.4).", ("3.9", "2.4")),
        ("estimate and interval", "The area was 0.87 (95% confidence limits 0.89 and 0.92).", ("0.89", "0.82")),
        ("interval and p-value", "It was lower (b = −2.4, SE = 0.6, 95% CI [−3.6, −1.2], p = .35).", (".35", ".001")),
    ],
)
def test_numbers_of_a_clause(kind: CheckKind, wrong: str, right: tuple[str, str]):
    assert len(found(wrong, kind)) == 1
    assert found(wrong.replace(*right), kind) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("percentage", "Pain fell by 30% in 8 of the 40 patients."),
        ("percentage", "At least 12 of the 80 cells, each with a 95% confidence interval, were lost."),
        ("percentage", "Of 1000 children with a rate of 30%, 43 patients will be missed."),
        ("sum of parts", "A total of 120 patients took part; 40 had asthma and 50 had allergies."),
        (
            "sum of parts",
            "We reviewed 10 studies with 1798 people randomised, of whom 1580 were analysed in 8 studies.",
        ),
        ("sum of parts", "120 people were randomised; 55 in one group and 58 in the other completed it."),
        ("sum of parts", "Of 2,750 papers, 1,405 had been accepted, 1,099 rejected, and the rest were under review."),
        ("estimate and interval", "In 40 patients (95% CI 2.1 to 3.4) it was so."),
        ("estimate and interval", "It was 9.6 points lower, 95% CI −2.8 to −16.0."),
    ],
)
def test_numbers_that_need_not_belong_together(kind: CheckKind, text: str):
    assert found(text, kind) == []


@pytest.mark.parametrize(
    ("kind", "table", "right"),
    [
        (
            "percentage",
            "| | A | B |\n|---|---|---|\n| N | 120 | 80 |\n| Ill, n | 84 | 36 |\n| Ill, % | 80 | 45 |",
            ("80 | 45", "70 | 45"),
        ),
        (
            "percentage",
            "| Age | F | M |\n|---|---|---|\n| Young | 30 (60%) | 20 (40%) |\n| Old | 27 (45%) | 33 (65%) |",
            ("65", "55"),
        ),
        (
            "percentage",
            "| | A | B |\n|---|---|---|\n| Number of dogs | 25 | 30 |\n| Passed | 20 (80%) | 12 (50%) |",
            ("50", "40"),
        ),
        (
            "percentage",
            "| Allele | n | n (%) |\n|---|---|---|\n| A | 220 | 55.0 |\n| G | 180 | 54.0 |",
            ("54.0", "45.0"),
        ),
        (
            "sum of parts",
            "| Age | n |\n|---|---|\n| Total | 150 |\n| 18–39 | 61 |\n| 40–59 | 58 |\n| 60 and over | 41 |",
            ("41", "31"),
        ),
        (
            "sum of parts",
            "| Flow | n |\n|---|---|\n| Assessed | 210 |\n| Excluded | 60 |\n| Randomised | 160 |",
            ("160", "150"),
        ),
    ],
)
def test_tables_however_they_stand(kind: CheckKind, table: str, right: tuple[str, str]):
    assert len(found(table, kind)) == 1
    assert found(table.replace(*right), kind) == []


@pytest.mark.parametrize(
    ("first", "second", "right"),
    [
        ("We interviewed 24 teachers.", "All 26 teachers said that time was short.", ("26", "24")),
        ("Hives were watched for 49 days.", "We watched the hives for nine weeks.", ("nine", "seven")),
        ("The tumour shrank in 31 of 60 dogs.", "The tumour shrank in 36 of the 60 dogs.", ("36", "31")),
        ("The survey took place in March 2021.", "The survey took place in 2012.", ("2012", "2021")),
        ("Accuracy reached an accuracy of 0.88 in speech.", "In speech it had an accuracy of 0.83.", ("0.83", "0.88")),
    ],
)
def test_the_only_two_values_of_a_paper(first: str, second: str, right: tuple[str, str]):
    paper = f"# A paper\n\n## Methods\n\n{first}\n\n## Results\n\n{second}\n"
    (finding,) = found_in(paper)
    assert finding["kind"] == "one number, two values"
    assert found_in(paper.replace(*right)) == []


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("We interviewed 24 teachers.", "A further 26 teachers were asked, and 31 teachers after them."),
        ("Postoperative haemoglobin was 12.4 g.", "Preoperative haemoglobin was 14.2 g."),
        ("Forty-four nurses and doctors replied.", "Of them the 33 doctors were older."),
    ],
)
def test_values_of_several_things(first: str, second: str):
    assert found_in(f"# A paper\n\n## Methods\n\n{first}\n\n## Results\n\n{second}\n") == []


LIST = "## References\n\n1. Ames A. Sleep. 2001.\n2. Bell B. Memory. 2002.\n3. Cole C. Naps. 2003.\n"


@pytest.mark.parametrize("style", ["memory.<sup>1,2</sup> So do naps.<sup>{}</sup>", "memory (1, 2). So do naps ({})."])
def test_citations_above_the_line_and_in_round_brackets(style: str):
    paper = f"# A paper\n\n## Introduction\n\nSleep helps {style}\n\n{LIST}"
    assert {each["kind"] for each in found_in(paper.format(7))} == {"citation", "reference"}
    assert found_in(paper.format(3)) == []


def test_a_name_with_the_abbreviation_of_another():
    text = "We gave the Beck Depression Inventory (BDI) and the Beck Anxiety Inventory ({}). The BDI fell."
    (finding,) = found(text.format("BDI"), "abbreviation")
    assert "BDI is “Beck Anxiety Inventory” here" in finding["computation"]
    assert found(text.format("BAI"), "abbreviation") == []
