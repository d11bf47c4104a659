"""A document on a terminal and as Markdown: tables fit, nothing drives the terminal, no text is taken for markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.reports.document import (
    Cell,
    ReportDocument,
    ReportRow,
    ReportSection,
    ReportTable,
    as_text,
    escaped,
    slug,
    words,
)
from evals.reports.report import report
from tests.support.tea_task import SAMPLES, run, sample, usual_texts

HEADER = ["row", "n", *(f"measure{number}" for number in range(6))]
ENTRY = ReportRow([*words("society × 2", "30"), *(Cell(f"{number}.25", "[-1.00, 10.00]") for number in range(6))])


def document(*sections: ReportSection) -> ReportDocument:
    return ReportDocument("title", [], [], sections)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_fit_and_lose_nothing(width: int) -> None:
    text = as_text(document(ReportSection("Table 1", table=ReportTable(HEADER, [ENTRY]))), width)
    assert max(map(len, text.splitlines())) <= width
    assert all(shown in text for shown in (*HEADER, *(cell.text for cell in ENTRY.cells)))
    assert text.count("[-1.00, 10.00]") == 6
    assert text.count("society × 2") == text.count("row ")


def test_a_wide_terminal_has_the_table_in_one_piece() -> None:
    text = as_text(document(ReportSection("Table 1", table=ReportTable(HEADER, [ENTRY]))), 200)
    assert text.splitlines()[-2:] == [
        "society × 2  30" + "".join(f"{' ' * 12}{number}.25" for number in range(6)),
        " " * 15 + "  [-1.00, 10.00]" * 6,
    ]


def test_a_column_that_is_wider_than_the_terminal_is_shown_all_the_same() -> None:
    assert "[-1.00, 10.00]" in as_text(document(ReportSection("Table 1", table=ReportTable(HEADER, [ENTRY]))), 10)


def test_a_table_of_words_only_is_shown() -> None:
    table = ReportTable(["", "A", "B"], [ReportRow(words("seed", "0", "1"))], words=3)
    assert as_text(document(ReportSection("Choices", table=table)), 80).endswith("\n      A  B\nseed  0  1\n")


def test_what_is_said_in_short_is_not_said_again(tmp_path: Path) -> None:
    text = as_text(report(run(tmp_path, usual_texts())), 120)
    assert "clever: better in words" in text
    assert "in figures" not in text
    assert "paper: their plain" in text
    assert text.startswith("TEA TIME\n\n- Paper: Leaf and Cup")


def test_nothing_drives_the_terminal(tmp_path: Path) -> None:
    samples = [sample("evil\x1b[2J\u202e", corpus="T\x07"), *SAMPLES[1:]]
    text = as_text(report(run(tmp_path, {}, samples=samples, errors={("evil\x1b[2J\u202e", "plain"): "\x9b"})), 80)
    assert "evil[2J, plain" in text
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(text)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("p < 0.05 [1, 2]", "p < 0.05 [1, 2]"),
        ("\\](x)", "\\\\\\](x)"),
        ("[a][b]", "[a\\][b]"),
        ("<!-- x", "&lt;!-- x"),
        ("Straße, 茶", "Straße, 茶"),
        ("a\u202eb\tc\r\nd", "ab c d"),
    ],
)
def test_only_what_would_be_markup_is_escaped(text: str, shown: str) -> None:
    assert escaped(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [("10.1002/14651858.CD000370", "10-1002-14651858-cd000370"), ("../..", ""), ("Crème brûlée", "creme-brulee")],
)
def test_a_name_can_be_recognised(text: str, shown: str) -> None:
    assert slug(text) == shown
