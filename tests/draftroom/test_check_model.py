"""`draftroom check --model`: a run like those of the systems, which streams, stops, resumes, is shown and batched."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draftroom.exit_codes import CONTRADICTIONS, STOPPED
from tests.draftroom.conftest import Command
from tests.graphs.test_number_check import BEGAN, PAPER, PARTS, SOILS, TWICE, answers

NAMED = ("--model", "large")


@pytest.fixture
def soils(draftroom: Command, tmp_path: Path) -> Path:
    draftroom.endpoint.answer = answers({TWICE: [BEGAN], PARTS: [SOILS]})
    path = tmp_path / "soils.md"
    path.write_text(PAPER, encoding="utf-8")
    return path


def test_a_model_that_is_named_reads_and_code_computes(draftroom: Command, soils: Path, tmp_path: Path) -> None:
    files = [tmp_path / f"found.{suffix}" for suffix in ("json", "md", "html")]
    result = draftroom("check", soils, *NAMED, *(part for file in files for part in ("-o", file)))
    assert result.exit_code == CONTRADICTIONS, result.output
    assert "2 passages with numbers to read" in result.stderr
    assert "2 findings: 2 medium." in result.stdout
    assert "24 + 21 + 18 = 63, printed is 60" in " ".join(result.stdout.split())
    told, markdown, page = (file.read_text(encoding="utf-8") for file in files)
    assert [found["kind"] for found in json.loads(told)["findings"]] == ["number told twice", "parts of a whole"]
    assert "48 in one place and 46 in the other" in markdown
    assert "Number reader" in page


def test_the_graph_looks_no_references_up(draftroom: Command, soils: Path) -> None:
    assert draftroom("check", soils, *NAMED, "--references").exit_code == 2


def test_a_run_that_was_stopped_goes_on_and_asks_nothing_again(draftroom: Command, soils: Path) -> None:
    stopped = draftroom("check", soils, *NAMED, "--max-calls", "1")
    assert stopped.exit_code == STOPPED
    assert stopped.stdout == ""
    assert "No contradiction" not in draftroom("show", "last").stdout
    resumed = draftroom("resume", "last")
    assert "2 findings: 2 medium." in resumed.stdout, resumed.output
    assert len(draftroom.endpoint.chat_requests) == 2
    assert "2 findings" in draftroom("runs").stdout


def test_many_papers(draftroom: Command, soils: Path, tmp_path: Path) -> None:
    draftroom.endpoint.answer = answers({TWICE: [{**BEGAN, "quote": "the 48 people"}], PARTS: [SOILS]})
    result = draftroom("batch", "check", soils, "--out", tmp_path / "out", *NAMED)
    assert result.exit_code == 0, result.output
    (row,) = map(json.loads, (tmp_path / "out" / "results.jsonl").read_text(encoding="utf-8").splitlines())
    assert row["scores"] == {"high": 0, "medium": 1, "low": 0, "unread": 1}
    assert row["calls"] == 2
