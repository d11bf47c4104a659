"""`draftroom eval` as a person runs it: against the fake endpoint, stopped, killed, resumed, compared."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from draftroom.exit_codes import EXIT_CODES
from runs.jobs import read_json_lines
from tests.draftroom.conftest import Command
from tests.fake_endpoint import FakeEndpoint, RecordedRequest, Reply, Status, Text, fill
from tests.support.corpus_files import write_lines
from tests.support.processes import preload
from tests.support.society import ABSTRACT, PART, WORDING, Society

preload("evals.evaluation")

SAMPLES = [
    {"id": "one", "source": ABSTRACT, "target": "Use your inhaler every day."},
    {"id": "two", "source": "Aspirin was given to 212 adults.", "target": "212 adults took aspirin."},
]


class Room(Command):
    """The command with a corpus beside its home, and a folder for a run."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.run_folder, self.corpus = self.home.with_name("run"), self.home.with_name("corpus.jsonl")
        write_lines(self.corpus, SAMPLES)

    def eval(self, *arguments: str) -> tuple[int, str]:
        """Run the command in this process; its exit code and what it printed."""
        result = self("eval", *arguments)
        return result.exit_code, result.output

    def simplify(self, *flags: str) -> tuple[int, str]:
        return self.eval("medical_simplification", str(self.corpus), "--out", str(self.run_folder), *flags)

    @property
    def outputs(self) -> dict[tuple[str, str], dict[str, Any]]:
        """Newest output of each sample and system."""
        return {(each["id"], each["system"]): each for each in read_json_lines(self.run_folder / "outputs.jsonl")}


@pytest.fixture
def room(tmp_path: Path, fake_endpoint: FakeEndpoint) -> Room:
    return Room(tmp_path / "home", fake_endpoint)


def refuse_aspirin(request: RecordedRequest) -> Reply:
    """A fault for one sample only."""
    return Status(400, "no aspirin here") if "spirin" in request.text else fill(request)


def test_what_failed_is_listed_and_tried_again_alone(room: Room, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = refuse_aspirin
    code, printed = room.simplify("--rows", "single,layperson3", "--concurrency", "4")
    assert code == 0, printed
    assert "two single endpoint_refused" in printed
    assert f"draftroom eval resume {room.run_folder}" in printed
    asked = len(fake_endpoint.chat_requests)

    fake_endpoint.answer = fill
    code, printed = room.eval("resume", str(room.run_folder))
    assert code == 0, printed
    assert "To try again" not in printed
    assert not any(ABSTRACT in request.text for request in fake_endpoint.chat_requests[asked:])
    layperson = room.outputs["two", "layperson"]["output"]
    assert [version["number"] for version in layperson["versions"]] == [0, 1, 2, 3]
    assert "settings" not in layperson


def test_a_run_of_which_nothing_came_fails(room: Room, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = lambda _: Text("# Latest Simplification")
    code, printed = room.simplify("--rows", "single", "--limit", "1")
    assert code == EXIT_CODES["model_output"], printed


def test_a_row_can_be_added_to_a_run(room: Room, fake_endpoint: FakeEndpoint) -> None:
    assert room.simplify("--rows", "single", "--limit", "1")[0] == 0
    asked = len(fake_endpoint.chat_requests)
    code, printed = room.simplify("--rows", "layperson1", "--limit", "1")
    assert code == 0, printed
    assert {system for _, system in room.outputs} == {"single", "layperson"}
    assert "single model" in printed
    assert len(read_json_lines(room.run_folder / "outputs.jsonl")) == 2
    assert len(fake_endpoint.chat_requests) > asked


def test_killed_twice_it_ends_as_if_it_had_not_been(tmp_path: Path) -> None:
    """No sample is run twice, and the scores are the same.

    Of the calls that were answered only one is made again for each kill, at most: that of the other sample under way.
    An agent's answer is always the same, since which of the two samples asks first is left to chance.
    """
    society = Society(Wordings=[{"suggestions": [WORDING]}], Redundancies=[{"redundancies": [PART]}])
    scores = []
    for name, kills in (("calm", []), ("killed", [3, 9])):
        (tmp_path / name).mkdir()
        with FakeEndpoint(answer=society) as endpoint:
            room = Room(tmp_path / name / "home", endpoint)
            flags = ["--rows", "single,society1", "--concurrency", "1"]
            arguments = ["medical_simplification", str(room.corpus), "--out", str(room.run_folder), *flags]
            for finished in kills:
                endpoint.hold_after(finished)
                process = room.start("eval", *arguments)
                endpoint.wait_for_requests(finished + 1, timeout_s=60)
                os.kill(process.pid, signal.SIGKILL)
                process.communicate(timeout=30)
                endpoint.release()
            code, printed = room.eval(*arguments)
            assert code == 0, printed
            answered = Counter(request.text for request in endpoint.chat_requests if request.finished)
            calls = sum(len(each["output"]["calls"]) for each in room.outputs.values())
            assert 0 <= sum(answered.values()) - calls <= len(kills)
            assert len(read_json_lines(room.run_folder / "outputs.jsonl")) == 4
            scores.append(json.loads((room.run_folder / "scores.json").read_text(encoding="utf-8"))["tables"])
    assert scores[0] == scores[1]


def test_ctrl_c_says_how_to_go_on(room: Room, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Society()
    fake_endpoint.hold_after(2)
    arguments = ["medical_simplification", str(room.corpus), "--out", str(room.run_folder), "--rows", "single"]
    with room.start("eval", *arguments, stderr=subprocess.STDOUT) as process:
        fake_endpoint.wait_for_requests(1, timeout_s=60)
        process.send_signal(signal.SIGINT)
        fake_endpoint.release()
        printed, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"draftroom eval resume {room.run_folder}" in printed
    assert "Traceback" not in printed


def test_two_runs_are_compared(room: Room, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert room.simplify("--rows", "single")[0] == 0
    code, printed = room.eval(
        "medical_simplification", str(room.corpus), "--out", str(other), "--rows", "single", "--model", "small"
    )
    assert code == 0, printed
    code, printed = room.eval("compare", str(room.run_folder), str(other))
    assert code == 0, printed
    assert "FKGL" in printed
    assert "small" in printed


def test_settings_of_the_first_day_hold_when_a_run_is_taken_up(room: Room, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = refuse_aspirin
    assert room.simplify("--rows", "single", "--concurrency", "1")[0] == 0
    asked = len(fake_endpoint.chat_requests)
    config = (room.run_folder / "config.json").read_bytes()
    fake_endpoint.answer = fill
    room.variables["DRAFTROOM_MODELS__DEFAULT__MODEL"] = "another"
    assert room.eval("resume", str(room.run_folder))[0] == 0
    assert {request.body["model"] for request in fake_endpoint.chat_requests[asked:]} == {"large"}
    assert (room.run_folder / "config.json").read_bytes() == config
