"""Every test here gets a state folder of its own and closes the model clients of its event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tools.models.endpoint import close_clients


@pytest.fixture(autouse=True)
async def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    """State and cache of this test alone."""
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    yield tmp_path
    await close_clients()


@pytest.fixture(scope="module")
def run_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Awaitable[Any]], Any]]:
    """Gives a way to await a run of which several tests read, in a state folder and an event loop of its own."""

    async def finish(run: Awaitable[Any]) -> Any:
        result = await run
        await close_clients()
        return result

    with pytest.MonkeyPatch.context() as variables:
        variables.setenv("DRAFTROOM_HOME", str(tmp_path_factory.mktemp("state")))
        yield lambda run: asyncio.run(finish(run))
