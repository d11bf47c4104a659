"""A run that ends anywhere, by SIGKILL or a full disk, goes on: it ends as the uninterrupted one does, and repeats no
call whose answer was stored. One test a point, and a process that is really killed for each system and store.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from draftroom.commands.driving import ConsoleProgress
from runs.driver import drive, read_state
from runs.store import find_record
from tests.draftroom.conftest import Command
from tests.fake_endpoint import FakeEndpoint, Hang, Hold, RecordedRequest, Reply
from tests.support.killing import (
    CASES,
    Case,
    answered,
    answers_in_checkpoint,
    begin,
    comparable,
    record_of,
    wait_until,
)
from tests.support.postgres import PROGRAMS, postgres
from tests.support.review_room import CLAIM, SOUND, Room

SYSTEMS = ["explain", "simplify", "review in turn"]
EVERY_CHECKPOINT = [("sqlite", name, stored) for name in SYSTEMS for stored in range(CASES[name].checkpoints)]
EVERY_ANSWER = [(name, stored) for name, case in CASES.items() for stored in range(len(case.calls))]
Whole = Callable[[str], dict[str, Any]]
Begun = Callable[..., Command]


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    if None in PROGRAMS:
        pytest.skip("Postgres is not installed")
    pytest.importorskip("langgraph.checkpoint.postgres")
    with postgres() as address:
        yield address


@pytest.fixture(params=["sqlite", "postgres"])
def checkpoints(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}" if request.param == "sqlite" else request.getfixturevalue("database")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The state in which a case ends that nothing interrupts."""

    @cache
    def run(name: str) -> dict[str, Any]:
        case, home = CASES[name], tmp_path_factory.mktemp("whole")
        with FakeEndpoint({"large": 8192, "small": 4096}, answer=case.answer()) as endpoint:
            with pytest.MonkeyPatch.context() as monkeypatch:
                for variable, value in {**Command(home, endpoint).variables, **case.settings}.items():
                    monkeypatch.setenv(variable, value)
                outcome = drive(
                    record_of(case.system, home),
                    case.system.graph,
                    ConsoleProgress(case.system.rendering, quiet=True),
                    checkpoints="sqlite",
                )
            assert Counter(request.schema_name for request in endpoint.chat_requests) == Counter(case.calls)
        return comparable(outcome.values)

    return run


@pytest.fixture
def begun(draftroom: Command, monkeypatch: pytest.MonkeyPatch) -> Begun:
    """Sets the environment of a case, and has its models answer."""

    def set_up(case: Case, **variables: str) -> Command:
        draftroom.endpoint.answer = case.answer()
        command = draftroom.with_variables({**case.settings, **variables})
        for name, value in command.variables.items():
            monkeypatch.setenv(name, value)
        return command

    return set_up


@pytest.mark.parametrize(
    ("checkpoints", "name", "stored"),
    EVERY_CHECKPOINT + [("postgres", name, 2) for name in SYSTEMS],
    indirect=["checkpoints"],
)
def test_a_run_that_lost_a_checkpoint_ends_as_the_uninterrupted_one(
    checkpoints: str, name: str, stored: int, begun: Begun, whole: Whole, tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    case = CASES[name]
    begun(case)
    record = record_of(case.system, tmp_path)
    assert asyncio.run(begin(case.system, record, checkpoints, "checkpoint", stored))
    resumed = drive(
        record, case.system.graph, ConsoleProgress(case.system.rendering, quiet=True), checkpoints=checkpoints
    )
    assert resumed.status == "done"
    assert comparable(resumed.values) == whole(name)
    assert [request.schema_name for request in endpoint.chat_requests] == case.calls, "no call is repeated"


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_checkpoint_is_without_its_test(name: str, begun: Begun, tmp_path: Path) -> None:
    case = CASES[name]
    begun(case)
    record, address = record_of(case.system, tmp_path), f"sqlite:///{tmp_path / 'runs.db'}"
    assert not asyncio.run(begin(case.system, record, address, "checkpoint", case.checkpoints))


@pytest.mark.parametrize(("name", "stored"), EVERY_ANSWER)
def test_a_run_that_lost_an_answer_asks_for_that_one_again(
    name: str, stored: int, begun: Begun, whole: Whole, tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    case = CASES[name]
    begun(case)
    record, address = record_of(case.system, tmp_path), f"sqlite:///{tmp_path / 'runs.db'}"
    assert asyncio.run(begin(case.system, record, address, "answer", stored))
    assert answers_in_checkpoint(address) == stored
    before = len(endpoint.chat_requests)
    resumed = drive(record, case.system.graph, ConsoleProgress(case.system.rendering, quiet=True), checkpoints=address)
    assert resumed.status == "done"
    assert comparable(resumed.values) == whole(name)
    asked = [request.schema_name for request in endpoint.chat_requests[before:]]
    assert asked == case.calls[stored:], "what was stored is not asked for again"


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_process_that_is_killed_is_gone_on_with(
    name: str, checkpoints: str, begun: Begun, whole: Whole, tmp_path: Path, endpoint: FakeEndpoint
) -> None:
    case, before = CASES[name], answers_in_checkpoint(checkpoints)
    command, kept = begun(case, DRAFTROOM_CHECKPOINTS=checkpoints), len(case.calls) // 2
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    endpoint.hold_after(kept)
    with command.start(*case.command, paper, "--quiet") as process:
        endpoint.wait_for_requests(kept + 1, timeout_s=60)
        wait_until(lambda: answers_in_checkpoint(checkpoints) - before == kept)
        process.kill()
    endpoint.release()
    assert command("resume", "last").exit_code == 0
    assert answered(endpoint.chat_requests) == Counter(case.calls), "no finished call is repeated"
    assert comparable(read_state(find_record("last"), case.system.graph)) == whole(name)


def test_every_answer_that_is_stored_in_a_burst_is_kept(draftroom: Command, tmp_path: Path) -> None:
    paragraphs = [CLAIM.replace("three weeks", f"{weeks} weeks") for weeks in range(3, 11)]
    (tmp_path / "paper.md").write_text("# Tea\n\n## Results\n\n" + "\n\n".join(paragraphs), encoding="utf-8")
    burst, answers, endpoint = Event(), Room(Weaknesses=[SOUND]), draftroom.endpoint
    stored = f"sqlite:///{draftroom.home / 'state' / 'checkpoints.sqlite'}"

    def planner_only(request: RecordedRequest) -> Reply:
        return Hold(burst, answers(request)) if request.schema_name == "ProposedPlan" else Hang()

    endpoint.answer = planner_only
    arguments = ["review", tmp_path / "paper.md", "--plans", "1", "--retrieval", "bm25", "--quiet"]
    with draftroom.start(*arguments) as process:
        endpoint.wait_for_requests(len(paragraphs), timeout_s=60)
        burst.set()
        wait_until(lambda: answers_in_checkpoint(stored) > 0)
        process.kill()
    kept = answers_in_checkpoint(stored)
    endpoint.answer = answers
    assert draftroom("resume", "last").exit_code == 0
    asked = [request for request in endpoint.chat_requests if request.schema_name == "ProposedPlan"]
    assert len(asked) == 2 * len(paragraphs) - kept, "only what was not stored is asked again"
