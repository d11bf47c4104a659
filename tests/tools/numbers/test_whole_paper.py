"""What a paper refers to, in every format, and texts that nobody means to write."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import docx
import pytest

from state.documents import DocumentFormat
from tests.tools.numbers.papers import found, found_in
from tools.documents.latex import parse_latex
from tools.documents.structure import DocumentParts, build_document_from_parts, parse_plain_text
from tools.documents.web_pages import parse_markdown
from tools.documents.word import parse_word
from tools.numbers import check_paper

SEEDLINGS = Path(__file__).parents[3] / "examples" / "seedlings.md"


def test_the_example_paper_contradicts_itself_where_its_readme_says():
    assert [each["quote"] for each in found_in(SEEDLINGS.read_text(encoding="utf-8"))] == ["t(87) = 0.40, P = 0.21"]


def test_half_entries_of_a_list_are_not_held_against_the_text():
    listed = LISTED.replace("- ", "").replace("Authorf, B. (2006)", "4 (2006)").replace("\n", "\n\n")
    text = f"A paper\n\nIntroduction\n\n{CITED}\n\nReferences\n\n{listed}"
    report = check_paper(build_document_from_parts(parse_plain_text(text), sha256="", document_format="text"))
    assert report["findings"] == []
    assert report["unread"] == ["1 of 9 entries of the list of references were not read as whole entries"]


def test_references_that_latex_could_not_resolve():
    findings = found_in("# A paper\n\n## Results\n\nIt grows (Figure ??), as in Section ?? and as others say [?].\n")
    assert {each["kind"] for each in findings} == {"figure or table", "section", "citation"}


def test_an_abbreviation_before_its_definition():
    text = "The XQF was low.\n\nThen the xenial quiet flow (XQF) rose."
    (finding,) = found(text, "abbreviation")
    assert "XQF is used in p1 and defined in p2" in finding["computation"]
    assert found("The xenial quiet flow (XQF) rose.\n\nThe XQF was low.", "abbreviation") == []


@pytest.mark.parametrize(
    ("text", "computed"),
    [
        ("Table 1: A.\n\nTable 2: B.\n\nTables 1 and 2 differ from Table 4.", "Table 4 is referred to"),
        ("Scheme 1. A.\n\nScheme 2. B.\n\nSchemes 1 to 3 agree.", "Scheme 3 is referred to"),
        ("### Table 1. A\n\n### Table 2. B\n\nTables 1 and 2 agree with Table 4.", "Table 4 is referred to"),
    ],
)
def test_names_of_every_kind_of_number(text: str, computed: str):
    (finding,) = found(text, "figure or table")
    assert computed in finding["computation"]


def test_an_entry_is_cited_by_the_last_name_whatever_stands_before_it_and_the_year():
    entries = [
        "Edith P. Adams and Jo Bell. 2014. Ponds.",
        "Carol E Costa. 2000. Lakes.",
        "Dunn DA, Elm E. Bogs. 2004.",
        "Frost G. 2010. Fens.",
        "D’Arcy, B. 2003. Tarns.",
        "———. 2005. Meres.",
        "Jørgensen H, Kemp I. 2009. Fjords.",
        "Le Blanc, L. A. 1992. Lagoons.",
        "Hale, I. 2011. Moors.",
    ]
    text = "Ponds (Adams and Bell, {}), lakes (Costa, 2000), bogs (Dunn et al., 2004), fens (Frost, 2010){}."
    text = f"{text} Tarns (D'Arcy, 2003), meres (D'Arcy, 2005). We thank Cornell University (2023)."
    text += " Fjords (Jorgensen & Kemp, 2009), lagoons (LeBlanc, 1992)."
    paper = f"# A paper\n\n## Introduction\n\n{CITED} {text}\n\n## References\n\n{LISTED}"
    paper += "".join(f"- {each}\n" for each in entries)
    assert found_in(paper.format(2014, ", moors (Hale, 2011)")) == []
    (uncited,) = found_in(paper.format(2014, ""))
    assert uncited["quote"] == "Hale, I. 2011. Moors."
    (wrong,) = found_in(paper.format(2014, ", moors (Hale, 2012)"))
    assert wrong["severity"] == "medium"
    assert wrong["computation"] == "no entry of the list of references has one of these names and the year 2012"


@pytest.mark.parametrize(
    ("style", "kinds"),
    [
        ("memory.<sup>1,2</sup> So do naps.<sup>{}</sup>", {"citation", "reference"}),
        ("memory [1]–[2]. So do naps [{}].", {"citation", "reference"}),
    ],
)
def test_numbers_above_the_line_and_in_brackets(style: str, kinds: set[str]):
    entries = "1. Ames A. Sleep. 2001.\n2. Bell B. Memory. 2002.\n3. Cole C. Naps. 2003.\n"
    paper = f"# A paper\n\n## Introduction\n\nSleep helps {style}\n\n## References\n\n{entries}"
    assert {each["kind"] for each in found_in(paper.format(7))} == kinds
    assert found_in(paper.format(3)) == []


LISTED = "".join(f"- Author{chr(97 + at)}, B. ({2001 + at}). Rivers and lakes. Water, 3, 1-9.\n" for at in range(9))
CITED = " ".join(f"It flows (Author{chr(97 + at)}, {2001 + at})." for at in range(9))


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("It follows from (12) and [13] that it holds.", ""),
        ("Also (Bell et al., 2003), (Cole et al., 2004) and (Dunn & Frost, 2005).", "3 of 12 citations have"),
        ("By Proposition 7 in Smith (2019), Section 3 of [12] and Figure 8 of Costa et al., it holds.", ""),
        ("Figure 1. A.\n\nIt was found in figure 5 of the publication [@doi:10.1145/3133].", ""),
        ("Figure 1. A.\n\nFigure 3. B.\n\nAs Figures 1 to 3 show.", "no caption was read of Figure 2"),
        ("Figure 1. A.\n\nFigures 1, 2 and 3 show it.", "no caption was read of Figure 2, 3"),
    ],
)
def test_what_was_not_read_is_no_contradiction(text: str, unread: str):
    paper = f"# A paper\n\n## Introduction\n\n{CITED}\n\n{text}\n\n## References\n\n{LISTED}"
    report = check_paper(build_document_from_parts(parse_markdown(paper), sha256="", document_format="markdown"))
    assert report["findings"] == []
    assert [each for each in report["unread"] if unread not in each] == []
    assert len(report["unread"]) == bool(unread)


ROWS = [["Measure", "t(38)", "p", "OR (95% CI)"], ["Fear", "1.20", ".034", "1.50 (1.02–2.20)"]]
ROWS += [["Mood", "2.20", ".034", "2.10 (1.02–2.20)"]]
SENTENCE = "18 of 75 patients (42%) had side effects, which is what the rest of this page is about."


def as_markdown() -> DocumentParts:
    header, *rows = (f"| {' | '.join(row)} |" for row in ROWS)
    return parse_markdown("\n".join([f"# A paper\n\n## Results\n\n{SENTENCE}\n", header, "|---|---|---|---|", *rows]))


def as_latex() -> DocumentParts:
    rows = r" \\ ".join(" & ".join(row) for row in ROWS).replace("%", r"\%")
    text = SENTENCE.replace("%", r"\%")
    return parse_latex(rf"\section{{Results}} {text} \begin{{tabular}}{{llll}} {rows} \end{{tabular}}")


def as_word() -> DocumentParts:
    document = docx.Document()
    document.add_paragraph("A paper", style="Title")
    document.add_heading("Results", 1)
    document.add_paragraph(SENTENCE)
    table = document.add_table(len(ROWS), len(ROWS[0]))
    for at, row in enumerate(ROWS):
        for column, cell in enumerate(row):
            table.cell(at, column).text = cell
    buffer = BytesIO()
    document.save(buffer)
    return parse_word(buffer.getvalue(), 0)


@pytest.mark.parametrize(("parts", "name"), [(as_markdown, "markdown"), (as_latex, "latex"), (as_word, "docx")])
def test_text_and_rows_are_checked(parts: Callable[[], DocumentParts], name: DocumentFormat):
    findings = check_paper(build_document_from_parts(parts(), sha256="", document_format=name))["findings"]
    assert {(found["kind"], found["quote"].split(" | ")[0]) for found in findings} == {
        ("percentage", "18 of 75 patients (42%"),
        ("test and p-value", "Fear"),
        ("ratio interval", "Mood"),
    }


MANY = "\n".join("| 1 | 2 | 3 | 4 | 5 |" for _ in range(60))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# Title only\n",
        f"12 {'a' * 300}",
        f"The protein is 1 {'MKTAYIAKQRQISF' * 40}.",
        f"Size of all {'9' * 400} cats\n\n| Cat | n |\n|---|---|\n| a | {'9' * 400} |\n| b | 2 |\n| c | 3 |",
        "| Cause | A (n = 0) | B (n = 10) |\n|---|---|---|\n| Death | 0 (0%) | 0 (0%) |\n| Fall | 3 (30%) | 7 (70%) |",
        "| Group | k | Q | p |\n|---|---|---|---|\n| A | 5² | 3.1 | 0.54 |\n| B | 1 | 0.00 | 1.00 |\n"
        "| C | 0 | 1.0 | 0.3 |",
        "| Trait | n | r | p |\n|---|---|---|---|\n| A | 12² | 0.31 | 0.54 |\n| B | 40 | 0.31 | 0.05 |",
        f"| A | B | C | D | E |\n|---|---|---|---|---|\n{MANY}",
        "| |\n|---|\n| |",
    ],
)
def test_odd_texts_are_read(text: str):
    assert found_in(text) == []
