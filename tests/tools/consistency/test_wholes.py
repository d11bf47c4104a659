"""Wholes against their groups and parts, and numbers whose n is told in another place, as in tables."""

from __future__ import annotations

import pytest

from state.computed_findings import CheckKind
from tests.tools.consistency.papers import found, found_in
from tools.consistency import check_paper
from tools.documents.structure import outline
from tools.documents.web_pages import html_parts


@pytest.mark.parametrize(
    ("kind", "wrong", "right"),
    [
        (
            "percentage",
            "In the north 12% of 300 wells were dry, in the south 18% of 90; overall this makes 22%.",
            ("22", "13"),
        ),
        (
            "percentage",
            "Of the 640 notes, 96 (15.0%) were late and 41 were never opened by anyone (9.4%).",
            ("9.4", "6.4"),
        ),
        (
            "percentage",
            "We scanned 84 adults. Twelve (24.3%) moved too much.",
            ("24.3", "14.3"),
        ),
        (
            "percentage",
            "We coded 640 posts. One in eight (128) named a price.",
            ("eight", "five"),
        ),
        (
            "sum of parts",
            "The herd grew from 1,250 in 2012 to 1,600 in 2022, an increase of 38%.",
            ("38", "28"),
        ),
        (
            "sum of parts",
            "The loss was 412 mm, the sum of 268 mm from leaves, 97 mm from soil and 74 mm from water.",
            ("74", "47"),
        ),
        (
            "sum of parts",
            "Care cost €5,362, composed of €2,914 for beds, €1,107 for drugs and €841 for visits.",
            ("5,3", "4,8"),
        ),
        (
            "sum of parts",
            "Fieldwork took 41 days in total (11 in spring, 9 in summer and 15 in autumn).",
            ("15", "21"),
        ),
        (
            "sum of parts",
            "Of 530 women, 114 were too young and 69 declined. The other 320 were randomised.",
            ("69", "96"),
        ),
        (
            "sum of parts",
            "Seventeen jars were dated. Eight belong to the fourth century, seven to the fifth and four to the sixth.",
            ("four to", "two to"),
        ),
        (
            "sum of parts",
            "Sixty-eight runners came. Five fell ill, three left and two were late. We analysed the remaining 54.",
            ("54", "58"),
        ),
        (
            "sum of parts",
            "Each gave exactly one answer: 38% chose bread, 41% rice, 21% beans and 14% maize.",
            ("38", "24"),
        ),
        (
            "mean of whole numbers",
            "Over the 24 nights the trap caught between 0 and 11 moths a night, a mean of 3.310.",
            ("310", "292"),
        ),
        (
            "mean of whole numbers",
            "Two groups (17 each) gave a whole number from 1 to 7. The mean was 4.15 in the first.",
            ("15", "12"),
        ),
        (
            "test and p-value",
            "Shells were longer (t = 2.87, d.f. = 46, 0.10 > P > 0.05).",
            ("0.10 > P > 0.05", "0.01 > P > 0.001"),
        ),
        (
            "test and p-value",
            "It had F1,34 = 9.73 for the treatment (P = 0.0371).",
            ("0.0371", "0.0037"),
        ),
        (
            "test and p-value",
            "In a clover mixture it was more (t = 2.71, df = 30, P = 0.110).",
            ("0.110", "0.011"),
        ),
        (
            "test and p-value",
            "`testparm` gave F(3, 412) = 1.87, Prob > F = 0.0340.",
            ("0340", "1340"),
        ),
        (
            "test and p-value",
            "Size and age over the 18 samples had r = -0.61 (p = 0.071).",
            ("071", "007"),
        ),
        (
            "interval and p-value",
            "Mice gave g = −0.12 [−0.35, 0.11], p = 0.004. All brackets are 95% confidence intervals.",
            ("004", "31"),
        ),
        (
            "interval and p-value",
            "Yield changed by +0.15 t ha^-1 (95% confidence interval −0.12 to 0.42; p = 0.008).",
            ("008", "28"),
        ),
        (
            "estimate and interval",
            "A fall of 0.24 points [0.35; 0.53], brackets being the 95% confidence interval.",
            ("0.35", "0.15"),
        ),
        (
            "availability",
            "All tracking data of the 31 storks, and the code that drew them, are freely available online.",
            ("online", "at osf.io/abcde"),
        ),
    ],
)
def test_wholes_and_sizes_in_sentences(kind: CheckKind, wrong: str, right: tuple[str, str]):
    assert len(found(wrong, kind)) == 1
    assert found(wrong.replace(*right), kind) == []


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (
            "percentage",
            "Overall 40% of 90 dogs and 20% of 50 cats were ill; 55% of all owners replied.",
        ),
        (
            "percentage",
            "Of the 22 episodes, 15 had no value below 90%.",
        ),
        (
            "percentage",
            "Two of three eligible studies (93% of the potential data) were small.",
        ),
        (
            "percentage",
            "Weeds covered more than half of the surface in 40 ponds of 86 (46.5%).",
        ),
        (
            "sum of parts",
            "We used 22 profiles (sets 1, 2, 4, 6 and 8).",
        ),
        (
            "sum of parts",
            "All 23 observers saw every set size (4, 8, 16) twice.",
        ),
        (
            "sum of parts",
            "It drains 1,846 ha. Pasture takes 912 ha of it, fields 487 ha, woods 318 ha and roads the "
            "remaining 129 ha.",
        ),
        (
            "sum of parts",
            "There were 49 women and 45 men, and all but a few had left school before the age of 18.",
        ),
        (
            "mean of whole numbers",
            "Experts gave an integer from 1 to 5. The 12 answers had a mean of 3.50 and a standard "
            "deviation (n−1) of 1.31.",
        ),
        (
            "test and p-value",
            "Energy-corrected milk differed, F(2, 45) = 5.86, P = 0.0055.",
        ),
    ],
)
def test_numbers_that_are_no_parts_of_each_other(kind: CheckKind, text: str):
    assert found(text, kind) == []


