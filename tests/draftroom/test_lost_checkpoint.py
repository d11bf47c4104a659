"""A run that ends between the stored writes of a step and the next checkpoint, by SIGKILL or a full disk, goes on.

Its saver stops there: what was stored before stays, and nothing is stored any more.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from draftroom.papers import take_paper
from draftroom.progress import Progress
from draftroom.records import RunInput, RunRecord, new_record
from draftroom.runner import drive
from draftroom.systems import FOCUSED_FEEDBACK, JOURNALISM, SIMPLIFICATION, System
from nodes.feedback.initialise import freeze as freeze_feedback
from nodes.journalism.initialise import freeze as freeze_journalism
from nodes.simplification.initialise import freeze as freeze_simplification
from tests.fake_endpoint import Answer, FakeEndpoint
from tests.graphs.killing import comparable
from tests.graphs.review_room import PAPER as DRAFT
from tests.graphs.review_room import Room, plan
from tests.graphs.society import ABSTRACT, Society
from tests.graphs.support import PAPER, Newsroom
from tests.tools.postgres import PROGRAMS, postgres
from tools.configuration import load_settings
from tools.models import close_clients

ANSWERS: dict[str, Callable[[], Answer]] = {
    JOURNALISM.name: Newsroom,
    SIMPLIFICATION.name: Society,
    FOCUSED_FEEDBACK.name: lambda: Room(ProposedPlan=[plan("What was the water like?", "How tall were they?")]),
}
QUICK = {
    "DRAFTROOM_SIMPLIFICATION__ENTRIES": "1",
    "DRAFTROOM_SIMPLIFICATION__LOOPS": '["language_clarifier"]',
    "DRAFTROOM_FEEDBACK__PLANS": "1",
}


class Stopped(Exception):
    """The process has ended."""


class StopsBeforeCheckpoint:
    """A saver that stores so many checkpoints, and the writes up to the next one."""

    left: int
    stopped = False

    async def aput(self, *given: Any) -> Any:
        if not self.left:
            async with self.lock:  # type: ignore[attr-defined] # what was to be stored before is stored by now
                self.stopped = True
        if self.stopped:
            raise Stopped
        self.left -= 1
        return await super().aput(*given)  # type: ignore[misc]

    async def aput_writes(self, *given: Any) -> None:
        if self.stopped:
            raise Stopped
        await super().aput_writes(*given)  # type: ignore[misc]


class StoppingSqlite(StopsBeforeCheckpoint, AsyncSqliteSaver):
    """In a file."""


def stopping_saver(address: str) -> AbstractAsyncContextManager[Any]:
    """The saver at an address, as the command would open it."""
    if not address.startswith("postgres"):
        return StoppingSqlite.from_conn_string(address.removeprefix("sqlite:///"))
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415 - an optional package

    class StoppingPostgres(StopsBeforeCheckpoint, AsyncPostgresSaver):
        """In a database."""

    return StoppingPostgres.from_conn_string(address)


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


@pytest.fixture
def home(draftroom: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {**draftroom.variables, **QUICK}.items():
        monkeypatch.setenv(name, value)
    return tmp_path


def record_of(system: System, home: Path) -> RunRecord:
    """A run that is about to begin."""
    settings = load_settings()
    if system is FOCUSED_FEEDBACK:
        (home / "draft.md").write_text(DRAFT, encoding="utf-8")
        run_input = take_paper(str(home / "draft.md"), scope="whole", max_pages=10)
        asked: RunInput = {**run_input, "request": {"paragraphs": ["3"]}}
        return new_record(system.name, asked, freeze_feedback(settings), "memory")
    (home / "paper.txt").write_text(PAPER if system is JOURNALISM else ABSTRACT, encoding="utf-8")
    run_input = take_paper(str(home / "paper.txt"), scope="whole", max_pages=10)
    freeze = freeze_journalism if system is JOURNALISM else freeze_simplification
    return new_record(system.name, run_input, freeze(settings), "memory")


async def begin(system: System, record: RunRecord, checkpoints: str, left: int) -> bool:
    """Run until the saver stops; whether it did."""
    async with stopping_saver(checkpoints) as saver:
        await saver.setup()
        saver.left = left
        try:
            await system.builder.compile(checkpointer=saver).ainvoke(
                system.graph_input(record["input"]),
                {"configurable": {"thread_id": record["id"]}},
                context=system.context(record["settings"]),
                durability="sync",
            )
        except Stopped:
            return True
        finally:
            await close_clients()
    return False


def asked(endpoint: FakeEndpoint) -> Counter[str | None]:
    return Counter(request.schema_name for request in endpoint.chat_requests)


@pytest.mark.parametrize("system", [JOURNALISM, SIMPLIFICATION, FOCUSED_FEEDBACK], ids=lambda system: system.name)
def test_a_run_that_lost_the_checkpoint_of_any_step_ends_as_the_uninterrupted_one(
    system: System, checkpoints: str, home: Path, endpoint: FakeEndpoint
) -> None:
    endpoint.answer = ANSWERS[system.name]()
    whole = drive(record_of(system, home), Progress("", quiet=True), checkpoints=checkpoints)
    once = asked(endpoint)

    for left in range(1000):
        endpoint.answer, before = ANSWERS[system.name](), asked(endpoint)
        record = record_of(system, home)
        if not asyncio.run(begin(system, record, checkpoints, left)):
            break
        resumed = drive(record, Progress("", quiet=True), checkpoints=checkpoints)
        assert resumed.status == "done", f"after {left} checkpoints"
        assert comparable(resumed.values) == comparable(whole.values), f"after {left} checkpoints"
        assert asked(endpoint) - before == once, "no finished call is repeated"
    assert left > 5
