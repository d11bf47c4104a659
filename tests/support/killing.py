"""Runs that end at a chosen point as by SIGKILL: what was stored before stays, and nothing is stored any more.

Most of them end inside the test's process, by a saver that stops there; some are processes that are really killed.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any, Literal

from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from draftroom.files import take_paper
from draftroom.systems import System
from draftroom.systems.feedback import FOCUSED_FEEDBACK
from draftroom.systems.journalism import JOURNALISM
from draftroom.systems.simplification import SIMPLIFICATION
from runs.record import RunRecord, new_record
from tests.fake_endpoint import Answer, Json, RecordedRequest, Script, Text, When
from tests.support.newsroom import PAPER
from tests.support.review_room import MISSING, Room, plan
from tests.support.review_room import PAPER as DRAFT
from tests.support.society import ABSTRACT, PART, WORDING, Society
from tools.configuration import load_settings
from tools.models import close_clients

RETURN = "__return__"
"""LangGraph's channel of what a task returned: here the answer of a model."""
TABLE = {JOURNALISM.name: "journalism", SIMPLIFICATION.name: "simplification", FOCUSED_FEEDBACK.name: "feedback"}

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
    """What it asks for when nobody ends it, by schema name."""
    checkpoints: int
    """How many it stores."""
    command: list[str] = field(default_factory=list)


def newsroom() -> Script:
    """The default answers, but for the reader's first one."""
    return Script([When(Text("I would rather not."), schema="ReadingNotes", where=is_first_try)])


def society() -> Script:
    """Each loop goes its whole way; the layperson's first answer is no JSON, and a lost detail is sent back."""
    lossy = {"fits": ["all"], "paragraphs": [ABSTRACT.replace("400 mcg twice daily", "twice daily")]}
    return Script(
        [
            When(Text("I would rather not."), schema="Questions", where=is_first_try),
            When(Json(lossy), schema="ReasonedSimplification"),
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
        ["Article", "ReadingNotes", "ReadingNotes", "EditorReview", "RevisedArticle"],
        10,
        ["explain"],
    ),
    "simplify": Case(
        SIMPLIFICATION,
        society,
        {
            "DRAFTROOM_SIMPLIFICATION__ENTRIES": "1",
            "DRAFTROOM_SIMPLIFICATION__AIDS": '["restore", "rewrite_copied", "edit_by_code"]',
        },
        [
            *["AgentChoice", "Questions", "Questions", "Answers", "ReasonedSimplification"],
            *["EasySentence"] * 5,
            *["AccuracyCheck", "Repairs"],
            *["AgentChoice", "Wordings", "WordingVerdicts"],
            *["Redundancies", "RemovalVerdicts"],
        ],
        37,
        ["simplify"],
    ),
    "review in turn": feedback("sequential", ["StepDecision", "PassageAnswer"] * 2 + ["StepDecision"], 16),
    "review at once": feedback("parallel", ["PassageAnswer", "PassageAnswer", "StepDecision"], 14),
}


def record_of(system: System, home: Path) -> RunRecord:
    """A run that is about to begin."""
    review = system is FOCUSED_FEEDBACK
    paper = home / ("draft.md" if review else "paper.txt")
    paper.write_text(DRAFT if review else PAPER if system is JOURNALISM else ABSTRACT, encoding="utf-8")
    run_input = take_paper(str(paper), scope="whole", max_pages=10)
    if review:
        run_input["request"] = {"paragraphs": ["3"]}
    return new_record(system.name, run_input, load_settings().frozen(TABLE[system.name]), "memory")


class Stopped(Exception):
    """The process has ended."""


class StopsBefore:
    """A saver that ends its run when so many checkpoints, or answers, are stored and the next one is to be."""

    point: Point
    left: int
    end: Callable[[], object]
    stopped = False

    async def aput(self, *given: Any) -> Any:
        await self._count(self.point == "checkpoint")
        return await super().aput(*given)  # type: ignore[misc]

    async def aput_writes(self, config: Any, writes: Sequence[tuple[str, Any]], *given: Any) -> None:
        await self._count(self.point == "answer" and any(channel == RETURN for channel, _ in writes))
        await super().aput_writes(config, writes, *given)  # type: ignore[misc]

    async def _count(self, is_one: bool) -> None:
        if is_one and not self.left and not self.stopped:
            self.stopped = True
            async with self.lock:  # type: ignore[attr-defined] # once it is free, what came before is stored
                self.end()
        if self.stopped:
            raise Stopped
        self.left -= is_one


class StoppingSqlite(StopsBefore, AsyncSqliteSaver):
    """In a file."""


def stopping_saver(address: str) -> AbstractAsyncContextManager[Any]:
    """The saver at an address, as the command would open it."""
    if not address.startswith("postgres"):
        return StoppingSqlite.from_conn_string(address.removeprefix("sqlite:///"))
    from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver  # noqa: PLC0415 - an optional package

    class StoppingPostgres(StopsBefore, AsyncPostgresSaver):
        """In a database."""

    return StoppingPostgres.from_conn_string(address)


async def begin(system: System, record: RunRecord, checkpoints: str, point: Point, left: int) -> bool:
    """Run until the saver stops, or to the end; whether it stopped."""
    async with stopping_saver(checkpoints) as saver:
        await saver.setup()
        running = asyncio.ensure_future(
            system.graph.builder.compile(checkpointer=saver).ainvoke(
                system.graph.graph_input(record["input"]),
                {"configurable": {"thread_id": record["id"]}},
                context=system.graph.context(record["settings"]),
                durability="sync",
            )
        )
        saver.point, saver.left, saver.end = point, left, running.cancel
        (ended,) = await asyncio.gather(running, return_exceptions=True)
        await close_clients()
        if not saver.stopped and isinstance(ended, BaseException):
            raise ended
        return bool(saver.stopped)


def answered(requests: list[RecordedRequest]) -> Counter[str | None]:
    """How often each agent was answered."""
    return Counter(request.schema_name for request in requests if request.finished)


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
    tables = {name: dict(table) for name, table in settings.items() if name != "models"}
    for table in tables.values():
        table.pop("embedding", None)
    return tables


def without_path(paper: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in paper.items() if key not in {"path", "source"}}
