"""Checkpoints in memory, SQLite and Postgres: what was saved is found again, and faults are told in one sentence."""

from __future__ import annotations

import asyncio
import errno
import sqlite3
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from draftroom.exit_codes import EXIT_CODES
from runs.checkpoints import open_checkpointer
from state.errors import StateError
from state.files import make_storage_error
from tests.draftroom.conftest import Command, run_without

THREAD: Any = {"configurable": {"thread_id": "run"}}


class Count(TypedDict):
    """State of a graph that counts."""

    count: int


async def step(saver: BaseCheckpointSaver[str], count: int | None = None) -> int:
    """Add one to `count`, or to what the thread holds, and read it back from the checkpoint."""

    async def add(state: Count) -> Count:
        return {"count": state["count"] + 1}

    graph = StateGraph(Count).add_node(add).add_edge(START, "add").compile(checkpointer=saver)
    given = {} if count is None else {"count": count}
    await graph.ainvoke(given, THREAD, durability="sync")  # type: ignore[arg-type]
    return int((await graph.aget_state(THREAD)).values["count"])


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.mark.parametrize("relative", [True, False], ids=["relative", "absolute"])
@pytest.mark.usefixtures("home")
async def test_sqlite_at_a_path(relative: bool, tmp_path: Path) -> None:
    path = Path("new/folder/runs.db") if relative else tmp_path / "new" / "folder" / "runs.db"
    async with open_checkpointer(f"sqlite:///{path}") as saver:
        assert await step(saver, 1) == 2
    assert (tmp_path / "new" / "folder" / "runs.db").is_file()


async def test_two_at_once_on_one_file(home: Path) -> None:
    async with open_checkpointer("sqlite") as one, open_checkpointer("sqlite") as other:
        assert await step(one, 1) == 2
        assert await step(other) == 3
        assert await step(one) == 4


async def open_and_step(address: str) -> None:
    async with open_checkpointer(address) as saver:
        await step(saver, 1)


async def test_another_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("Not a database. " * 100)
    with pytest.raises(StateError, match=r"notes\.txt is not a sound SQLite file; move it away"):
        await open_and_step(f"sqlite:///{path}")
    assert path.read_text() == "Not a database. " * 100


async def test_a_fault_of_sqlite_during_the_run_is_told(home: Path) -> None:
    async def lose_a_table_and_step() -> None:
        async with open_checkpointer("sqlite") as saver:
            other = sqlite3.connect(home / "state" / "checkpoints.sqlite")
            other.execute("DROP TABLE checkpoints")
            other.close()
            await step(saver, 1)

    with pytest.raises(StateError, match=r"checkpoints\.sqlite cannot be written \(no such table: checkpoints\)"):
        await lose_a_table_and_step()


@pytest.mark.parametrize("cancelled", [False, True], ids=["left alone", "cancelled"])
async def test_a_write_that_has_begun_is_stored_and_leaves_no_lock(home: Path, cancelled: bool) -> None:
    """So LangGraph leaves what it stores of a step that it cancels."""
    async with open_checkpointer("sqlite") as saver:
        await step(saver, 1)
        newest = await saver.aget_tuple(THREAD)
        assert newest is not None
        writing = asyncio.create_task(saver.aput_writes(newest.config, [("count", 5)], "late"))
        await asyncio.sleep(0)  # it begins
        if cancelled:
            writing.cancel()
    await asyncio.wait([writing])

    other = sqlite3.connect(home / "state" / "checkpoints.sqlite", timeout=0, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert other.execute("SELECT channel FROM writes WHERE task_id = 'late'").fetchall() == [("count",)]
    other.close()


def test_a_full_disk_has_a_kind_of_its_own(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "small.db")
    connection.execute("CREATE TABLE t (a)")
    connection.execute("PRAGMA max_page_count = 2")
    with pytest.raises(sqlite3.OperationalError) as caught:
        connection.execute("INSERT INTO t VALUES (zeroblob(100000))")
    connection.close()
    for error in (caught.value, OSError(errno.ENOSPC, "No space left on device")):
        told = make_storage_error(error, tmp_path)
        assert told.kind == "disk_full"
        assert str(told) == f"The disk of {tmp_path} is full; make room, then resume the run."


def test_a_locked_file_is_called_locked(tmp_path: Path) -> None:
    writer, other = (sqlite3.connect(tmp_path / "busy.db", timeout=0, isolation_level=None) for _ in range(2))
    writer.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite3.OperationalError) as caught:
        other.execute("BEGIN IMMEDIATE")
    writer.close()
    other.close()
    assert f"{tmp_path} is locked by another process" in str(make_storage_error(caught.value, tmp_path))


async def test_a_postgres_that_is_lost_is_told_to_whoever_holds_its_saver(database: str) -> None:
    import psycopg  # noqa: PLC0415 - an optional package

    async with open_checkpointer(database) as saver:
        assert await step(saver, 1) == 2
        with psycopg.connect(database, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        with pytest.raises(StateError, match="The Postgres database of the checkpoints cannot be used"):
            await step(saver)


async def test_a_postgres_that_does_not_answer_is_told_without_its_password() -> None:
    pytest.importorskip("langgraph.checkpoint.postgres")
    with pytest.raises(StateError, match="The Postgres database of the checkpoints cannot be used") as caught:
        await open_and_step("postgresql://me:s3cret@127.0.0.1:1/runs?connect_timeout=5")
    assert "s3cret" not in str(caught.value)


def test_postgres_without_its_package_says_what_to_install(draftroom: Command, paper: Path) -> None:
    draftroom.variables["DRAFTROOM_CHECKPOINTS"] = "postgresql://host/runs"
    refused = run_without("psycopg", draftroom, "explain", paper)
    assert refused.returncode == EXIT_CODES["bad_settings"], refused.stderr
    assert "Postgres checkpoints need another package: pip install 'draftroom[postgres]'." in refused.stderr
