"""Checkpoints in Postgres, whose faults are told in one sentence. Needs the extra `postgres`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import LiteralString

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncCursor, Error
from psycopg.rows import DictRow

from state.errors import StateError


class PostgresSaver(AsyncPostgresSaver):
    """Raises a `StateError` where the database is lost: whoever holds a saver open for many runs sees no other."""

    async def setup(self) -> None:
        """Make the tables, one process after the other: one that begins beside another would find half of them."""
        await self._execute("SELECT pg_advisory_lock(hashtext('draftroom checkpoints'))")
        try:
            await super().setup()
        finally:
            await self._execute("SELECT pg_advisory_unlock(hashtext('draftroom checkpoints'))")

    async def _execute(self, statement: LiteralString) -> None:
        async with self._cursor() as cursor:
            await cursor.execute(statement)

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        with told():
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor


@contextmanager
def told() -> Iterator[None]:
    """Say in one sentence that the database cannot be used.

    Raises:
        StateError: It cannot.
    """
    try:
        yield
    except Error as error:
        # Its text may hold parts of the address, and so of the password.
        raise StateError(
            f"The Postgres database of the checkpoints cannot be used ({type(error).__name__}); "
            "check that it runs, and its address in `checkpoints`."
        ) from error
