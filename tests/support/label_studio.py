"""A real Label Studio, in an environment of its own: it pins versions that would not fit ours."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from tests.support.processes import free_port

RELEASE = "label-studio==1.23.2"
_TOKEN = "0123456789abcdef0123456789abcdef01234567"  # at most 40 characters
_PATIENCE_S = 300
_QUIET = {
    "LABEL_STUDIO_ENABLE_LEGACY_API_TOKEN": "true",
    "COLLECT_ANALYTICS": "false",
    "LATEST_VERSION_CHECK": "false",
    "SENTRY_DSN": "",
    "FRONTEND_SENTRY_DSN": "",
}


class LabelStudio:
    """Its API, as far as these tests need it."""

    def __init__(self, port: int) -> None:
        # Connections are tried again for some minutes, ever more seldom: the first start makes the database.
        self._client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}/",
            headers={"Authorization": f"Token {_TOKEN}"},
            timeout=_PATIENCE_S,
            transport=httpx.HTTPTransport(retries=10),
            trust_env=False,
        )

    def close(self) -> None:
        self._client.close()

    def new_project(self, title: str, config: str) -> int:
        """Make a project; Label Studio checks the configuration."""
        return int(self._post("api/projects/", {"title": title, "label_config": config})["id"])

    def import_tasks(self, project: int, tasks: list[Any]) -> int:
        """Import tasks; Label Studio checks them against the configuration. Returns how many it took."""
        return int(self._post(f"api/projects/{project}/import", tasks)["task_count"])

    def annotate(self, task: int, result: list[dict[str, Any]]) -> None:
        """Submit an annotation of a task."""
        self._post(f"api/tasks/{task}/annotations/", {"result": result, "was_cancelled": False, "lead_time": 1.0})

    def export(self, project: int, format_: str, **options: str) -> list[dict[str, Any]]:
        """What the button "Export" downloads."""
        reply = self._client.get(f"api/projects/{project}/export", params={"exportType": format_, **options})
        assert reply.status_code == 200, reply.text
        exported: list[dict[str, Any]] = reply.json()
        return exported

    def _post(self, path: str, body: Any) -> dict[str, Any]:
        reply = self._client.post(path, json=body)
        assert reply.status_code in {200, 201}, reply.text
        answer: dict[str, Any] = reply.json()
        return answer


@contextmanager
def running_label_studio(folder: Path) -> Iterator[LabelStudio]:
    """Installs it in a folder, starts it on loopback and ends it.

    Args:
        folder: Empty; keeps the environment, the database and the log.
    """
    program = _install(folder / "environment")
    port = free_port()
    arguments = [
        "--no-browser",
        "--internal-host",
        "127.0.0.1",
        "--port",
        str(port),
        "--data-dir",
        str(folder / "data"),
    ]
    account = ["--username", "rater@example.org", "--password", "not-a-secret-1", "--user-token", _TOKEN]
    with (folder / "log.txt").open("wb") as log:
        process = subprocess.Popen(
            [str(program), "start", *arguments, *account],
            env={"PATH": os.environ["PATH"], "HOME": str(folder), **_QUIET},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        studio = LabelStudio(port)
        try:
            yield studio
        finally:
            studio.close()
            process.terminate()
            process.wait(_PATIENCE_S)


def _install(environment: Path) -> Path:
    """Make the environment; returns the program."""
    subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
    pip = [str(environment / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, RELEASE], check=True)
    return environment / "bin" / "label-studio"
