"""The report on a terminal: tables keep to its width, and nothing drives it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evals.reports.document import Cell, Document, Entry, Grid, Section, words
from evals.reports.report import report
from evals.reports.terminal import as_text
from tests.evals.reports.tea import SAMPLES, run, sample, usual_texts

HEADER = ["row", "n", *(f"measure{number}" for number in range(6))]
ENTRY = Entry([*words("society × 2", "30"), *(Cell(f"{number}.25", "[-1.00, 10.00]") for number in range(6))])


def document(*sections: Section) -> Document:
    return Document("title", [], [], sections)


@pytest.mark.parametrize("width", [40, 80, 200])
def test_tables_fit_and_lose_nothing(width: int) -> None:
    text = as_text(document(Section("Table 1", grid=Grid(HEADER, [ENTRY]))), width)
    assert max(map(len, text.splitlines())) <= width
    assert all(shown in text for shown in (*HEADER, *(cell.text for cell in ENTRY.cells)))
    assert text.count("[-1.00, 10.00]") == 6
    assert text.count("society × 2") == text.count("row ")


def test_a_wide_terminal_has_the_table_in_one_piece() -> None:
    text = as_text(document(Section("Table 1", grid=Grid(HEADER, [ENTRY]))), 200)
    assert text.splitlines()[-2:] == [
        "society × 2  30" + "".join(f"{' ' * 12}{number}.25" for number in range(6)),
        " " * 15 + "  [-1.00, 10.00]" * 6,
    ]


def test_a_column_that_is_wider_than_the_terminal_is_shown_all_the_same() -> None:
    assert "[-1.00, 10.00]" in as_text(document(Section("Table 1", grid=Grid(HEADER, [ENTRY]))), 10)


def test_a_table_of_words_only_is_shown() -> None:
    grid = Grid(["", "A", "B"], [Entry(words("seed", "0", "1"))], words=3)
    assert as_text(document(Section("Choices", grid=grid)), 80).endswith("\n      A  B\nseed  0  1\n")


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
