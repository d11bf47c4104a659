"""Start servers as detached processes, record them in a state file, and find and stop them later.

Also runs installation steps with their output in a log file, and locks files between commands.
"""

from __future__ import annotations

import errno
import os
import re
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from serving.profiles import Server
from state.errors import ServingError, StateError
from state.files import resolve_state_folder, write_atomically

Report = Callable[[str], None]  # called with the name of each step as it begins

_ERROR_LINE = re.compile(r"\b\w*(Error|Exception)\b.*:|^ERROR\b|\bNo space left\b")
_TAIL_BYTES = 64 * 1024  # end of a log that is searched for errors
_POLL_S = 0.1
_KILL_S = 10.0
# psutil counts a start time from the moment of boot, which shifts a little whenever the clock is corrected.
_CLOCK_SHIFT_S = 2.0


def run_step(step: str, command: Sequence[str | Path], log: Path, report: Report) -> None:
    """Report a step, and run its command to the end with the output in a log.

    Raises:
        ServingError: The command failed; the message quotes its errors and names the log.
    """
    report(step)
    log.parent.mkdir(parents=True, exist_ok=True)
    try:
        with log.open("ab") as output:
            process = subprocess.run(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, check=False
            )
    except OSError as error:
        raise ServingError(f"{step}: cannot run {command[0]}: {error.strerror}.") from error
    if process.returncode:
        raise ServingError(
            f"{step} failed ({quote_error_lines(log)}); correct this and run the command again. The whole log is {log}."
        )


def quote_error_lines(log: Path, count: int = 3) -> str:
    """Return the last `count` lines of a log that name an error, or else its last lines, joined with ` | `."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    errors = [line for line in lines if _ERROR_LINE.search(line)] or lines
    return " | ".join(line[:300] for line in dict.fromkeys(errors[-count:])) or "it printed nothing"


@contextmanager
def hold_file_lock(path: Path, report: Report) -> Iterator[None]:
    """Context manager that locks a file, waiting for others; an OSError within it becomes a StateError."""
    lock = FileLock(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            report(f"Waiting for another command that holds {lock.lock_file}")
            lock.acquire()
        try:
            yield
        finally:
            lock.release()
    except OSError as error:
        raise StateError(
            f"Cannot write {error.filename or path}: {error.strerror}; "
            "free some space, or set DRAFTROOM_HOME to a folder that you can write to.",
            kind="disk_full" if error.errno == errno.ENOSPC else None,
        ) from error


class ServerProcess(BaseModel):
    """Leader of a process group; its start time distinguishes it from a later process with the same id."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pid: int
    started: float
    """Seconds since the epoch."""

    def is_alive(self) -> bool:
        """Return whether the leader itself runs; its child processes may outlive it."""
        return any(process.pid == self.pid for process in self._list_group_processes())

    def stop(self, grace_s: float = 20.0) -> None:
        """Terminate the process group, and kill the processes that are left after `grace_s` seconds."""
        processes = self._list_group_processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        for process in _wait_for_exit(processes, grace_s):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        _wait_for_exit(processes, _KILL_S)

    def _list_group_processes(self) -> list[psutil.Process]:
        """List the running processes of the group; empty if its id now belongs to another process."""
        # vLLM's engine goes on when its leader is killed. The system reuses no id that a group has, so a group without
        # its leader is still the right one.
        with suppress(psutil.NoSuchProcess):
            if abs(psutil.Process(self.pid).create_time() - self.started) > _CLOCK_SHIFT_S:
                return []
        group = []
        for process in psutil.process_iter():
            with suppress(ProcessLookupError):
                if os.getpgid(process.pid) == self.pid and _is_running(process):
                    group.append(process)
        return group


def start_process(command: list[str], environment: Mapping[str, str], log: Path) -> ServerProcess:
    """Start a detached command with no variables but `environment` and its output in a new `log`, without waiting."""
    # Not `subprocess.Popen`, which warns when its handle is dropped while the process runs, as it is here.
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
    return ServerProcess(pid=pid, started=psutil.Process(pid).create_time())


def _wait_for_exit(processes: Sequence[psutil.Process], timeout_s: float) -> list[psutil.Process]:
    """Wait for processes to end, and return those that still run after `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while (running := [process for process in processes if _is_running(process)]) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return running


def _is_running(process: psutil.Process) -> bool:
    """Return whether a process runs; a zombie does not."""
    # A zombie has ended; in a container without an init process its parent may never collect it.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class ServerRecord(BaseModel):
    """Saved record of a server that was started: its definition, process and log."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    server: Server
    """Definition at the time of the start."""
    process: ServerProcess
    log: Path


_RECORDS_ADAPTER = TypeAdapter(dict[str, ServerRecord])


def get_servers_folder() -> Path:
    """Return the folder of the servers' state files, locks and logs, which may not exist yet."""
    return resolve_state_folder() / "servers"


def list_recorded_profiles() -> list[str]:
    """List the names of the profiles with recorded servers, sorted."""
    return sorted(path.stem for path in get_servers_folder().glob("*.json"))


def load_server_records(profile: str) -> dict[str, ServerRecord]:
    """Return the recorded servers of a profile by their names; empty if none was started."""
    path = get_servers_folder() / f"{profile}.json"
    try:
        return _RECORDS_ADAPTER.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        raise ServingError(
            f"The state file {path} cannot be understood: stop the servers it names by their pid, then delete it."
        ) from error


def save_server_records(profile: str, records: dict[str, ServerRecord]) -> None:
    """Replace the saved records of a profile's servers, or delete its state file if there are none."""
    path = get_servers_folder() / f"{profile}.json"
    if records:
        write_atomically(path, _RECORDS_ADAPTER.dump_json(records, indent=2))
    else:
        path.unlink(missing_ok=True)
