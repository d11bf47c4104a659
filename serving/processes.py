"""A server's process and everything it started: launched detached, recognised later, and stopped as one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil
from pydantic import BaseModel, ConfigDict

_POLL_S = 0.1
_KILL_S = 10.0
# A start time is counted from boot, and the moment of boot shifts a little whenever the clock is corrected.
_CLOCK_SHIFT_S = 2.0


class ProcessGroup(BaseModel):
    """A process that leads a group of its own, told apart from a later one with the same id by its start time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pid: int
    started: float
    """Seconds since the epoch."""

    def alive(self) -> bool:
        """Whether the leader still runs."""
        try:
            leader = psutil.Process(self.pid)
            ours = abs(leader.create_time() - self.started) < _CLOCK_SHIFT_S
            return ours and leader.status() != psutil.STATUS_ZOMBIE
        except psutil.NoSuchProcess:
            return False

    def stop(self, grace_s: float = 20.0) -> None:
        """Ask the group to end, and kill what is left of it after `grace_s` seconds; nothing happens if it is gone."""
        if not self.alive():
            return
        members = self._members()
        os.killpg(self.pid, signal.SIGTERM)
        for member in _still_running(members, grace_s):
            member.kill()
        _still_running(members, _KILL_S)

    def _members(self) -> list[psutil.Process]:
        return [process for process in psutil.process_iter() if _group_of(process) == self.pid]


def launch(command: list[str], environment: Mapping[str, str], log: Path) -> ProcessGroup:
    """Start `command` in a session of its own, so that it outlives this process, with all output in `log`.

    Raises:
        OSError: The program cannot be run.
    """
    # Not `subprocess.Popen`: it complains when its handle is dropped while the process runs, and here that is the aim.
    pid = os.posix_spawn(
        command[0],
        command,
        environment,
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, str(log), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600),
            (os.POSIX_SPAWN_DUP2, 1, 2),
        ],
        setsid=True,
    )
    return ProcessGroup(pid=pid, started=psutil.Process(pid).create_time())


def _group_of(process: psutil.Process) -> int | None:
    try:
        return os.getpgid(process.pid)
    except ProcessLookupError:
        return None


def _still_running(processes: Sequence[psutil.Process], timeout_s: float) -> list[psutil.Process]:
    """Wait for `processes` to end; return those that have not after `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while (running := [process for process in processes if _runs(process)]) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return running


def _runs(process: psutil.Process) -> bool:
    # A zombie has ended: it only waits for its parent, which in a container without an init may never collect it.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
