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
        ("estimate and interval", "The slope was −0.12 ml per year (95% CI −0.47 to −0.15) in women."),
        ("estimate and interval", "Warming advanced flowering by 5.2 days (95% CI 3.0 to 6.2)."),
        ("percentage", "Thirty-one of the 48 pots (54.6%) were empty."),
        ("percentage", "It held in 1,284 of the 20,000 pots (6.4%), of which 1,027 (70.8%) were large."),
        ("percentage", "Thirty-eight of the 52 pots (73%) were full. Of these 38, 12 (23%) were large."),
        ("percentage", "Ants were in 57 of 190 pots (30.0%); they bred in 12 (11.1% of all pots)."),
        ("percentage", "We could date 35 of the 48 pots. That is 63% of the find."),
        ("percentage", "We saw 46 pots. Many (31, 54%) were empty, and nine (20%) were large."),
        ("percentage", "One in ten of the pots (13 of 66) was empty."),
        ("sum of parts", "Twenty-six of the 90 pots came from the lake, 37 from the bog and 37 from the fen."),
        ("sum of parts", "We saw all 236 pots. In May, 127 stood in huts, 98 at homes and 17 in a shed."),
        ("sum of parts", "Fear was rated as none by 41%, mild by 33%, moderate by 32% and severe by 7%."),
        ("sum of parts", "Clay (12.4%), sand (3.1%) and silt (94.5%) make up the whole."),
        ("mean of whole numbers", f"{LIKERT} All 25 readers took part. Marks averaged 3.84 for A and 4.18 for B."),
        ("mean of whole numbers", f"{LIKERT} We asked 14 surgeons. Marks rose from 2.54 to 3.93."),
        ("mean of whole numbers", "Marks were whole numbers. Tea, 21 nurses: mean 4.45. Coffee, 19 nurses: mean 6.42."),
        ("percentage", "We sent 1,250 forms. By May 845 had come back, a response of 76.6 per cent. All were read."),
        ("percentage", "Each of the 390 long segments was read. They agreed on 351 segments (93%); 39 were lost."),
        ("percentage", "Two thirds of the 48 shops (n = 23) check it; the other 25 never do."),
        ("percentage", "More than half of the couples (27/61, 44%) had children."),
        ("percentage", "We asked 412 of them and 367 (89.1%) came. Among those who came, 214 (53.8%) had a net."),
        ("mean of whole numbers", "Eggs were counted. The 19 fed nests held 4.45 eggs on average."),
        ("deviation of whole numbers", "We logged the number of visits: 2.14 ± 1.26 times (mean ± SD, n = 21)."),
        ("mean of whole numbers", "Patients reported a mean of 1.84 falls in the past year (n = 15)."),
        ("mean of whole numbers", "Children in the reading group (n = 19) made on average 3.44 errors."),
        ("percentage", "We approached 93 farms; 47 of them (56.6%) took part."),
        ("percentage", "Of 75 patients, 18 (42%) had side effects."),
        ("percentage", "Two thirds of the 90 students (45) chose it."),
        ("sum of parts", "Of the 1,310 homes screened, 262 were excluded and 1,084 (83%) were enrolled."),
        ("sum of parts", "Of 305 samples, 88 tested positive and the remaining 207 did not."),
        (
            "sum of parts",
            "A total of 36 mice were used, 10 in the control group, 12 in the low group, and 12 in the high group.",
        ),
        ("sum of parts", "The sample had 238 adults (113 female, 102 male, 5 non-binary)."),
        ("sum of parts", "Of the tunnel, 45% were in favour, 43% were against and 21% had no opinion."),
        ("estimate and interval", "The estimated slope was 0.31 [95% CI: −0.52, −0.10]."),
        ("ratio interval", "It was more frequent (OR 2.64 (1.21–3.11))."),
        ("interval and p-value", "The hazard ratio for death was 1.38 (95% CI, 1.08–1.75; P = 0.07)."),
    ],
)
def test_what_a_sentence_contradicts(kind: CheckKind, text: str):
    assert len(found(text, kind)) == 1


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("estimate and interval", "The slope was −0.22 ml per year (95% CI −0.47 to −0.15) in women."),
        ("estimate and interval", "It led to a reduction of 4.18 mmHg (95% CI −5.03 to −3.33)."),
        ("estimate and interval", "Pain fell (SMD −0.49, 95% CI −0.39 to −0.59)."),
        ("sum of parts", "Six trials were found, five of which were kept: four trials of nets and one trial of gum."),
        ("availability", "Not all materials were available in all sites."),
        ("percentage", "Thirty-one of the 48 pots (64.6%) were empty."),
        ("percentage", "It held in 1,284 of the 20,000 pots (6.4%), of which 1,027 (80.0%) were large."),
        ("percentage", "We saw 46 pots of 90. Many (31, 54%) were empty, and nine (20%) were large."),
        ("percentage", "One in five of the pots (13 of 66) was empty."),
        ("percentage", "More than a third of the pots (40 of 66) were empty."),
        ("sum of parts", "Twelve of the 20 pots had ants, 10 had mites and 8 had both."),
        ("sum of parts", "Fear was rated as none by 41%, mild by 33%, moderate by 19% and severe by 7%."),
        ("mean of whole numbers", f"{LIKERT} All 25 readers took part. Women of both groups averaged 4.18."),
        ("mean of whole numbers", f"{LIKERT} All 25 readers took part. Their mean age was 41.18."),
        ("mean of whole numbers", "Patients took a mean of 1.84 hours (n = 15), with a mean of 1.84 errors per hour."),
        ("mean of whole numbers", "Marks were whole numbers. Tea, 21 nurses: mean 4.48. Coffee, 19 nurses: mean 6.42."),
        ("mean of whole numbers", "We counted 650 males in the six traps (mean = 5.75 [SD = 6.54] per trap night)."),
        ("mean of whole numbers", "Whole numbers were used. The 17 boys and 12 girls had a mean of 3.42."),
        ("percentage", "We sent 1,250 forms. By May 845 had come back, a response of 67.6 per cent. All were read."),
        ("percentage", "It failed in three patients (7.9%) of a trial. Of 28 patients, all came."),
        ("mean of whole numbers", "The difference was small (N = 2; mean difference: 0.45)."),
        ("sum of parts", "Of the 96 patients, 70 were women and 50 had diabetes."),
        ("sum of parts", "The sample had 238 adults (131 female, 102 male, 5 non-binary)."),
        ("estimate and interval", "It was 4.18 mmHg lower (95% CI −5.03 to −3.33)."),
        ("estimate and interval", "It was 3.5 times higher in pots with ants (95% CI: 0.9–13.5)."),
        ("interval and p-value", "Beside the field, tillage multiplied loss by 1.12 (95% CI 0.91 to 1.38, p = 0.284)."),
        (
            "many tests",
            "Of nine traits a difference counts below 0.05/9 = 0.0056; one (p = 0.031) of the nine traits came near.",
        ),
        (
            "test and p-value",
            "| Group | Studies | Q | P |\n|---|---|---|---|\n| Young | 7 | 6.6 | 0.36 |\n\n"
            "Q has one degree of freedom fewer than there are studies.",
        ),
        ("section", "# 1 A\n\nx\n\n# 2 B\n\nx\n\n# 3 C\n\nRead see 35, section 6.1, and 42 section 7."),
    ],
)
def test_what_a_sentence_does_not_contradict(kind: CheckKind, text: str):
    assert found(text, kind) == []