@pytest.mark.parametrize(
    ("kind", "table", "right"),
    [
        (
            "percentage",
            "| District | Seen | Immune, % |\n|---|---|---|\n| Coast | 640 | 88.0 |\n"
            "| Plain | 410 | 79.0 |\n| Both | 1,050 | 71.4 |",
            ("71.4", "84.5"),
        ),
        (
            "percentage",
            "| Stage | Entered | Left | Loss (%) |\n|---|---|---|---|\n| Egg | 5,000 | 4,100 | 18.0 |\n"
            "| Larva | 4,100 | 1,230 | 70.0 |\n| Pupa | 1,230 | 861 | 40.0 |",
            ("40.0", "30.0"),
        ),
        (
            "percentage",
            "| | North | South | West |\n|---|---|---|---|\n| Pupils | 200 | 320 | 200 |\n"
            "| Took part | 150 | 208 | 110 |\n| Per cent | 75.0 | 65.0 | 51.0 |",
            ("51.0", "55.0"),
        ),
        (
            "percentage",
            "| Age | Seen | Ill (%) | Lame (%) |\n|---|---|---|---|\n"
            "| Young | 64 | 9 (14.1) | 21 (32.8) |\n| Middle | 47 | 12 (25.5) | 14 (29.8) |\n"
            "| Old | 133 | 51 (43.8) | 38 (28.6) |",
            ("43.8", "38.3"),
        ),
        (
            "sum of parts",
            "| Layer | Sand (%) | Silt (%) | Clay (%) |\n|---|---|---|---|\n| A | 53.9 | 27.3 | 18.8 |\n"
            "| B | 57.7 | 26.2 | 16.1 |\n| C | 38.6 | 24.6 | 46.8 |",
            ("46.8", "36.8"),
        ),
        (
            "sum of parts",
            "The 342 revisions by their first cause\n\n| Cause | No. |\n|---|---|\n| Loosening | 121 |\n"
            "| Infection | 83 |\n| Other | 108 |",
            ("342", "312"),
        ),
        (
            "test and p-value",
            "Pearson correlations (N = 84)\n\n| | 1 | 2 |\n|---|---|---|\n| 1 Skill | | |\n"
            "| 2 Chills | .41** | |\n| 3 Memory | .36** | .14** |\n\nNote. ** p < .01",
            (".14**", ".34**"),
        ),
        (
            "test and p-value",
            "| Effect | Num df | Den df | F | Pr > F |\n|---|---|---|---|---|\n"
            "| depth | 2 | 45 | 1.05 | 0.3584 |\n| current | 1 | 45 | 0.47 | 0.0496 |",
            ("0.0496", "0.4965"),
        ),
        (
            "test and p-value",
            "| Subgroup | k | Q | p |\n|---|---|---|---|\n| Young | 5 | 3.1 | 0.54 |\n| Old | 7 | 6.6 | 0.06 |",
            ("0.06", "0.36"),
        ),
        (
            "ratio interval",
            "| Factor | Rate ratio | 95 % interval |\n|---|---|---|\n| Age | 1.85 | 1.38 … 2.48 |\n"
            "| Drive | 0.72 | 0.30 … 0.95 |",
            ("0.30", "0.55"),
        ),
        (
            "mean of whole numbers",
            "Integer ratings (1 to 5) by the same 22 pilots\n\n| Display | Clarity | Speed |\n"
            "|---|---|---|\n| Dial | 3.23 | 3.77 |\n| Tape | 2.91 | 4.11 |",
            ("4.11", "4.14"),
        ),
        (
            "abbreviation",
            "Plants of three hills (EOO, extent of occurrence).\n\n| Hill | NPL | EOO |\n|---|---|---|\n"
            "| Cape | 34 | 5,100 |\n| Rim | 11 | 900 |",
            ("NPL", "Kinds"),
        ),
    ],
)
def test_wholes_and_sizes_in_tables(kind: CheckKind, table: str, right: tuple[str, str]):
    assert len(found(table, kind)) == 1
    assert found(table.replace(*right), kind) == []


