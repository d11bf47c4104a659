"""`draftroom check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draftroom.exit_codes import CONTRADICTIONS, EXIT_CODES
from tests.draftroom.conftest import Command

BAD = "# Tea & growth\n\n## Results\n\nIt held in 20% (8 of 32) of the plants, t(38) = 1.20, p = .034.\n"


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "paper.md"
    path.write_text(BAD, encoding="utf-8")
    return path


def test_findings_are_a_table_and_an_exit_code(draftroom: Command, paper: Path):
    result = draftroom("check", paper)
    assert result.exit_code == CONTRADICTIONS
    assert "8 of 32 is 25.0%" in " ".join(result.stdout.split())
    assert "2 findings: 1 high, 1 medium." in result.stdout
    assert draftroom.endpoint.requests == []


def test_findings_are_written_in_the_format_of_the_suffix(draftroom: Command, paper: Path, tmp_path: Path):
    files = [tmp_path / f"found.{suffix}" for suffix in ("json", "md", "html")]
    draftroom("check", paper, *(part for file in files for part in ("-o", file)))
    told, markdown, page = (file.read_text(encoding="utf-8") for file in files)
    assert {found["quote"] for found in json.loads(told)["findings"]} == {"20% (8 of 32", "t(38) = 1.20, p = .034"}
    assert "> 20% (8 of 32" in markdown
    assert "Tea &amp; growth" in page


def test_what_is_left_out_does_not_count(draftroom: Command, paper: Path):
    result = draftroom("check", paper, "--without", "percentage", "--without", "test and p-value")
    assert result.exit_code == 0
    assert "No contradiction" in result.stdout
    assert "1 finding: 1 high." in draftroom("check", paper, "--severity", "high").stdout


def test_bad_requests_are_refused(draftroom: Command, paper: Path):
    assert draftroom("check", paper, "-o", "findings.docx").exit_code == 2
    assert draftroom("check", paper, "--without", "spelling").exit_code == 2
    assert draftroom("check", paper.with_name("none.md")).exit_code == EXIT_CODES["missing_file"]
