from __future__ import annotations

import json
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES, PAUSED
from draftroom.rendering.journalism import READABILITY_LABELS
from tests.draftroom.conftest import Command
from tests.fake_endpoint import Script, Text, When
from tests.support.steps import asks

FIRST = "# Wet moss\n\nMoss grew by 20% in wet summers.\n\nA total of 77 bears watched it in Iceland."
SECOND = "# Wet moss\n\nMoss grew by 20% in wet summers.\n\nIt stopped to grow in dry ones, for lack of water."
ANSWERS = {
    "write_draft": FIRST,
    "take_notes": "## Extraction\n\n1. **Moss**: Moss grew\n\n## Explanation\n\n1. **Moss**: A small plant.",
    "advise": "1. **Evaluation of the notes**: Bears?\n\n## 2. Advice\n\n- Say what moss is.\n- Say how\n  moss grows.",
    "revise_draft": f"## Improvement\n\nTook the bears out.\n\n## Revised article\n\n{SECOND}",
}


@pytest.fixture
def told(draftroom: Command, paper: Path) -> Command:
    """A finished run of one round with known answers."""
    draftroom.endpoint.answer = Script([When(Text(answer), where=asks(step)) for step, answer in ANSWERS.items()])
    assert draftroom("explain", paper, "--select", "best").exit_code == 0
    return draftroom


def test_runs_lists_what_came_of_each_run(told: Command):
    (record,) = told.records()
    row = next(line for line in told("runs").stdout.splitlines() if record["id"] in line)
    first, second = (draft["mean_grade"] for draft in record["results"]["drafts"])
    assert row.split()[1:7] == ["explain", "moss.md", "done", f"{first:.1f}", "->", f"{second:.1f}"]
    tokens = sum(part["input_tokens"] + part["output_tokens"] for part in record["usage"])
    assert row.split()[7] == f"{tokens:,}"


def test_runs_as_json_are_the_records(told: Command):
    assert json.loads(told("runs", "--json").stdout) == told.records()


def test_without_runs_the_list_says_how_to_begin(draftroom: Command):
    listed = draftroom("runs")
    assert (listed.exit_code, listed.stdout) == (0, "")
    assert "draftroom explain" in listed.stderr
    assert json.loads(draftroom("runs", "--json").stdout) == []


def test_show_tells_the_whole_story(told: Command):
    shown = told("show", "last").stdout
    for part in (
        "First draft: grade",
        "note: Moss: A small plant.",
        "evaluation: Bears?",
        "advice: Say what moss is. (editor)",
        "advice: Say how moss grows. (editor)",
        "improved: Took the bears out.",
        "[-A total of 77 bears watched it in Iceland.",
        "{+It stopped to grow in dry ones",
        "Reader: large",
        "tokens out",
    ):
        assert part in shown
    assert all(label in shown.split("Readability", 1)[1] for label in READABILITY_LABELS.values())


def test_show_can_be_limited_to_a_round(told: Command):
    shown = told("show", "last", "--round", "0").stdout
    assert "First draft" in shown
    assert "Round 1" not in shown
    assert "tokens out" not in shown
    unknown = told("show", "last", "--round", "9")
    assert unknown.exit_code == EXIT_CODES["bad_request"]
    assert "This run has no round, entry or paragraph 9, but 0, 1." in unknown.stderr


def test_show_of_a_paused_run_tells_the_advice_that_waits(draftroom: Command, paper: Path):
    assert draftroom("explain", paper, "--pause").exit_code == PAUSED
    shown = draftroom("show", "last")
    assert "paused" in shown.stdout
    assert "advice: " in shown.stdout.split("Round 1", 1)[1]
    assert f"Next: draftroom resume {draftroom.records()[0]['id']}" in shown.stderr


def test_show_of_a_killed_run_tells_of_calls_that_its_record_is_behind_of(draftroom: Command, paper: Path):
    long = draftroom.with_variables({"DRAFTROOM_JOURNALISM__ROUNDS": "5"})
    draftroom.endpoint.hold_after(12)
    with long.start("explain", paper) as process:
        draftroom.endpoint.wait_for_requests(13, timeout_s=60)
        process.kill()
    (record,) = draftroom.records()
    assert sum(part["calls"] for part in record["usage"]) == 11, "a long run's record is not written at each call"
    rows = [line.split("│") for line in draftroom("show", "last").stdout.splitlines() if line.startswith("│")]
    assert sum(int(row[3]) for row in rows if len(row) == 11) == 12


def test_unsupported_facts_of_the_returned_draft_are_told(told: Command, paper: Path):
    result = told("explain", paper, "--rounds", "0")
    assert "77" in result.stderr
    assert "Details that the paper does not support" in result.stderr
    facts = told.records()[-1]["results"]["drafts"][0]["unsupported"]
    assert any("77" in fact["text"] for fact in facts)


def test_a_show_of_a_failed_run_tells_why(draftroom: Command, paper: Path):
    assert draftroom("explain", paper, "--model", "huge").exit_code == 42
    assert "(wrong_model): The endpoint" in draftroom("show", "last").stdout


def test_a_result_in_json_tells_the_same_story_without_the_run(told: Command, tmp_path: Path):
    result = tmp_path / "moss.json"
    story = told("show", "last", "-o", result).stdout
    told("runs", "delete", "last", "--yes")
    shown = told("show", result, "-o", tmp_path / "moss.md")
    assert (shown.exit_code, shown.stdout) == (0, story)
    assert "Moss grew by 20% in wet summers." in (tmp_path / "moss.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("text", ["[1]", '{"run": {"system": "astrology"}}', "{", '{"run": 3}'])
def test_json_that_is_no_result_is_refused(draftroom: Command, tmp_path: Path, text: str):
    (tmp_path / "a.json").write_text(text, encoding="utf-8")
    refused = draftroom("show", tmp_path / "a.json")
    assert refused.exit_code == EXIT_CODES["bad_request"]
    assert "a.json is no result of a run" in refused.stderr
