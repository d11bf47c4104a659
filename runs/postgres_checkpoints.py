"""Postgres saver of checkpoints, with errors for users. Needs the extra `postgres`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import LiteralString

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncCursor, Error
from psycopg.rows import DictRow

from state.errors import StateError

_POLL_S = 0.05  # between two looks whether another process has made the tables


class PostgresSaver(AsyncPostgresSaver):
    """Postgres saver that raises a `StateError` when the database is lost."""

    async def setup(self) -> None:
        """Create the tables if they are missing, under a lock so that only one process does so at a time."""
        # Two processes at once would find half of the other's tables. The lock is polled, not waited for, because an
        # index that is created concurrently waits for every statement under way.
        while not await self._query_lock("pg_try_advisory_lock"):  # noqa: ASYNC110 - another process sends no event
            await asyncio.sleep(_POLL_S)
        try:
            await super().setup()
        finally:
            await self._query_lock("pg_advisory_unlock")

    async def _query_lock(self, function: LiteralString) -> bool:
        """Call a function of Postgres on the lock of the tables, and return whether it succeeded."""
        async with self._cursor() as cursor:
            row = await (
                await cursor.execute(f"SELECT {function}(hashtext('draftroom checkpoints')) AS done")
            ).fetchone()
        return bool(row and row["done"])

    # The base class executes all statements with this private method.
    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        """Open, as a context, a cursor whose errors become a `StateError`."""
        with translate_database_errors():
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor


@contextmanager
def translate_database_errors() -> Iterator[None]:
    """Turn errors of the database that the context raises into a `StateError`."""
    try:
        yield
    except Error as error:
        # The error's own text may hold parts of the address, and so of the password.
        raise StateError(
            f"The Postgres database of the checkpoints cannot be used ({type(error).__name__}); "
            "check that it runs, and its address in `checkpoints`."
        ) from error
