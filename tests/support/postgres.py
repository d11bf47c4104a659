"""A Postgres server of our own, reachable by a socket in its folder only."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

PROGRAMS = [shutil.which("initdb"), shutil.which("pg_ctl")]
USER = "nobody" if os.geteuid() == 0 else None
"""Postgres refuses to run as root."""


class PostgresServer:
    """A server in a folder of its own, which can be killed and started again.

    Args:
        folder: Its own, with a short path: a socket is in it.
        most_connections: That it takes at once.
    """

    def __init__(self, folder: Path, most_connections: int = 200) -> None:
        self.folder, self._data = folder, folder / "data"
        self._initdb, self._pg_ctl = map(str, PROGRAMS)
        self._databases = count(1)
        options = {"listen_addresses": "", "unix_socket_directories": folder, "fsync": "off"}
        options |= {"max_connections": most_connections, "superuser_reserved_connections": 0}
        self._options = " ".join(f"-c {name}={value}" for name, value in options.items())
        if USER:
            shutil.chown(folder, USER)
        _run(self._initdb, "-D", self._data, "-U", "draftroom", "-A", "trust", "--no-sync")

    @property
    def address(self) -> str:
        """Of the database that is there from the beginning."""
        return self.address_of("postgres")

    def address_of(self, name: str) -> str:
        """Of a database."""
        return f"postgresql://draftroom@/{name}?host={self.folder}"

    def new_database(self) -> str:
        """Address of an empty one."""
        import psycopg  # noqa: PLC0415 - an optional package

        name = f"runs_{next(self._databases)}"
        with psycopg.connect(self.address, autocommit=True) as connection:
            connection.execute(psycopg.sql.SQL("CREATE DATABASE {}").format(psycopg.sql.Identifier(name)))
        return self.address_of(name)

    def start(self) -> None:
        """Start it and wait until it answers."""
        _run(self._pg_ctl, "-D", self._data, "-l", self.folder / "log", "-o", self._options, "-w", "start")

    def kill(self) -> None:
        """End it at once, as a machine that loses its power would."""
        _run(self._pg_ctl, "-D", self._data, "-m", "immediate", "-w", "stop")


@contextmanager
def postgres_server(most_connections: int = 200) -> Iterator[PostgresServer]:
    """Start a server; stop it at the end. Where there is none to start, the test is skipped."""
    if None in PROGRAMS:
        pytest.skip("Postgres is not installed")
    pytest.importorskip("langgraph.checkpoint.postgres")
    # Not pytest's folder: another user could not enter it, and the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        server = PostgresServer(Path(name), most_connections)
        server.start()
        try:
            yield server
        finally:
            server.kill()


@pytest.fixture(scope="module")
def database() -> Iterator[str]:
    """Address of a database of the module's tests."""
    with postgres_server() as server:
        yield server.address


def _run(*command: str | Path) -> None:
    subprocess.run(command, user=USER, cwd="/", check=True, stdout=subprocess.DEVNULL)
