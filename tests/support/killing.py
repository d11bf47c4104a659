"""What a run that ends at a chosen point as by SIGKILL leaves: what was stored before, and nothing after it.

Most of it is copied from one run that goes on to its end; some runs are processes that are really killed.
"""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, Literal

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from draftroom.files import read_run_input
from draftroom.systems import System
from draftroom.systems.check import NUMBER_CHECK
from draftroom.systems.feedback import FOCUSED_FEEDBACK
from draftroom.systems.journalism import JOURNALISM
from draftroom.systems.simplification import SIMPLIFICATION
from runs.graph_state import build_graph_config
from runs.record import RunRecord, build_run_record
from tests.fake_endpoint import Answer, FakeEndpoint, Json, RecordedRequest, Script, Text, When
from tests.support.newsroom import PAPER
from tests.support.review_room import MISSING, Room, plan
from tests.support.review_room import PAPER as DRAFT
from tests.support.society import ABSTRACT, PART, WORDING, Society, latest
from tests.support.steps import asks, step_of
from tools.configuration import load_settings
from tools.models.endpoint import close_clients

RETURN = "__return__"
"""LangGraph's channel of what a task returned: here the answer of a model."""
TABLE = {system.name: system.table for system in (JOURNALISM, SIMPLIFICATION, FOCUSED_FEEDBACK, NUMBER_CHECK)}

Point = Literal["checkpoint", "answer"]
"""What a run is about to store when it ends."""


@dataclass(frozen=True)
class Case:
    """A run of which no point is without a test."""

    system: System
    answer: Callable[[], Answer]
    """Answers of its models; the same whenever the same is asked."""
    settings: dict[str, str]
    calls: list[str]
    """What it asks for when nobody ends it, by step."""
    checkpoints: int
    """How many it stores."""
    command: list[str] = field(default_factory=list)


def newsroom() -> Script:
    """The default answers, but for the reader's first one."""
    return Script([When(Text("?"), where=lambda request: asks("take_notes")(request) and is_first_try(request))])


def society() -> Script:
    """Each loop goes its whole way; the layperson's first answer is no JSON,."""
    lossy = latest(ABSTRACT.replace("400 mcg twice daily", "twice daily"))
    return Script(
        [
            When(Text("I would rather not."), schema="Questions", where=is_first_try),
            When(lossy, where=asks("rewrite_text")),
            When(choice("layperson"), schema="AgentChoice", prompt="`layperson` (may act"),
            When(choice("language_clarifier"), schema="AgentChoice"),
        ],
        otherwise=Society(Wordings=[{"suggestions": [WORDING]}], Redundancies=[{"redundancies": [PART]}]),
    )


def room() -> Script:
    """Two questions and a claim that something is missing; the reviewer's first answer is no JSON."""
    nonsense = When(Text("I would rather not."), schema="Review", where=is_first_try)
    asked = plan("What was the water like?", "How tall were the seedlings?")
    return Script([nonsense], otherwise=Room(ProposedPlan=[asked], Review=[MISSING]))


def number_reader() -> Script:
    """The first answer is no JSON; then nothing of the abstract is reported."""
    return Script([When(Text("I would rather not."), where=is_first_try)], lambda _: Json({"entries": []}))


def choice(agent: str) -> Json:
    return Json({"reason": "It helps most now.", "agent": agent})


def is_first_try(request: RecordedRequest) -> bool:
    return "could not be used" not in request.text


def feedback(execution: str, calls: list[str], checkpoints: int) -> Case:
    """A review of the results."""
    settings = {"DRAFTROOM_FEEDBACK__PLANS": "1", "DRAFTROOM_FEEDBACK__EXECUTION": execution}
    whole = ["ProposedPlan", *calls, "Review", "Review", "AbsenceTest"]
    return Case(FOCUSED_FEEDBACK, room, settings, whole, checkpoints, ["review", "--paragraph", "3"])


CASES = {
    "explain": Case(
        JOURNALISM,
        newsroom,
        {"DRAFTROOM_JOURNALISM__ROUNDS": "1"},
        ["write_draft", "take_notes", "take_notes", "advise", "revise_draft"],
        10,
        ["explain"],
    ),
    "simplify": Case(
        SIMPLIFICATION,
        society,
        {"DRAFTROOM_SIMPLIFICATION__ENTRIES": "1", "DRAFTROOM_SIMPLIFICATION__EXTENSIONS": '["apply_edits"]'},
        [
            *["AgentChoice", "Questions", "Questions", "Answers", "rewrite_text", "AccuracyCheck"],
            *["AgentChoice", "Wordings", "WordingVerdicts"],
            *["Redundancies", "RemovalVerdicts"],
        ],
        34,
        ["simplify"],
    ),
    "review in turn": feedback("sequential", ["StepDecision", "PassageAnswer"] * 2 + ["StepDecision"], 16),
    "check": Case(NUMBER_CHECK, number_reader, {}, ["NumbersRead", "NumbersRead"], 5, ["check", "--model", "large"]),
    "review at once": feedback("parallel", ["PassageAnswer", "PassageAnswer"], 13),
}


