from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.fake_endpoint import Choices, FakeEndpoint, RecordedRequest, Reply, Text, fill
from tests.studio.server import OPEN, StudioServer, variables
from tests.support.browser import WIDE, NewPage

if TYPE_CHECKING:
    from playwright.sync_api import Page


def outspoken(request: RecordedRequest) -> Reply:
    """The default answers, but a controller that has the review written and a reviewer who finds something to say."""
    reply = fill(request)
    if not isinstance(reply, Choices):
        return reply
    texts = [text.content.replace("No review needed", "Substance") for text in reply.texts]
    if "write_review" in str(request.schema):
        texts = [text.replace('"skip"', '"write_review"') for text in texts]
    return Choices([Text(text) for text in texts])


@pytest.fixture(scope="module")
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint() as endpoint:
        endpoint.answer = outspoken
        yield endpoint


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def server(endpoint: FakeEndpoint, home: Path) -> Iterator[StudioServer]:
    # One paragraph of a screened paper is reviewed, so that other suspicions are left.
    chosen = {**variables(home, endpoint.base_url), "DRAFTROOM_FEEDBACK__MAX_PARAGRAPHS": "1"}
    with StudioServer(OPEN, chosen, home) as server:
        yield server


@pytest.fixture(scope="module")
def page(server: StudioServer) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=f"{server.url}/page/api", timeout=30) as client:
        yield client


@pytest.fixture
def start_page(server: StudioServer, new_page: NewPage) -> Page:
    """The page as it opens; whatever the browser complains of fails the test."""
    shown = new_page(WIDE)
    shown.set_default_timeout(10_000)
    shown.on("pageerror", lambda error: pytest.fail(f"the page failed: {error}"))
    shown.goto(f"{server.url}/page/")
    return shown
