"""What a paper says in two places, and what it refers to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.consistency.papers import found, found_in
from tools.consistency import check_paper
from tools.documents.latex import latex_parts
from tools.documents.structure import outline

SEEDLINGS = Path(__file__).parents[3] / "examples" / "seedlings.md"


def test_one_of_seven_measures_just_below_the_threshold():
    (finding,) = [each for each in found_in(SEEDLINGS.read_text(encoding="utf-8")) if each["kind"] == "many tests"]
    assert "P = 0.04" in finding["quote"]
    assert "of 7 independent tests" in finding["computation"]


def test_a_correction_that_is_named_is_enough():
    text = SEEDLINGS.read_text(encoding="utf-8").replace("in R 4.2.", "in R 4.2, with Holm's correction.")
    assert [each for each in found_in(text) if each["kind"] == "many tests"] == []


def test_a_number_of_the_abstract_is_another_in_the_text():
    paper = (
        "# A paper\n\n## Abstract\n\nA survey reached {} nurses in rural hospitals of the northern province.\n\n"
        "## Methods\n\nThe survey reached 312 nurses in all rural hospitals of the northern province by mail.\n"
    )
    (finding,) = found_in(paper.format(321))
    assert finding["kind"] == "one number, two values"
    assert "321 nurses here, 312 nurses" in finding["computation"]
    assert found_in(paper.format(312)) == []


def test_a_figure_that_does_not_exist_and_one_that_is_never_mentioned():
    captions = "Figure 1: Growth.\n\nFigure 2: Weight.\n\nFigure 3: Height."
    missing, unmentioned = found(f"{captions}\n\nAs Figures 1 and 2 and Figure 4 show, it grew.", "figure or table")
    both = {missing["computation"], unmentioned["computation"]}
    assert both == {
        "Figure 4 is referred to; the captions are Figure 1 to 3",
        "Figure 3 has a caption, and no sentence refers to it",
    }


def test_the_figures_of_others_are_not_looked_for():
    captions = "Figure 1: Growth.\n\nFigure 2: Weight."
    text = f"{captions}\n\nFigures 1 and 2, Supplementary Figure 5, and Figure 7 of Smith et al. show it."
    assert found(text, "figure or table") == []


def test_citations_and_references():
    entries = "\n\n".join(f"[{number}] A. Author. Title {number}. Journal, 2012." for number in range(1, 6))
    paper = f"# A paper\n\n## Introduction\n\nIt grows [1, 2-4] and does not [7].\n\n## References\n\n{entries}\n"
    findings = {each["kind"]: each for each in found_in(paper)}
    assert findings["citation"]["quote"] == "[7]"
    assert "entry 5" in findings["reference"]["computation"]


def test_items_of_a_list_of_references_count_as_its_numbers():
    entries = "\n".join(f"{number}. A. Author. Title {number}. Journal, 2012." for number in range(1, 4))
    paper = f"# A paper\n\n## Introduction\n\nIt grows [1, 2] and does not [5].\n\n## References\n\n{entries}\n"
    assert {each["quote"] for each in found_in(paper) if each["kind"] == "citation"} == {"[5]"}


def test_citations_by_author_and_year():
    entries = ["Adams, B. (2011). Rivers.", "Costa, D., & Diaz, E. (2014). Lakes.", "Evans, F. (2018). Ponds."]
    listed = "\n\n".join(f"{entry} *Water*, 3, 1–9." for entry in entries)
    paper = (
        "# A paper\n\n## Introduction\n\nRivers change ({}), and lakes (Costa & Diaz, 2014).{}\n\n## References\n\n"
        + listed
    )
    assert found_in(paper.format("Adams, 2011", " Evans (2018) has ponds.")) == []
    (wrong,) = found_in(paper.format("Adams, 2001", " Evans (2018) has ponds."))
    assert wrong["computation"] == "no entry with Adams has the year 2001"
    (uncited,) = found_in(paper.format("Adams, 2011", ""))
    assert uncited["kind"] == "reference"
    assert uncited["quote"].startswith("Evans, F. (2018)")


def test_references_that_latex_could_not_resolve():
    findings = found_in("# A paper\n\n## Results\n\nIt grows (Figure ??), as in Eq. (??) and as others say [?].\n")
    assert {each["kind"] for each in findings} == {"figure or table", "equation", "citation"}


def test_labels_of_latex():
    cells = r"\begin{tabular}{cc} a & b \\ 1 & 2 \end{tabular}"
    tables = [rf"\begin{{table}}\caption{{{name}.}}\label{{tab:{name}}}{cells}\end{{table}}" for name in ("A", "B")]
    source = "\n\n".join([r"\section{Results} It grows (Table~\ref{tab:A}, Figure~\ref{fig:none}).", *tables])
    findings = check_paper(outline(latex_parts(source), sha256="", document_format="latex"))
    assert [each["quote"] for each in findings] == ["Figure ?? (fig:none)", "Table 2. B."]


def test_an_abbreviation_that_is_never_defined():
    text = "We kept the EWMA of each flow and its standard deviation (SD).\n\nThe EWMA rose."
    (finding,) = found(text, "abbreviation")
    assert "EWMA is used 2 times and never defined" in finding["computation"]
    assert found(text.replace("the EWMA of", "the exponentially weighted moving average of"), "abbreviation") == []
    assert found(f"{text} EWMA stands for a mean.", "abbreviation") == []


def test_an_abbreviation_before_its_definition():
    text = "The XQF was low.\n\nThen the xenial quiet flow (XQF) rose."
    (finding,) = found(text, "abbreviation")
    assert "XQF is used in p1 and defined in p2" in finding["computation"]
    assert found("The xenial quiet flow (XQF) rose.\n\nThe XQF was low.", "abbreviation") == []


def test_data_without_a_place():
    (finding,) = found("All data are publicly available. We thank the gardeners.", "availability")
    assert finding["quote"] == "All data are publicly available."
    assert found("All data are publicly available at https://zenodo.org/x.", "availability") == []


def test_the_example_paper_has_no_other_finding():
    assert {each["kind"] for each in found_in(SEEDLINGS.read_text(encoding="utf-8"))} == {"many tests"}


def paper(abstract: str, methods: str) -> str:
    return f"# A paper\n\n## Abstract\n\n{abstract}\n\n## Methods\n\n{methods}\n"


@pytest.mark.parametrize(
    ("abstract", "methods", "computed"),
    [
        (
            "Families were randomised in a ratio of 2:1.",
            "We allotted the families to books (n = 80) or vouchers (n = 80).",
            "80 and 80 (p2) are in a ratio of 1:1, printed is ratio of 2:1",
        ),
        (
            "We trained it on four accelerators for 72 hours, which is 576 accelerator-hours.",
            "It was trained.",
            "4 × 72 = 288, printed is 576",
        ),
        ("We taught in the autumn of 2018.", "We taught in autumn 2015 and autumn 2016.", "2018 nowhere"),
        (
            "The trial of cress was run between 2011 and 2013.",
            "The trial of cress was run from May 2011 to June 2014.",
            "2011–2014 in Methods",
        ),
        (
            "Samples were heated to 350 K for an hour.",
            "Samples were heated to 177 °C for an hour.",
            "450 in the same unit",
        ),
        ("Median follow-up was 6.5 years.", "Median follow-up was 87 months (in all).", "7.25 in the same unit"),
        (
            "The pooled OR was 1.37 (95% CI 1.12–1.68).",
            "We got an OR of 1.39 (95% CI 1.12 to 1.68).",
            "1.39 (1.12 to 1.68) in",
        ),
        (
            "The hazard ratio for readmission was 0.81.",
            "| Outcome | Hazard ratio |\n|---|---|\n| Readmission | 0.86 |\n| Death | 0.95 |",
            "0.81 here, 0.86 in the table",
        ),
        (
            "Naming was 62 ms slower in bilingual speakers, a small difference.",
            "The bilingual speakers were slower, with a difference of 26 ms.",
            "62 ms here, 26 ms",
        ),
    ],
)
def test_values_that_follow_from_others(abstract: str, methods: str, computed: str):
    (finding,) = found_in(paper(abstract, methods))
    assert finding["kind"] == "one number, two values"
    assert computed in finding["computation"]


@pytest.mark.parametrize(
    ("abstract", "methods"),
    [
        ("Families were randomised in a ratio of 2:1.", "We allotted them to books (n = 82) or vouchers (n = 41)."),
        ("It ran on four nodes for 72 hours, which is 288 node-hours.", "It was trained."),
        ("We taught in the autumn of 2016.", "We taught in autumn 2015 and autumn 2016."),
        ("The trial ran from 2011 to 2013.", "The trial ran from 2011 to 2013, and its registry from 2011 to 2014."),
        ("Samples were heated to 350 K for an hour.", "Samples were heated to 77 °C for an hour."),
        ("Median follow-up was 6.5 years.", "Median follow-up was 78 months."),
        ("The pooled OR was 1.37 (95% CI 1.12–1.68).", "It was 1.37 (OR 1.37, 95% CI 1.12 to 1.68)."),
        (
            "The hazard ratio for death was 0.95, and that for readmission 0.86.",
            "| Outcome | Hazard ratio |\n|---|---|\n| Readmission | 0.86 |\n| Death | 0.95 |",
        ),
        ("They waited for 26 weeks, and 62 weeks after that.", "Each waited for 26 weeks in the first year."),
    ],
)
def test_values_that_agree(abstract: str, methods: str):
    assert found_in(paper(abstract, methods)) == []


@pytest.mark.parametrize(
    ("text", "computed"),
    [
        ("Table I: A.\n\nTable II: B.\n\nTables I and II differ from Table IV.", "Table IV is referred to"),
        ("Table S1. A.\n\nTable S2. B.\n\nTables S1, S2 and S5 agree.", "Table S5 is referred to"),
        ("### Table 1. A\n\n### Table 2. B\n\nTables 1 and 2 agree with Table 4.", "Table 4 is referred to"),
        ("Theorem 1. A.\n\nTheorem 2. B.\n\nBy Theorem 3, it holds.", "Theorem 3 is referred to"),
        ("Figure 1: Growth (a) and weight (b).\n\nIt grew (Figure 1d).", "panel d of Figure 1"),
        ("Figure 1. A.\n\nFigure 3. B.\n\nAs Figures 1 to 3 show.", "Figure 1 to 3 without Figure 2"),
    ],
)
def test_names_of_every_kind_of_number(text: str, computed: str):
    (finding,) = found(text, "figure or table")
    assert computed in finding["computation"]


def test_numbers_behind_a_name_that_are_none_of_it():
    assert (
        found("Table 1: A.\n\nTable 2: B.\n\nIn Table 1, 12 of 14 grew; Table 2 and 5 pots did not.", "figure or table")
        == []
    )


def test_a_list_of_references_under_a_bold_word():
    entries = ["Adams, B. (2011). Rivers. *Water*, 3, 1.", "Costa, D. (2014). Lakes. *Water*, 4, 5."]
    paper = "# A paper\n\nRivers (Adams, 2011) and lakes (Costa, 2014) and seas (Foster, 2019).\n\n**References**\n"
    (finding,) = found_in("\n".join([paper, *entries]))
    assert finding["computation"] == "no entry of the list of references has Foster"


def test_formulas_that_latex_numbers():
    source = (
        r"\section{A} \begin{equation} a = b \end{equation} \begin{equation} c = d \tag{2} \end{equation} So Eq.~(%s)."
    )
    quotes = [
        [
            each["quote"]
            for each in check_paper(outline(latex_parts(source % number), sha256="", document_format="latex"))
        ]
        for number in (2, 4)
    ]
    assert quotes == [[], ["Eq. (4)"]]


def test_an_entry_is_cited_by_the_last_name_whatever_stands_before_it():
    entries = [
        "Edith P. Adams and Jo Bell. 2014. Ponds.",
        "Carol E Costa. 2000. Lakes.",
        "Dunn DA, Elm E. Bogs. 2004.",
        "Frost G. 2010. Fens.",
        "Hale, I. 2011. Moors.",
    ]
    text = "Ponds (Adams and Bell, 2014), lakes (Costa, 2000), bogs (Dunn et al., 2004), fens (Frost, 2010){}."
    paper = "# A paper\n\n## Introduction\n\n{}\n\n## References\n\n" + "".join(f"- {each}\n" for each in entries)
    assert found_in(paper.format(text.format(", moors (Hale, 2011)"))) == []
    (finding,) = found_in(paper.format(text.format("")))
    assert "Hale" in finding["quote"]
