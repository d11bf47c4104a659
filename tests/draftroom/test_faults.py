"""SIGKILL at random times, and disks that fill up anywhere, leave no run dead (`make test-faults`)."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest
from langgraph.types import StateSnapshot

from draftroom.systems import System, find_system
from draftroom.systems.feedback import FOCUSED_FEEDBACK
from draftroom.systems.journalism import JOURNALISM
from draftroom.systems.simplification import SIMPLIFICATION
from runs.checkpoints import open_checkpointer
from runs.graph_state import build_graph_config, load_state
from runs.record import RunRecord
from tests.draftroom.conftest import Command
from tests.draftroom.forked_runs import driven
from tests.fake_endpoint import Answer, FakeEndpoint, RecordedRequest, fill
from tests.support.killing import answers_in_checkpoint, comparable, record_of
from tests.support.review_room import Room, plan
from tests.support.society import PART, WORDING, Society

pytestmark = pytest.mark.faults

KILLS = 34
"""Of each system."""
ANSWERS: dict[str, Answer] = {  # the same answer whenever the same is asked
    JOURNALISM.name: fill,
    SIMPLIFICATION.name: Society(Wordings=[{"suggestions": [WORDING]}], Redundancies=[{"redundancies": [PART]}]),
    FOCUSED_FEEDBACK.name: Room(ProposedPlan=[plan("What was the water like?", "How tall were they?")]),
}
SHORT = {
    "DRAFTROOM_JOURNALISM__ROUNDS": "2",
    "DRAFTROOM_SIMPLIFICATION__ENTRIES": "1",
    "DRAFTROOM_FEEDBACK__PLANS": "1",
}


class Killer:
    """Drives runs of a system, each with a state folder of its own, and kills them at random times."""

    def __init__(self, system: System, endpoint: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._system = system
        self._endpoint = endpoint
        self._tmp_path = tmp_path
        self._monkeypatch = monkeypatch
        self._attempts = 0
        self.seconds = 0.0
        """What the last process was given."""
        self.kills = 0
        self.gaps = 0
        """Kills between the stored writes of a step and the next checkpoint."""

    def new_run(self, name: str) -> tuple[RunRecord, Path]:
        """A run that is about to begin, and its home."""
        home = self._tmp_path / name
        home.mkdir()
        self._monkeypatch.setenv("DRAFTROOM_HOME", str(home))
        return {**record_of(self._system, self._tmp_path), "checkpoints": "sqlite"}, home

    def drive(self, record: RunRecord, seconds: float) -> tuple[int | None, list[RecordedRequest]]:
        """How a process that drove the run ended, killed after so many seconds, and what it asked."""
        self._attempts += 1
        key = f"attempt-{self._attempts}"  # tells its requests from those that a process before left on the way
        with driven(record, {**os.environ, "OPENAI_API_KEY": key}) as process:
            begun = time.monotonic()
            process.join(seconds)
            self.seconds = time.monotonic() - begun
            process.kill()
            process.join()
            chats = self._endpoint.chat_requests
            asked = [request for request in chats if request.headers["authorization"] == f"Bearer {key}"]
            return process.exitcode, asked

    def kill(self, record: RunRecord, seconds: float) -> None:
        """Kill the run after so many seconds of driving it; what hits no step under way is not counted."""
        code, _ = self.drive(record, seconds)
        assert code in {0, -signal.SIGKILL}
        snapshot = asyncio.run(snapshot_of(record))
        if snapshot.created_at is not None and not self._system.graph.is_finished(snapshot.values):
            self.kills += 1
            self.gaps += not snapshot.next


async def snapshot_of(record: RunRecord) -> StateSnapshot:
    async with open_checkpointer() as saver:
        graph = find_system(record["system"]).graph.builder.compile(checkpointer=saver)
        return await graph.aget_state(build_graph_config(record["thread"]))


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("system", [JOURNALISM, SIMPLIFICATION, FOCUSED_FEEDBACK], ids=lambda system: system.name)
def test_a_run_that_is_killed_at_any_time_ends_as_one_that_nobody_kills(
    system: System, draftroom: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in {**draftroom.variables, **SHORT}.items():
        monkeypatch.setenv(name, value)
    draftroom.endpoint.answer = ANSWERS[system.name]
    killer, chance = Killer(system, draftroom.endpoint, tmp_path, monkeypatch), random.Random(18)

    record, home = killer.new_run("whole")
    begun = time.monotonic()
    code, calls = killer.drive(record, 600)
    length = killer.seconds
    assert code == 0
    assert answers_in_checkpoint(f"sqlite:///{home}/state/checkpoints.sqlite") == len(calls)
    expected = comparable(load_state(record, system.graph))

    runs = 0
    while killer.kills < KILLS:
        runs += 1
        assert runs < 20 * KILLS, f"of {runs - 1} runs only {killer.kills} were killed in the middle"
        record, home = killer.new_run(f"run-{runs}")
        for _ in range(chance.choice([1, 1, 2])):
            killer.kill(record, chance.uniform(0, length))
        kept = answers_in_checkpoint(f"sqlite:///{home}/state/checkpoints.sqlite")
        code, asked = killer.drive(record, 600)
        assert code == 0, f"run {runs} is dead"
        assert comparable(load_state(record, system.graph)) == expected
        assert len(asked) == len(calls) - kept, "no answer that is in the checkpoints is asked for again"
    sys.stdout.write(
        f"\n{system.name}: {killer.kills} kills in the middle of {runs} runs, {killer.gaps} between writes and "
        f"checkpoint; no run is dead; an uninterrupted one takes {length:.1f} s, the "
        f"test took {time.monotonic() - begun:.0f} s\n"
    )
