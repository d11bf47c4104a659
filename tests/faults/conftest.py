"""The matrix of faults (`make test-faults`): what each row counted is printed as a table when all have run."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.draftroom.conftest import draftroom
from tests.support.postgres import PostgresServer, postgres_server

__all__ = ["draftroom"]

SHORT = os.environ.get("FAULTS") == "short"
"""Fewer of each, for CI; `make test-faults` has all."""

Count = Callable[[str, str, str], None]
_counted: dict[str, list[str]] = defaultdict(list)


@pytest.fixture
def count() -> Count:
    """Keeps what a row of the matrix came to: the fault, which systems and stores, and figures."""

    def keep(fault: str, where: str, figures: str) -> None:
        _counted[fault].append(f"{where}: {figures}" if where else figures)

    return keep


@pytest.fixture(scope="session", autouse=True)
def table(request: pytest.FixtureRequest) -> Iterator[None]:
    """Prints the table at the end."""
    yield
    with request.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print("\n\n| fault | what was seen |\n|---|---|")  # noqa: T201
        for fault, figures in _counted.items():
            print(f"| {fault} | {'; '.join(figures)} |")  # noqa: T201


@pytest.fixture(scope="session")
def database() -> Iterator[PostgresServer]:
    with postgres_server() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Address of checkpoints that no other test has."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'runs.db'}"
    server: PostgresServer = request.getfixturevalue("database")
    return server.new_database()