def test_percentages_below_a_table_that_says_what_they_are_of():
    table = "| Answer | % |\n|---|---|\n| No | 6 |\n| Rarely | 31 |\n| Often | 76 |"
    assert found(f"{table}\n\nThose who gave an answer.", "sum of parts") == []
    (finding,) = found(f"{table}\n\nOne answer per person.", "sum of parts")
    assert "6 + 31 + 76 = 113%" in finding["computation"]


def test_a_column_that_is_the_sum_of_two_others_of_its_kind():
    table = "| Site | Runs planned | Runs done | Runs left |\n|---|---|---|---|\n"
    table += "| A | 40 | 37 | 3 |\n| B | 40 | 39 | 11 |\n| C | 24 | 24 | 0 |"
    (finding,) = found(table, "sum of parts")
    assert finding["quote"] == "B | 40 | 39 | 11"


def test_means_below_groups_of_known_size_with_a_variable_in_each_row():
    table = "| | A (n = 14) | B (n = 17) |\n|---|---|---|\n| Errors, mean | 8.79 | 6.29 |"
    table += "\n| Words read, mean | 48.14 | 51.32 |"
    (finding,) = found(f"{table}\n\nErrors and words are counts.", "mean of whole numbers")
    assert "872/17" in finding["computation"]


def test_a_table_of_people_of_each_group_counts_nothing():
    table = "Attitudes of 40 tutors and 46 students.\n\n| Scale | Tutors M (SD) | Students M (SD) |\n|---|---|---|\n"
    assert found(f"{table}| Trust | 2.88 (0.94) | 2.79 (0.99) |", "mean of whole numbers") == []


def test_sums_show_in_the_numbers_whatever_a_column_is_called():
    table = "| Sex | October | March | Loss |\n|---|---|---|---|\n"
    table += "| Female | 24.6 | 19.9 | 4.7 |\n| Male | 27.3 | 21.1 | {} |"
    assert found(table.format("6.2"), "sum of parts") == []
    (finding,) = found(table.format("2.6"), "sum of parts")
    assert "21.1 + 2.6" in finding["computation"]


def test_a_complete_list_whose_whole_stands_in_the_sentence_before():
    told = "In total, 538 people gave consent. We removed 27 who broke off and 41 who failed a check, which left {}."
    assert found(told.format(470), "sum of parts") == []
    assert len(found(told.format(407), "sum of parts")) == 1


def test_digits_in_another_order_than_in_a_cell_beside_one_that_is_told_too():
    text = "Reading was slower after a garden path ({} vs. 512 ms).\n\n| Sentence | Start | End |\n|---|---|---|\n"
    text += "| Garden path | 431 | 578 |\n| Plain | 428 | 512 |"
    assert found(text.format(578), "one number, two values") == []
    assert len(found(text.format(587), "one number, two values")) == 1
