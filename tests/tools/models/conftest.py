from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.tools.models.desk import PROMPT, Desk
from tools.models.endpoint import close_clients


@pytest.fixture
async def desk(fake_endpoint: FakeEndpoint, tmp_path: Path) -> AsyncIterator[Desk]:
    prompt = tmp_path / "judge.md"
    prompt.write_text(PROMPT, encoding="utf-8")
    yield Desk(fake_endpoint, prompt)
    await close_clients()
