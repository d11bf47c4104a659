"""The `draftroom` command and other programs in processes of their own, of which none outlives its test.

They are forked from a process that has imported the libraries, as importing takes ten times as long as what is tested.
What an interpreter imports by itself, or lacks, is tested by `Command.process` and not here.
"""

from __future__ import annotations

import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Thread
from types import TracebackType
from typing import IO, Self

ROOT = Path(__file__).parents[2]

_FORKS = get_context("forkserver")
# Not the command itself: its consoles ask once, when they are imported, whether they write to a terminal.
_PRELOADED = ["pytest", "typer.rich_utils", "scipy.stats", __name__]
_PRELOADED += [
    f"graphs.{name}" for name in ("baselines", "focused_feedback", "medical_simplification", "science_journalism")
]
_FORKS.set_forkserver_preload(_PRELOADED)


def preload(*modules: str) -> None:
    """Have modules imported before any process is forked; a test file says so when it is imported itself."""
    _PRELOADED.extend(modules)
    _FORKS.set_forkserver_preload(_PRELOADED)


def run_module(module: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, as `python -m MODULE` in the root of the repository does."""
    with Child(list(map(str, arguments)), module=module, env={**os.environ, **environment}, cwd=ROOT) as process:
        stdout, stderr = process.communicate(timeout=200)
    return subprocess.CompletedProcess([module, *map(str, arguments)], process.wait(), stdout, stderr)


def run_code(code: str, *arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code to its end, as `python -c CODE` in the root of the repository does."""
    return run_module("tests.support.code", code, *arguments, **environment)


def free_port() -> int:
    """Return a port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Child:
    """A process of the command, with the part of `subprocess.Popen` that tests use.

    Args:
        arguments: What stands after `draftroom`.
        module: Another program, by its module.
        env: Its environment variables.
        cwd: The folder it runs in.
        stdin: What it reads, or nothing.
        stdout: Where its output goes; otherwise it is kept to be read here.
        stderr: Where its messages go; otherwise they are kept to be read here.
    """

    def __init__(
        self,
        arguments: list[str],
        *,
        module: str = "draftroom",
        env: Mapping[str, str],
        cwd: Path,
        stdin: int = subprocess.DEVNULL,
        stdout: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
    ) -> None:
        self.args = arguments
        self.stdout, out = _output(stdout)
        self.stderr, err = (None, out) if stderr == subprocess.STDOUT else _output(stderr)
        streams = [
            _inherited(os.open(os.devnull, os.O_RDONLY) if stdin == subprocess.DEVNULL else os.dup(stdin)),
            out,
            err,
        ]
        self._process = _FORKS.Process(target=_main, args=(module, arguments, dict(env), str(cwd), streams))
        self._process.start()
        for stream in set(streams):
            stream.close()

    @property
    def pid(self) -> int:
        """The number of the process."""
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """What the process ended with, a signal as its negative number, or None while it runs."""
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        """Send a signal, unless the process has ended."""
        if self._process.is_alive():
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end and give the exit status.

        Raises:
            subprocess.TimeoutExpired: If the process has not ended after so many seconds.
        """
        self._process.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return self.returncode

    def communicate(self, timeout: float) -> tuple[str, str]:
        """Read all that is left of both outputs, wait for the end, and give what was read."""
        found = {stream: "" for stream in (self.stdout, self.stderr) if stream}
        readers = [Thread(target=lambda it=stream: found.update({it: it.read()})) for stream in found]
        for reader in readers:
            reader.start()
        try:
            self.wait(timeout)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            for reader in readers:
                reader.join()
            self._close()
        return found.get(self.stdout, ""), found.get(self.stderr, "")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self.kill()
        self._process.join()
        self._close()

    def _close(self) -> None:
        for stream in (self.stdout, self.stderr):
            if stream:
                stream.close()


def _output(wanted: int) -> tuple[IO[str] | None, Connection]:
    """Where a test reads what is written, and where the process writes it."""
    if wanted != subprocess.PIPE:
        return None, _inherited(os.open(os.devnull, os.O_WRONLY) if wanted == subprocess.DEVNULL else os.dup(wanted))
    mine, theirs = os.pipe()
    return os.fdopen(mine, encoding="utf-8"), _inherited(theirs)


def _inherited(descriptor: int) -> Connection:
    """A file that is handed over: multiprocessing does so with its own connections only."""
    return Connection(descriptor)


def _main(
    module: str, arguments: list[str], environment: dict[str, str], folder: str, streams: list[Connection]
) -> None:
    """Become the program, as `python -m MODULE` begins."""
    for number, stream in enumerate(streams):
        os.dup2(stream.fileno(), number)
    sys.stdin, sys.stdout = os.fdopen(0, encoding="utf-8"), os.fdopen(1, "w", encoding="utf-8")
    sys.stderr = os.fdopen(2, "w", encoding="utf-8", buffering=1)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