def record_of(system: System, home: Path) -> RunRecord:
    """A run that is about to begin."""
    review = system is FOCUSED_FEEDBACK
    paper = home / ("draft.md" if review else "paper.txt")
    paper.write_text(DRAFT if review else PAPER if system is JOURNALISM else ABSTRACT, encoding="utf-8")
    run_input = read_run_input(str(paper), scope="whole", max_pages=10)
    if review:
        run_input["request"] = {"paragraphs": ["3"]}
    return build_run_record(system.name, run_input, load_settings().freeze_settings(TABLE[system.name]), "memory")


@dataclass(frozen=True)
class Moment:
    """What a process leaves that is killed when it is about to store a checkpoint or an answer."""

    home: Path
    """Copy of its folder."""
    asked: int
    """How many answers it had asked for."""


@dataclass(frozen=True)
class RecordedRun:
    """A run that nobody ended; at each point a copy was made of what a kill would have left there."""

    case: Case
    record: RunRecord
    endpoint: FakeEndpoint
    moments: dict[Point, list[Moment]]

    @property
    def asked(self) -> list[str]:
        """What was asked for, by the run and by those that went on from its moments."""
        return [step_of(request) for request in self.endpoint.chat_requests]


def record_run(case: Case, endpoint: FakeEndpoint, home: Path, copies: Path) -> RecordedRun:
    """Run a case to its end with checkpoints in its home, in the environment that it needs."""
    run = RecordedRun(case, record_of(case.system, home), endpoint, {"checkpoint": [], "answer": []})

    async def copy(point: Point) -> None:
        moments = run.moments[point]
        target = copies / f"{point}-{len(moments)}"
        moments.append(Moment(target, len(endpoint.chat_requests)))
        await asyncio.to_thread(shutil.copytree, home, target, ignore=shutil.ignore_patterns("*-shm"))

    asyncio.run(run_watched(case.system, run.record, checkpoints_in(home), copy))
    return run


def checkpoints_in(home: Path) -> str:
    """Address of the checkpoints of a recorded run."""
    return f"sqlite:///{home / 'runs.db'}"


class WatchedSqlite(AsyncSqliteSaver):
    """A saver that tells before it stores, one thing at a time: what came before is then stored."""

    before: Callable[[Point], Awaitable[None]]
    turn: asyncio.Lock

    async def aput(self, *given: Any) -> Any:
        async with self.turn:
            await self.before("checkpoint")
            return await super().aput(*given)

    async def aput_writes(self, config: Any, writes: Sequence[tuple[str, Any]], *given: Any) -> None:
        async with self.turn:
            if any(channel == RETURN for channel, _ in writes):
                await self.before("answer")
            await super().aput_writes(config, writes, *given)


async def run_watched(
    system: System, record: RunRecord, address: str, before: Callable[[Point], Awaitable[None]]
) -> None:
    """Run to the end; `before` is called when something is about to be stored."""
    async with WatchedSqlite.from_conn_string(address.removeprefix("sqlite:///")) as saver:
        await saver.setup()
        saver.turn, saver.before = asyncio.Lock(), before  # type: ignore[attr-defined]
        await system.graph.builder.compile(checkpointer=saver).ainvoke(
            system.graph.graph_input(record["input"]),
            build_graph_config(record["thread"], record["settings"]),
            durability="sync",
        )
        await close_clients()


def answered(requests: list[RecordedRequest]) -> Counter[str]:
    """How often each agent was answered."""
    return Counter(step_of(request) for request in requests if request.finished)


def answers_in_checkpoint(address: str) -> int:
    """How many answers of models are stored in a database."""
    if address.startswith("postgres"):
        import psycopg  # noqa: PLC0415 - an optional package

        with psycopg.connect(address) as database:
            exists = database.execute("SELECT to_regclass('checkpoint_writes') IS NOT NULL").fetchone()
            counted = "SELECT count(*) FROM checkpoint_writes WHERE channel = %s"
            found = database.execute(counted, (RETURN,)).fetchone() if exists and exists[0] else (0,)
        return int(found[0]) if found else 0
    path = Path(address.removeprefix("sqlite:///"))
    if not path.exists():
        return 0
    with sqlite3.connect(path) as connection:
        (count,) = connection.execute("SELECT count(*) FROM writes WHERE channel = ?", (RETURN,)).fetchone()
    connection.close()
    return int(count)


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait for another process to reach a state, at most ten seconds."""
    never = Event()
    assert any(condition() or never.wait(0.01) for _ in range(1000))


def comparable(values: Mapping[str, Any]) -> dict[str, Any]:
    """A state without what two runs may differ in: times, places, and the order of calls that were made together."""
    calls = [{key: value for key, value in call.items() if key != "seconds"} for call in values["calls"]]
    calls.sort(key=repr)
    stored = {name: without_path(values[name]) for name in ("source", "document") if name in values}
    paths = dict.fromkeys({"paper", "abstract"} & set(values), "")
    return {**values, **paths, **stored, "calls": calls, "settings": without_ports(values["settings"])}


def without_ports(settings: dict[str, Any]) -> dict[str, Any]:
    tables = {name: dict(settings[name]) for name in settings.keys() - {"models", "preset", "prompts"}}
    for table in tables.values():
        table.pop("embedding", None)
    return tables


def without_path(paper: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in paper.items() if key not in {"path", "source"}}
