"""SIGKILL after each answered call: the run ends as one that nobody kills, and no answered call is asked again."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from runs.graph_state import load_state
from runs.record import find_record
from tests.draftroom.conftest import Command
from tests.faults.conftest import SHORT, Count
from tests.support.killing import CASES, answered, answers_in_checkpoint, comparable, record_of, wait_until

pytestmark = pytest.mark.faults
STEP = 4 if SHORT else 1


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["explain", "simplify", "review in turn"])
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
