"""Servers as processes: launched detached, kept on record in a state file, recognised later, and stopped as one.

And long steps on the way there: programs that run with their output in a log file, and locks that say when somebody
else holds them.
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

Report = Callable[[str], None]
"""Is told the name of every step as it begins."""

_ERROR_LINE = re.compile(r"\b\w*(Error|Exception)\b.*:|^ERROR\b|\bNo space left\b")
_TAIL_BYTES = 64 * 1024


def run_step(step: str, command: Sequence[str | Path], log: Path, report: Report) -> None:
    """Run `command` to its end and add what it prints to `log`.

    Raises:
        ServingError: It failed; the message quotes the end of its output and names the log.
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
            f"{step} failed ({quote_error_lines(log)}); mend that and run the command again. "
            f"Everything it said is in {log}."
        )


def quote_error_lines(log: Path, count: int = 3) -> str:
    """The last lines of `log` that name an error, or else its last lines, joined by ` | `."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - _TAIL_BYTES))
        lines = [line.strip() for line in file.read().decode("utf-8", "replace").splitlines() if line.strip()]
    telling = [line for line in lines if _ERROR_LINE.search(line)] or lines
    return " | ".join(line[:300] for line in dict.fromkeys(telling[-count:])) or "it printed nothing"


@contextmanager
def hold_file_lock(path: Path, report: Report) -> Iterator[None]:
    """Hold the lock file `path` for work on files beside it, waiting while another process holds it.

    Raises:
        StateError: The lock file, or a file that the work is about, cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _acquire_lock(FileLock(path), report):
            yield
    except OSError as error:
        raise StateError(
            f"Cannot write {error.filename or path}: {error.strerror}; "
            "free some space, or set DRAFTROOM_HOME to a folder that you can write to.",
            kind="disk_full" if error.errno == errno.ENOSPC else None,
        ) from error


@contextmanager
def _acquire_lock(lock: FileLock, report: Report) -> Iterator[None]:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report(f"Waiting for another command that holds {lock.lock_file}")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


_POLL_S = 0.1
_KILL_S = 10.0
# A start time is counted from boot, and the moment of boot shifts a little whenever the clock is corrected.
_CLOCK_SHIFT_S = 2.0


class ServerProcess(BaseModel):
    """A process that leads a group of its own, told apart from a later one with the same id by its start time."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    pid: int
    started: float
    """Seconds since the epoch."""

    def is_alive(self) -> bool:
        """Return whether it still runs; what it started may outlive it."""
        return any(process.pid == self.pid for process in self._list_group_processes())

    def stop(self, grace_s: float = 20.0) -> None:
        """Ask the group to end, and kill what is left of it after `grace_s` seconds; nothing happens if it is gone."""
        processes = self._list_group_processes()
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.terminate()
        for process in _wait_for_exit(processes, grace_s):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        _wait_for_exit(processes, _KILL_S)

    def _list_group_processes(self) -> list[psutil.Process]:
        """Return what runs of the group: vLLM's engine goes on when its leader is killed.

        The system gives an id to no other process as long as a group has it, so a group without its leader is ours.
        """
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
    return ServerProcess(pid=pid, started=psutil.Process(pid).create_time())


def _wait_for_exit(processes: Sequence[psutil.Process], timeout_s: float) -> list[psutil.Process]:
    """Wait for `processes` to end; return those that have not after `timeout_s` seconds."""
    deadline = time.monotonic() + timeout_s
    while (running := [process for process in processes if _is_running(process)]) and time.monotonic() < deadline:
        time.sleep(_POLL_S)
    return running


def _is_running(process: psutil.Process) -> bool:
    # A zombie has ended: it only waits for its parent, which in a container without an init may never collect it.
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


class ServerRecord(BaseModel):
    """One server that was started."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    server: Server
    """As it was defined when it was started."""
    process: ServerProcess
    log: Path


_RECORDS_ADAPTER = TypeAdapter(dict[str, ServerRecord])


def get_servers_folder() -> Path:
    """Folder of state files, locks and logs of servers."""
    return resolve_state_folder() / "servers"


def list_recorded_profiles() -> list[str]:
    """Names of the profiles that have a state file."""
    return sorted(path.stem for path in get_servers_folder().glob("*.json"))


def load_server_records(profile: str) -> dict[str, ServerRecord]:
    """The recorded servers of a profile by their name; empty if none was started.

    Raises:
        ServingError: The state file is not readable.
    """
    path = _get_state_file(profile)
    try:
        return _RECORDS_ADAPTER.validate_json(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValidationError as error:
        raise ServingError(
            f"The state file {path} cannot be understood: stop the servers it names by their pid, then delete it."
        ) from error


def save_server_records(profile: str, records: dict[str, ServerRecord]) -> None:
    """Keep the records of a profile's servers; without any, its file goes."""
    if records:
        write_atomically(_get_state_file(profile), _RECORDS_ADAPTER.dump_json(records, indent=2))
    else:
        _get_state_file(profile).unlink(missing_ok=True)


def _get_state_file(profile: str) -> Path:
    return get_servers_folder() / f"{profile}.json"
