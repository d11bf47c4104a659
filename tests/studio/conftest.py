from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from langgraph_sdk.client import SyncLangGraphClient

from tests.fake_endpoint import FakeEndpoint
from tests.studio.server import STUDIO, StudioServer, variables
from tests.support.keys import KEY


@pytest.fixture(scope="module")
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(api_key=KEY) as endpoint:
        yield endpoint


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(endpoint: FakeEndpoint, home: Path) -> Iterator[StudioServer]:
    with StudioServer(STUDIO, variables(home, endpoint.base_url, OPENAI_API_KEY=KEY), home) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: StudioServer) -> Iterator[SyncLangGraphClient]:
    with server.client() as client:
        yield client
