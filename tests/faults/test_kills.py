"""SIGKILL after each answered call, and at any time: runs end as one that nobody kills, and repeat no stored call."""

from __future__ import annotations

import random
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired

import pytest

from runs.graph_state import load_state
from runs.record import find_record
from tests.draftroom.conftest import Command
from tests.faults.conftest import SHORT, Count
from tests.support.killing import CASES, answered, answers_in_checkpoint, comparable, record_of, wait_until

pytestmark = pytest.mark.faults
STEP = 4 if SHORT else 1
KILLS = 4 if SHORT else 34
every_system = pytest.mark.parametrize("name", ["explain", "simplify", "review in turn"])


@pytest.mark.timeout(1800)
@every_system
def test_a_process_that_is_killed_after_any_answer_is_gone_on_with(
    name: str, store: str, draftroom: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: Count
) -> None:
    case, endpoint = CASES[name], draftroom.endpoint
    command = draftroom.with_variables({**case.settings, "DRAFTROOM_CHECKPOINTS": store})
    for variable, value in command.variables.items():
        monkeypatch.setenv(variable, value)
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    endpoint.answer = case.answer()
    assert command(*case.command, paper, "--quiet").exit_code == 0
    whole = comparable(load_state(find_record("last"), case.system.graph))

    points = range(0, len(case.calls), STEP)
    for kept in points:
        asked, before = len(endpoint.chat_requests), answers_in_checkpoint(store)
        endpoint.answer = case.answer()
        endpoint.hold_after(asked + kept)
        with command.start(*case.command, paper, "--quiet") as process:
            endpoint.wait_for_requests(asked + kept + 1, timeout_s=300)
            wait_until(lambda: answers_in_checkpoint(store) - before == kept)  # noqa: B023
            process.kill()
        endpoint.release()
        assert command("resume", "last", "--quiet").exit_code == 0
        finished = answered(endpoint.chat_requests[asked:])
        assert finished == Counter(case.calls), f"killed after {kept} answers: an answered call is asked again"
        assert comparable(load_state(find_record("last"), case.system.graph)) == whole
    figures = f"{len(points)} runs killed, all ended alike, no answered call was asked again"
    count("SIGKILL after each answered call", f"{name}, {store.partition(':')[0]}", figures)


@pytest.mark.timeout(1800)
@every_system
def test_a_process_that_is_killed_at_any_time_is_gone_on_with(
    name: str, draftroom: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: Count
) -> None:
    case, chance, store = CASES[name], random.Random(18), f"sqlite:///{tmp_path / 'runs.db'}"
    command = draftroom.with_variables({**case.settings, "DRAFTROOM_CHECKPOINTS": store})
    for variable, value in command.variables.items():
        monkeypatch.setenv(variable, value)
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    for _ in range(2):  # the first one waits for the process that it is forked from
        draftroom.endpoint.answer, begun = case.answer(), time.monotonic()
        with command.start(*case.command, paper, "--quiet") as process:
            assert process.wait(600) == 0
        length = time.monotonic() - begun
    whole = comparable(load_state(find_record("last"), case.system.graph))

    runs = kills = 0
    while kills < KILLS:
        runs += 1
        assert runs < 20 * KILLS, f"of {runs - 1} runs only {kills} were killed in the middle"
        draftroom.endpoint.answer, before, known = case.answer(), answers_in_checkpoint(store), command.records()
        with suppress(TimeoutExpired), command.start(*case.command, paper, "--quiet") as process:
            process.wait(chance.uniform(0, length))
        kept, records = answers_in_checkpoint(store) - before, command.records()
        if len(records) == len(known) or records[-1]["status"] == "done":
            continue
        kills += 1
        key = f"resume-{kills}"  # tells its requests from those that the process before left on the way
        resumed = command.with_variables({"OPENAI_API_KEY": key})("resume", "last", "--quiet")
        assert resumed.exit_code == 0, resumed.stderr
        assert comparable(load_state(find_record("last"), case.system.graph)) == whole
        chats = draftroom.endpoint.chat_requests
        asked = [request for request in chats if request.headers["authorization"] == f"Bearer {key}"]
        assert len(asked) == len(case.calls) - kept, "an answer that is in the checkpoints is asked for again"
    figures = f"{kills} kills in {runs} runs, all ended alike, no stored answer was asked for again"
    count("SIGKILL at random times", f"{name}, sqlite", figures)
