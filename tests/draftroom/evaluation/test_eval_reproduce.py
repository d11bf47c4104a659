"""`draftroom eval reproduce`: what it will take is said first, and what has ended is not run again."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evals.reproduction import STAGES
from tests.draftroom.conftest import Command
from tests.draftroom.evaluation.conftest import BEANS
from tests.draftroom.refusing import assert_refused
from tests.support.corpus_files import write_lines


@pytest.fixture
def corpora(tmp_path: Path) -> Path:
    """A folder with articles and nothing else."""
    folder = tmp_path / "data"
    folder.mkdir()
    write_lines(folder / "journalism-beans.jsonl", BEANS[:1])
    return folder


def amounts(printed: str) -> list[int]:
    """Outputs, calls and tokens of the last line of the plan."""
    (line,) = re.findall(r"all that is left.*", printed)
    return [int(number.replace(",", "")) for number in re.findall(r"[\d,]+(?![\d.,])", line)][:4]


def test_a_plan_names_every_stage_and_asks_nobody(draftroom: Command, tmp_path: Path) -> None:
    result = draftroom("eval", "reproduce", "--plan", "--limit", "1", "--out", tmp_path / "out")
    assert result.exit_code == 0, result.output
    printed = " ".join(result.stdout.split())
    assert draftroom.endpoint.chat_requests == []
    for number in range(1, len(STAGES) + 1):
        assert f"│ {number} │" in printed
    assert all(amounts(result.stdout))
    assert "reads 5,000 and writes 1,000 tokens a second" in result.stderr
    told = " ".join(result.stderr.split())
    assert (
        "Not made here: SWIF2T, Recall@1 of the plan re-ranker; it asks no model: `draftroom eval plan_reranking`."
        in told
    )


def test_hours_follow_from_the_speed_of_the_endpoint(draftroom: Command, tmp_path: Path) -> None:
    hours = []
    for factor in (1, 10):
        speed = ("--reads", str(10 * factor), "--writes", str(factor))
        result = draftroom("eval", "reproduce", "--plan", "--limit", "1", "--out", tmp_path / "out", *speed)
        (line,) = re.findall(r"all that is left.*", result.stdout)
        hours.append(float(re.findall(r"[\d.,]+", line)[-1].replace(",", "")))
    assert hours[0] == pytest.approx(10 * hours[1], rel=0.05)


def test_what_has_ended_is_not_run_again_and_what_cannot_be_run_says_why(
    draftroom: Command, corpora: Path, tmp_path: Path
) -> None:
    command = ("eval", "reproduce", corpora, "--out", tmp_path / "out", "--quiet")
    first = draftroom(*command)
    assert first.exit_code == 0, first.output
    assert "holds nothing whose name begins with 'simplification'" in " ".join(first.stdout.replace("│", " ").split())
    report = (tmp_path / "out" / "science_journalism" / "report.md").read_text(encoding="utf-8")
    for row in ("LLM-CLBR, no-notes", "LLM-CLBR with all extensions"):
        assert row in report
    asked = len(draftroom.endpoint.chat_requests)
    assert asked
    assert amounts(first.stdout.rpartition("what it shows")[2])[:2] == [0, 0]
    again = draftroom(*command)
    assert again.exit_code == 0, again.output
    assert len(draftroom.endpoint.chat_requests) == asked


def test_costs_are_those_of_the_samples_that_ended(draftroom: Command, corpora: Path, tmp_path: Path) -> None:
    write_lines(corpora / "journalism-beans.jsonl", BEANS)
    out = tmp_path / "out"
    data = (corpora / "journalism-beans.jsonl", "--rows", "single", "--out", out / "science_journalism")
    assert draftroom("eval", "science_journalism", *data, "--quiet").exit_code == 0
    lines = (out / "science_journalism" / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    (out / "science_journalism" / "outputs.jsonl").write_text(f"{lines[0]}\n", encoding="utf-8")
    calls = len(json.loads(lines[0])["output"]["calls"])
    result = draftroom("eval", "reproduce", corpora, "--plan", "--out", out)
    assert result.exit_code == 0, result.output
    (stage,) = re.findall(r"^│ 1 .*", result.stdout, re.MULTILINE)
    outputs, expected = re.findall(r"│\s+([\d,]+) ", stage)[1:3]
    assert (int(outputs), int(expected)) == (1, calls)


def test_another_model_in_the_same_folder_is_refused_before_anyone_is_asked(
    draftroom: Command, corpora: Path, tmp_path: Path
) -> None:
    command = ("eval", "reproduce", corpora, "--out", tmp_path / "out")
    assert draftroom(*command, "--plan").exit_code == 0
    result = draftroom(*command, "--model", "another")
    assert_refused(draftroom, result, "bad_settings", "choose another folder with --out")


def test_a_folder_without_corpora_is_told_how_to_name_them(draftroom: Command, tmp_path: Path) -> None:
    write_lines(tmp_path / "beans.jsonl", BEANS)
    result = draftroom("eval", "reproduce", tmp_path, "--plan")
    assert_refused(draftroom, result, "bad_request", "as in journalism-elife.jsonl")


def test_a_folder_that_is_none_is_said(draftroom: Command, tmp_path: Path) -> None:
    assert_refused(
        draftroom, draftroom("eval", "reproduce", tmp_path / "none", "--plan"), "missing_file", "is no folder"
    )
