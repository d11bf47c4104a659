"""Opens the checkpoints of runs in memory, SQLite or Postgres."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import aiosqlite
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver

from runs.record import RunRecord
from state.errors import SettingsError, StateError
from state.files import ensure_folder, make_storage_error, resolve_state_folder
from tools.configuration import load_settings

# Time that a writer waits for another process that writes to the same SQLite file.
BUSY_TIMEOUT_S = 30.0
WriteResult = TypeVar("WriteResult")


@asynccontextmanager
async def open_checkpointer(address: str = "sqlite") -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Open, as a context, the saver at memory, sqlite (in the state folder), sqlite:///FILE, or postgres://...

    Raises:
        StateError: The file or the database cannot be opened or written.
        SettingsError: The Postgres package is not installed.
    """
    if address == "memory":
        yield InMemorySaver()
    elif address.startswith("postgres"):
        try:
            from runs.postgres_checkpoints import PostgresSaver, translate_database_errors  # noqa: PLC0415 - optional
        except ImportError as error:
            raise SettingsError(
                "Postgres checkpoints need another package: pip install 'draftroom[postgres]'."
            ) from error
        with translate_database_errors():
            async with PostgresSaver.from_conn_string(address) as saver:
                await saver.setup()
                yield saver
    else:
        path = Path(address.removeprefix("sqlite:///"))
        async with _open_sqlite_saver(
            path if ":" in address else resolve_state_folder() / "checkpoints.sqlite"
        ) as saver:
            yield saver


def resolve_checkpoint_address(record: RunRecord) -> str:
    """Return the address of a run's checkpoints; for Postgres the one in today's settings.

    Raises:
        StateError: The checkpoints were kept in memory, and so are gone.
    """
    if record["checkpoints"] == "memory":
        raise StateError(
            f"The run {record['id']} kept its checkpoints in memory, so they are gone; start it anew.",
            kind="run_incompatible",
        )
    # The record does not hold a Postgres address, because the address may hold a password.
    return load_settings().checkpoints if record["checkpoints"] == "postgres" else record["checkpoints"]


@asynccontextmanager
async def open_studio_checkpointer() -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Open, as a context, the saver that `langgraph.json` names: the command's, so that Studio shares its runs."""
    settings = await asyncio.to_thread(load_settings)
    async with open_checkpointer(settings.checkpoints) as saver:
        yield saver


@asynccontextmanager
async def _open_sqlite_saver(path: Path) -> AsyncIterator[BaseCheckpointSaver[str]]:
    """Open, as a context, the saver of a SQLite file; the file and its folder are made if they do not exist."""
    await asyncio.to_thread(ensure_folder, path.parent)
    # Only SQLite's errors are translated: an OSError may come from the caller's work while the saver is open.
    try:
        # Opened once before, because aiosqlite leaves a thread behind for a file that cannot be opened.
        await asyncio.to_thread(lambda: sqlite3.connect(path).close())
        async with aiosqlite.connect(path, timeout=BUSY_TIMEOUT_S) as connection:
            saver = _SqliteSaver(connection)
            await saver.setup()
            try:
                yield saver
            finally:  # before the connection is closed
                await saver.finish_writes()
    except sqlite3.Error as error:
        raise make_storage_error(error, path) from error


class _SqliteSaver(AsyncSqliteSaver):
    """SQLite saver that finishes each write that has begun.

    LangGraph does not wait for the writes of steps that it cancels when another step fails. A connection that is closed
    between such a statement and its commit keeps the file locked for as long as the statement is referred to.
    """

    def __init__(self, connection: aiosqlite.Connection) -> None:
        super().__init__(connection)
        self._writes: set[asyncio.Task[Any]] = set()

    async def aput(self, *given: Any, **named: Any) -> RunnableConfig:
        """Store a checkpoint; if the caller is cancelled, the write goes on in a task of its own."""
        return await self._finish_despite_cancellation(super().aput(*given, **named))

    async def aput_writes(self, *given: Any, **named: Any) -> None:
        """Store the writes of a task; if the caller is cancelled, the write goes on in a task of its own."""
        await self._finish_despite_cancellation(super().aput_writes(*given, **named))

    async def finish_writes(self) -> None:
        """Wait for all writes under way."""
        while self._writes:
            await asyncio.wait(self._writes)

    async def _finish_despite_cancellation(self, write: Coroutine[Any, Any, WriteResult]) -> WriteResult:
        """Wait for a write and return its result; it goes on in a task of its own if the caller is cancelled."""
        task = asyncio.create_task(write)
        self._writes.add(task)
        task.add_done_callback(self._writes.discard)
        return await asyncio.shield(task)
