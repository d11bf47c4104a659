"""Every test here gets a state folder of its own and closes the model clients of its event loop."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tools.models.endpoint import close_clients


@pytest.fixture(autouse=True)
async def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Path]:
    """State and cache of this test alone."""
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    yield tmp_path
    await close_clients()
