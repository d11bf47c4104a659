"""A run that ends anywhere, by SIGKILL or a full disk, goes on: it ends as the uninterrupted one does, and repeats no
call whose answer was stored. One test a point, and a process that is really killed for each system and store.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from functools import cache
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from draftroom.commands.console_run import ConsoleProgress
from runs.driver import RunOutcome, drive_run
from runs.graph_state import load_state
from runs.record import RunRecord, find_record
from tests.draftroom.conftest import Command
from tests.fake_endpoint import FakeEndpoint, Hang, Hold, RecordedRequest, Reply
from tests.support.killing import (
    CASES,
    Case,
    Moment,
    RecordedRun,
    answered,
    answers_in_checkpoint,
    checkpoints_in,
    comparable,
    record_of,
    record_run,
    wait_until,
)
from tests.support.processes import run_code
from tests.support.review_room import CLAIM, SOUND, Room
from tests.support.steps import step_of

SYSTEMS = ["explain", "simplify", "review in turn"]
EVERY_CHECKPOINT = [(name, stored) for name in SYSTEMS for stored in range(CASES[name].checkpoints)]
# Of runs that ask one thing after the other the first and the last: a checkpoint lies between any two of them.
ANSWERS = [(name, stored) for name in SYSTEMS for stored in (0, len(CASES[name].calls) - 1)]
ANSWERS += [(name, stored) for name in ("check", "review at once") for stored in range(len(CASES[name].calls))]
Whole = Callable[[str], dict[str, Any]]
Recorded = Callable[[str], RecordedRun]


@pytest.fixture(params=["sqlite", "postgres"])
def checkpoints(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'runs.db'}" if request.param == "sqlite" else request.getfixturevalue("database")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Whole:
    """The state in which a case ends that nothing interrupts."""

    @cache
    def run(name: str) -> dict[str, Any]:
        case, home = CASES[name], tmp_path_factory.mktemp("whole")
        with FakeEndpoint(answer=case.answer()) as endpoint:
            with environment(case, home, endpoint):
                outcome = go_on(case, record_of(case.system, home), "sqlite")
            assert Counter(step_of(request) for request in endpoint.chat_requests) == Counter(case.calls)
        return comparable(outcome.values)

    return run


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Recorded]:
    """A run of a case, with what a kill would have left at each of its points."""
    with ExitStack() as endpoints:

        @cache
        def record(name: str) -> RecordedRun:
            case, home = CASES[name], tmp_path_factory.mktemp("recorded")
            endpoint = endpoints.enter_context(FakeEndpoint(answer=case.answer()))
            with environment(case, home, endpoint):
                return record_run(case, endpoint, home, tmp_path_factory.mktemp("copies"))

        yield record


def go_on_from(moment: Moment, run: RecordedRun) -> tuple[RunOutcome, list[str | None]]:
    """Resume what the moment left; how it ended, and what it asked for."""
    asked = len(run.asked)
    with environment(run.case, moment.home, run.endpoint):
        return go_on(run.case, deepcopy(run.record), checkpoints_in(moment.home)), run.asked[asked:]


def go_on(case: Case, record: RunRecord, checkpoints: str) -> RunOutcome:
    progress = ConsoleProgress(case.system.rendering, quiet=True)
    return drive_run(record, case.system.graph, progress, checkpoints=checkpoints)


@contextmanager
def environment(case: Case, home: Path, endpoint: FakeEndpoint) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as variables:
        for name, value in {**Command(home, endpoint).variables, **case.settings}.items():
            variables.setenv(name, value)
        yield


@pytest.mark.parametrize(("name", "stored"), EVERY_CHECKPOINT)
def test_a_run_that_lost_a_checkpoint_ends_as_the_uninterrupted_one(
    name: str, stored: int, recorded: Recorded, whole: Whole
) -> None:
    run = recorded(name)
    moment = run.moments["checkpoint"][stored]
    resumed, asked = go_on_from(moment, run)
    assert resumed.status == "done"
    assert comparable(resumed.values) == whole(name)
    assert run.asked[: moment.asked] + asked == CASES[name].calls, "no call is repeated"


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_checkpoint_is_without_its_test(name: str, recorded: Recorded) -> None:
    assert len(recorded(name).moments["checkpoint"]) == CASES[name].checkpoints


@pytest.mark.parametrize(("name", "stored"), ANSWERS)
def test_a_run_that_lost_an_answer_asks_for_that_one_again(
    name: str, stored: int, recorded: Recorded, whole: Whole
) -> None:
    run = recorded(name)
    moment = run.moments["answer"][stored]
    assert answers_in_checkpoint(checkpoints_in(moment.home)) == stored
    resumed, asked = go_on_from(moment, run)
    assert resumed.status == "done"
    assert comparable(resumed.values) == whole(name)
    assert asked == CASES[name].calls[stored:], "what was stored is not asked for again"


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_new_process_that_goes_on_loads_nothing_in_the_event_loop(name: str, recorded: Recorded) -> None:
    run = recorded(name)
    moment = run.moments["checkpoint"][2]
    code = f"""import json, sys
from tests.support.blocking import refuse_blocking_calls
from {__name__} import CASES, go_on
with refuse_blocking_calls():
    assert go_on(CASES[{name!r}], json.loads(sys.argv[1]), sys.argv[2]).status == 'done'"""
    with environment(run.case, moment.home, run.endpoint):
        resumed = run_code(code, json.dumps(run.record), checkpoints_in(moment.home))
    assert resumed.returncode == 0, resumed.stderr


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_process_that_is_killed_is_gone_on_with(
    name: str, checkpoints: str, whole: Whole, draftroom: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case, before, endpoint = CASES[name], answers_in_checkpoint(checkpoints), draftroom.endpoint
    command, kept = (
        draftroom.with_variables({**case.settings, "DRAFTROOM_CHECKPOINTS": checkpoints}),
        len(case.calls) // 2,
    )
    for variable, value in command.variables.items():
        monkeypatch.setenv(variable, value)
    endpoint.answer = case.answer()
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    endpoint.hold_after(kept)
    with command.start(*case.command, paper, "--quiet") as process:
        endpoint.wait_for_requests(kept + 1, timeout_s=60)
        wait_until(lambda: answers_in_checkpoint(checkpoints) - before == kept)
        process.kill()
    endpoint.release()
    assert command("resume", "last").exit_code == 0
    assert answered(endpoint.chat_requests) == Counter(case.calls), "no finished call is repeated"
    assert comparable(load_state(find_record("last"), case.system.graph)) == whole(name)


def test_every_answer_that_is_stored_in_a_burst_is_kept(draftroom: Command, tmp_path: Path) -> None:
    paragraphs = [CLAIM.replace("three weeks", f"{weeks} weeks") for weeks in range(3, 11)]
    (tmp_path / "paper.md").write_text("# Tea\n\n## Results\n\n" + "\n\n".join(paragraphs), encoding="utf-8")
    burst, answers, endpoint = Event(), Room(Weaknesses=[SOUND]), draftroom.endpoint
    stored = f"sqlite:///{draftroom.home / 'state' / 'checkpoints.sqlite'}"

    def planner_only(request: RecordedRequest) -> Reply:
        return Hold(burst, answers(request)) if request.schema_name == "ProposedPlan" else Hang()

    endpoint.answer = planner_only
    arguments: list[str | Path] = ["review", tmp_path / "paper.md", "--plans", "1", "--retrieval", "bm25", "--quiet"]
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
