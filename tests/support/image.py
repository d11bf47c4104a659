"""An environment made by the steps of a Dockerfile, in place of its image: no container engine is needed.

The image's root is a folder. Its Python is a virtual environment at `usr/local`, with the server of LangGraph that the
base image has, so that what the steps install, keep and remove there is what they do to the image.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACES = re.compile(r"(?<![\w/.*])/(usr/local|usr/lib|usr/bin|deps|api|tmp/draftroom)(?=[/ ;*\"]|$)")
SERVER = ("langgraph-api", "langgraph-runtime-inmem", "uvicorn")


class Image:
    """What the steps have made so far.

    Args:
        folder: Its root.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: dict[str, str] = {}
        self.workdir = "/"
        self.python = folder / "usr/local/bin/python"
        self._begin()

    def _begin(self) -> None:
        """The base image: Python with its packaging tools, uv, and LangGraph's server."""
        tools = self.folder / "usr/bin"
        for name in ("usr/bin", "api", "deps", "tmp"):
            (self.folder / name).mkdir(parents=True)
        _run([sys.executable, "-m", "venv", self.folder / "usr/local"])
        _run([self.python, "-m", "pip", "install", "--quiet", "uv", "wheel"])
        for name in ("uv", "uvx"):
            shutil.move(self.python.parent / name, tools / name)
        pins = [line for line in _lines(ROOT / "constraints.txt") if line.startswith(SERVER)]
        (self.folder / "api/constraints.txt").write_text("\n".join(pins) + "\n", encoding="utf-8")
        self.run(f"uv pip install --system {' '.join(pins)}")

    def build(self, dockerfile: Path, context: Path) -> None:
        """Do its steps."""
        for line in _lines(dockerfile):
            instruction, _, rest = line.partition(" ")
            match instruction:
                case "ENV":
                    self.environment |= dict(part.split("=", 1) for part in shlex.split(rest))
                case "ADD":
                    self._add(context, *shlex.split(rest))
                case "RUN" if "/api/langgraph_api" in rest or rest.endswith("-e /api"):
                    pass  # they put back the server's own sources, which only the base image has
                case "RUN":
                    self.run(rest)
                case "WORKDIR":
                    self.workdir = rest
                case "FROM" | "HEALTHCHECK":
                    pass
                case _:
                    raise AssertionError(f"a step of another kind: {line}")

    def run(self, command: str) -> None:
        """Do what a RUN step says, within the folder."""
        here = PLACES.sub(lambda found: f"{self.folder}/{found[1]}", command)
        _run(["/bin/sh", "-c", here.replace(" --system", f" --python {self.python}")], env=self._variables())

    def variables(self, **more: str) -> dict[str, str]:
        """The environment of a process in a container."""
        return {**self._variables(), **self.environment, **more}

    def _variables(self) -> dict[str, str]:
        path = f"{self.python.parent}:{self.folder / 'usr/bin'}:/usr/bin:/bin"
        kept = {name: value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "SSL_", "HOME"))}
        return {**kept, "PATH": path, "UV_LINK_MODE": "copy"}

    def _add(self, context: Path, source: str, target: str) -> None:
        place = self.folder / target.lstrip("/")
        if source == ".":
            shutil.copytree(context, place, ignore=_ignored(context))
        else:
            place.mkdir(parents=True, exist_ok=True)
            shutil.copy(context / source, place)


def _ignored(context: Path) -> shutil._IgnorePatterns:  # type: ignore[name-defined]
    """As `.dockerignore` says, whose patterns here hold for every folder."""
    return shutil.ignore_patterns(*(line.removeprefix("**/") for line in _lines(context / ".dockerignore")))


def _lines(path: Path) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line.strip() and not line.startswith("#")]


def _run(command: list[str | Path], **more: object) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
