"""Fixtures for the tests' conftest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.fake_endpoint.endpoint import FakeEndpoint


@pytest.fixture
def fake_endpoint() -> Iterator[FakeEndpoint]:
    """An endpoint that serves `large` (8192 tokens) and `small` (4096); set its `answer` to script it."""
    with FakeEndpoint() as endpoint:
        yield endpoint
