"""A report on a terminal and as Markdown: tables fit, nothing drives the terminal, no text is taken for markup."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.reports.document import ReportDocument, ReportSection, as_text, escaped, table
from evals.reports.report import report
from tests.support.tea_task import SAMPLES, run, sample, usual_texts

HEADER = ["row", "n", *(f"measure{number}" for number in range(6))]
TABLE = table(HEADER, [["society × 2", "30", *(f"{number}.25 [-1.00, 10.00]" for number in range(6))]])


@pytest.mark.parametrize("width", [60, 80, 200])
def test_tables_fit_and_lose_nothing(width: int) -> None:
    text = as_text(ReportDocument("title", [], [], [ReportSection("Table 1", table=TABLE)]), width)
    assert max(map(len, text.splitlines())) <= width
    assert all(shown in text for shown in (*HEADER[1:], *TABLE.iloc[0]))
    assert text.count("society × 2") == text.count("\\") + 1, "each part of the table names its rows"


def test_nothing_drives_the_terminal(tmp_path: Path) -> None:
    samples = [sample("evil\x1b[2J\u202e", corpus="T\x07"), *SAMPLES[1:]]
    text = as_text(report(run(tmp_path, {}, samples=samples, errors={("evil\x1b[2J\u202e", "plain"): "\x9b"})), 80)
    assert "evil[2J, plain" in text
    assert not {"\x1b", "\x07", "\u202e", "\x9b"} & set(text)


def test_the_report_is_told_without_its_figures(tmp_path: Path) -> None:
    text = as_text(report(run(tmp_path, usual_texts())), 120)
    assert text.startswith("TEA TIME\n\n- Paper: Leaf and Cup")
    assert "clever: better in words" in text
    assert "paper: their plain" in text


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
