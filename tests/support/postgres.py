"""A Postgres server of our own, reachable by a socket in its folder only."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAMS = [shutil.which("initdb"), shutil.which("pg_ctl")]
USER = "nobody" if os.geteuid() == 0 else None
"""Postgres refuses to run as root."""


@contextmanager
def postgres() -> Iterator[str]:
    """Start a server and give its address; stop it at the end."""
    initdb, pg_ctl = map(str, PROGRAMS)
    # Not pytest's folder: another user could not enter it, and the path of a socket must be short.
    with tempfile.TemporaryDirectory(prefix="pg-") as name:
        folder = Path(name)
        if USER:
            shutil.chown(folder, USER)
        data = folder / "data"
        _run(initdb, "-D", data, "-U", "draftroom", "-A", "trust", "--no-sync")
        options = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        _run(pg_ctl, "-D", data, "-l", folder / "log", "-o", options, "-w", "start")
        try:
            yield f"postgresql://draftroom@/postgres?host={folder}"
        finally:
            _run(pg_ctl, "-D", data, "-m", "immediate", "-w", "stop")


def _run(*command: str | Path) -> None:
    subprocess.run(command, user=USER, cwd="/", check=True, stdout=subprocess.DEVNULL)
