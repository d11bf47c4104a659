from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from draftroom.cli import app
from tests.draftroom.review_command import TwoMinds
from tests.fake_endpoint import FakeEndpoint
from tests.support.processes import Child, run_code
from tests.support.review_room import PAPER as DRAFT

ROOT = Path(__file__).parents[2]
PAPER = """# Moss grows where it is wet

We followed 12 mosses in Iceland from 1999 to 2003. Growth rose by 20% in wet summers and stopped in dry ones. Water,
and not warmth, decides how fast a moss grows.
"""


@dataclass
class Command:
    """The `draftroom` command in a home of its own, with one endpoint for all roles and for embeddings."""

    home: Path
    endpoint: FakeEndpoint
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.variables = {
            "DRAFTROOM_HOME": str(self.home),
            "DRAFTROOM_MODELS__DEFAULT__BASE_URL": self.endpoint.base_url,
            "DRAFTROOM_MODELS__DEFAULT__MODEL": "large",
            "DRAFTROOM_MODELS__DEFAULT__RETRIES": "0",
            "DRAFTROOM_JOURNALISM__ROUNDS": "1",
            "DRAFTROOM_FEEDBACK__EVERY_PARAGRAPH": "true",
            "DRAFTROOM_FEEDBACK__EMBEDDING__BASE_URL": self.endpoint.base_url,
            "DRAFTROOM_FEEDBACK__EMBEDDING__MODEL": "large",
            "XDG_CONFIG_HOME": str(self.home / "config"),
            **self.variables,
        }

    def __call__(self, *arguments: str | Path, stdin: bytes | None = None) -> Result:
        """Run the command in this process."""
        return CliRunner().invoke(app, list(map(str, arguments)), input=stdin, env=self.variables)

    def start(self, *arguments: str | Path, **streams: int) -> Child:
        """Start the command as a process of its own, forked from one that has imported everything."""
        return Child(list(map(str, arguments)), env={**os.environ, **self.variables}, cwd=ROOT, **streams)

    def process(self, *arguments: str | Path, **options: Any) -> subprocess.CompletedProcess[str]:
        """Run the command to its end in a new interpreter, which takes seconds: for what imports can change."""
        command = [sys.executable, "-m", "draftroom", *map(str, arguments)]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        environment = {**os.environ, **self.variables}
        return subprocess.run(command, env=environment, cwd=ROOT, text=True, timeout=120, check=False, **streams)

    def records(self) -> list[dict[str, Any]]:
        """The run records, oldest first."""
        paths = sorted((self.home / "state" / "runs").glob("*.json"))
        return [json.loads(path.read_text(encoding="utf-8")) for path in paths]

    def with_variables(self, variables: Mapping[str, str]) -> Command:
        """The same command with other environment variables."""
        return Command(self.home, self.endpoint, {**self.variables, **variables})


def run_without(name: str, draftroom: Command, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run the command as in an installation that lacks a package."""
    code = f"import runpy, sys; sys.modules[{name!r}] = None; runpy.run_module('draftroom', run_name='__main__')"
    return run_code(code, *arguments, **draftroom.variables)


@pytest.fixture
def draftroom(fake_endpoint: FakeEndpoint, tmp_path: Path) -> Command:
    return Command(tmp_path / "home", fake_endpoint)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "moss.md"
    path.write_text(PAPER, encoding="utf-8")
    return path


@pytest.fixture
def draft(tmp_path: Path) -> Path:
    """A draft that can be reviewed: a short abstract (p1), methods (p2) and results (p3)."""
    path = tmp_path / "cress.md"
    path.write_text(DRAFT, encoding="utf-8")
    return path


@pytest.fixture
def room(draftroom: Command) -> Command:
    """The command with agents that have something to say about the results and nothing about the methods."""
    draftroom.endpoint.answer = TwoMinds()
    return draftroom.with_variables({"DRAFTROOM_FEEDBACK__PLANS": "1", "DRAFTROOM_FEEDBACK__MIN_WORDS": "30"})
