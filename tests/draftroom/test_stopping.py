from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from draftroom.exit_codes import STOPPED
from runs.signals import STOPPING_MESSAGE
from tests.draftroom.conftest import Command
from tests.fake_endpoint import Status, fill
from tests.support.processes import Child
from tests.support.steps import step_of

ROUND = ["write_draft", "take_notes", "advise", "revise_draft"]


@pytest.fixture
def held(draftroom: Command, paper: Path):
    """A run in a process of its own whose second call, the reader's, is not answered yet."""
    draftroom.endpoint.hold_after(1)
    with draftroom.start("explain", paper) as process:
        draftroom.endpoint.wait_for_requests(2, timeout_s=60)
        yield process
        process.kill()


def read_until(process: Child, line: str) -> None:
    assert process.stderr is not None
    for found in process.stderr:
        if found.strip() == line:
            return
    raise AssertionError(f"the command never said {line!r}")


def asked(draftroom: Command) -> list[str]:
    return [step_of(request) for request in draftroom.endpoint.chat_requests]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_first_signal_lets_the_call_in_progress_finish(draftroom: Command, held: Child, number: signal.Signals):
    held.send_signal(number)
    read_until(held, STOPPING_MESSAGE)
    draftroom.endpoint.release()
    _, stderr = held.communicate(timeout=60)
    (record,) = draftroom.records()
    assert held.returncode == STOPPED
    assert f"draftroom resume {record['id']}" in stderr
    assert "Traceback" not in stderr
    assert record["status"] == "stopped"
    assert [part["role"] for part in record["usage"]] == ["journalist", "reader"]

    assert draftroom("resume", record["id"]).exit_code == 0
    assert asked(draftroom) == ROUND, "every call was made once"


def test_the_second_signal_stops_at_once(draftroom: Command, held: Child):
    held.send_signal(signal.SIGINT)
    read_until(held, STOPPING_MESSAGE)
    held.send_signal(signal.SIGINT)
    _, stderr = held.communicate(timeout=60)
    (record,) = draftroom.records()
    assert held.returncode == STOPPED
    assert "Traceback" not in stderr
    assert record["status"] == "stopped"
    assert [part["role"] for part in record["usage"]] == ["journalist"]

    draftroom.endpoint.release()
    assert draftroom("resume", record["id"]).exit_code == 0
    assert asked(draftroom) == ["write_draft", "take_notes", *ROUND[1:]], "only the call in flight was repeated"


def test_a_stop_during_the_last_call_leaves_nothing_to_ask(draftroom: Command, paper: Path):
    draftroom.endpoint.hold_after(0)
    with draftroom.start("explain", paper, "--variant", "single", "--quiet") as process:
        draftroom.endpoint.wait_for_requests(1, timeout_s=60)
        process.send_signal(signal.SIGINT)
        read_until(process, STOPPING_MESSAGE)
        draftroom.endpoint.release()
        process.communicate(timeout=60)
    assert process.returncode == STOPPED
    assert draftroom("resume", "last").exit_code == 0
    assert asked(draftroom) == ["write_draft"]


@pytest.mark.parametrize(("number", "lists"), [(signal.SIGINT, False), (signal.SIGTERM, True)])
def test_a_signal_ends_the_wait_for_a_server_that_loads_its_model(
    draftroom: Command, paper: Path, number: signal.Signals, lists: bool
):
    draftroom.endpoint.loading = 0 if lists else 10_000
    draftroom.endpoint.answer = lambda _: Status(503, "Loading model")
    with draftroom.start("explain", paper) as process:
        assert process.stderr is not None
        assert any("is loading" in line for line in process.stderr)
        process.send_signal(number)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == STOPPED
    assert "Traceback" not in stderr
    draftroom.endpoint.loading, draftroom.endpoint.answer = 0, fill
    assert draftroom("resume", "last").exit_code == 0


def test_ctrl_c_before_a_run_leaves_none(draftroom: Command, tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with draftroom.start("explain", pipe) as process, pipe.open("w"):  # opens once the command reads the other end
        process.send_signal(signal.SIGINT)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == STOPPED
    assert "Traceback" not in stderr
    assert draftroom.records() == []
