"""`langgraph dev` as a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from tests.support.processes import free_port

REPOSITORY = Path(__file__).parents[2]
STUDIO = [sys.executable, "-m", "draftroom", "studio"]
OPEN = [sys.executable, "-m", "draftroom", "open", "--no-browser"]
_READY = ("Application started up", "Application startup complete", "The page is at")
"""As `langgraph dev` says it, as uvicorn does, and as `draftroom open` does."""
_PATIENCE_S = 120


def variables(home: Path, base_url: str, **more: str) -> dict[str, str]:
    """The environment of a server that keeps its files in `home` and asks one endpoint.

    What this process has switched off is left out, so that the server must switch it off for itself.
    """
    inherited = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR", "VIRTUAL_ENV") if name in os.environ}
    return {
        **inherited,
        "PYTHONPATH": str(REPOSITORY),
        "DRAFTROOM_HOME": str(home),
        "DRAFTROOM_MODELS__DEFAULT__BASE_URL": base_url,
        "DRAFTROOM_MODELS__DEFAULT__MODEL": "large",
        "DRAFTROOM_MODELS__DEFAULT__RETRIES": "0",
        "DRAFTROOM_JOURNALISM__ROUNDS": "1",
        "DRAFTROOM_FEEDBACK__EVERY_PARAGRAPH": "true",
        "XDG_CONFIG_HOME": str(home / "config"),
        **more,
    }


class StudioServer:
    """A server that was started with `command` and `--port`; a context manager that waits until it answers.

    Args:
        command: Without the port.
        environment: All of it.
        folder: Where it runs.
        port: That it listens on; 0 for a free one.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], folder: Path, port: int = 0) -> None:
        self._command, self._environment, self._folder, self.port = command, environment, folder, port
        self._lines: list[str] = []
        self._ready = threading.Event()

    def __enter__(self) -> Self:
        self.port = self.port or free_port()
        self.process = subprocess.Popen(
            [*self._command, "--port", str(self.port)],
            env=dict(self._environment),
            cwd=self._folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read)
        self._reader.start()
        if not self._ready.wait(_PATIENCE_S) or self.process.poll() is not None:
            self.stop()
            raise AssertionError(f"The server did not start:\n{self.output}")
        with httpx.Client(transport=httpx.HTTPTransport(retries=6)) as client:  # it says so before it listens
            client.get(f"{self.url}/ok")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def output(self) -> str:
        """What it has printed."""
        return "".join(self._lines)

    def client(self) -> SyncLangGraphClient:
        return get_sync_client(url=self.url, api_key=None)

    def stop(self) -> int:
        """Stop it as Ctrl-C does, and return its exit code."""
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGINT)
        try:
            code = self.process.wait(_PATIENCE_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            code = self.process.wait()
        self._reader.join()
        return code

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        with stream:
            for line in stream:
                self._lines.append(line)
                if any(said in line for said in _READY):
                    self._ready.set()
        self._ready.set()  # it ended; whoever waits must look
