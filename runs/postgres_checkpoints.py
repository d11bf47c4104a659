"""Checkpoints in Postgres, whose faults are told in one sentence. Needs the extra `postgres`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import LiteralString

from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from psycopg import AsyncCursor, Error
from psycopg.rows import DictRow

from state.errors import StateError

_POLL_S = 0.05
"""How often it is looked whether another process has made the tables."""


class PostgresSaver(AsyncPostgresSaver):
    """Raises a `StateError` where the database is lost: whoever holds a saver open for many runs sees no other."""

    async def setup(self) -> None:
        """Make the tables, one process after the other: one that begins beside another would find half of them.

        Whoever waits looks again instead of standing in line, because an index that is made concurrently waits for
        every statement under way.
        """
        while not await self._query_lock("SELECT pg_try_advisory_lock(hashtext('draftroom checkpoints')) AS done"):  # noqa: ASYNC110 - of another process no event tells
            await asyncio.sleep(_POLL_S)
        try:
            await super().setup()
        finally:
            await self._query_lock("SELECT pg_advisory_unlock(hashtext('draftroom checkpoints')) AS done")

    async def _query_lock(self, question: LiteralString) -> bool:
        async with self._cursor() as cursor:
            answer = await (await cursor.execute(question)).fetchone()
        return bool(answer and answer["done"])

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        with translate_database_errors():
            async with super()._cursor(pipeline=pipeline) as cursor:
                yield cursor


@contextmanager
def translate_database_errors() -> Iterator[None]:
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