def test_a_title_that_names_a_group_says_nothing_of_what_was_measured():
    table = "| Scale | Letters *M* | Controls *M* |\n|---|---|---|\n| Hope | 3.42 | 3.11 |"
    assert (
        found(
            f"Scores of those who wrote letters (n = 49) and of controls (n = 49)\n\n{table}", "mean of whole numbers"
        )
        == []
    )


def test_several_tests_of_which_the_text_claims_nothing():
    values = "; ".join(f"scale {at}, p = .{at}3" for at in range(2, 7))
    claim = f"# A paper\n\n## Results\n\nWe tested six scales: mood, p = .041; {values}. Mood improved.\n"
    assert [each["kind"] for each in found_in(claim)] == ["many tests"]
    assert found_in(claim.replace("Mood improved.", "With so many tests we claim nothing.")) == []


TABLE = """
<table><caption>Table {}. Sizes of shells</caption>
<tr><th>Site</th><th>Size</th></tr><tr><td>A</td><td>3</td></tr></table>
"""
PAGE = f"""
<h1>Shells</h1>
<h2>Methods</h2><p>The sites that we went to are listed in Table 1.</p>{TABLE.format(1)}
<h2>Results</h2><p>All of the means are in CITED.</p>{TABLE.format(2)}
<h2>Discussion</h2><p>Shells are small.</p>
"""


@pytest.mark.parametrize(("cited", "missing"), [("Table 2", 0), ("Table 4", 1)])
def test_captions_of_a_web_page_name_its_tables(cited: str, missing: int):
    paper = outline(html_parts(PAGE.replace("CITED", cited)), sha256="", document_format="html")
    told = [each["computation"] for each in check_paper(paper)]
    assert len([each for each in told if "is referred to; the captions are" in each]) == missing
