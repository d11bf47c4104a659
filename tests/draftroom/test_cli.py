"""The command itself: its help, what it says of a wrong name, and what it imports for that and for the list of runs."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from draftroom.cli import COMMANDS, load_command
from draftroom.rendering.rendering import Rendering
from draftroom.systems import SYSTEMS, System
from evals.task import Task
from runs.runnable import RunnableGraph
from tests.draftroom.conftest import ROOT, Command
from tests.draftroom.test_earlier_versions import EARLIER

HEAVY = {"langgraph", "langchain_core", "torch", "numpy", "graphs", "nodes", "evals", "training"}
TELLS_WHAT_IS_IMPORTED = """
import atexit, sys
atexit.register(lambda: print("imported:", *{name.split(".")[0] for name in sys.modules}, file=sys.stderr))
"""


def run(draftroom: Command, folder: Path, *arguments: str) -> tuple[str, set[str]]:
    """What a process of its own prints, and the packages that it has imported by its end."""
    (folder / "sitecustomize.py").write_text(TELLS_WHAT_IS_IMPORTED, encoding="utf-8")
    done = draftroom.with_variables({"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}).process(*arguments)
    assert done.returncode == 0, done.stderr
    _, packages = done.stderr.split("imported:")
    assert "draftroom" in packages.split()
    return done.stdout, set(packages.split())


def test_the_help_lists_every_command_and_imports_none(draftroom: Command, tmp_path: Path):
    printed, packages = run(draftroom, tmp_path, "--help")
    assert [name for name in COMMANDS if f" {name} " not in printed] == []
    assert packages & HEAVY == set()


def test_the_list_of_runs_imports_no_graph(draftroom: Command, tmp_path: Path):
    folder = draftroom.home / "state" / "runs"
    folder.mkdir(parents=True)
    for path in EARLIER.glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))["record"]
        (folder / f"{record['id']}.json").write_text(json.dumps(record), encoding="utf-8")
    printed, packages = run(draftroom, tmp_path, "runs")
    for told in ("science_journalism", "medical_simplification", " -> ", "focused_feedback", " comment"):
        assert told in printed
    assert packages & HEAVY == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_of_the_help_says_what_the_command_does(name: str):
    assert load_command(name).help.split("\n\n")[0] == COMMANDS[name].help


def test_a_mistyped_command_is_told_which_one_may_be_meant(draftroom: Command):
    refused = draftroom("explian")
    assert refused.exit_code == 2
    assert "No such command 'explian'. Did you mean 'explain'?" in refused.stderr


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_everything_that_the_registry_names_is_there(system: System):
    assert isinstance(system.graph, RunnableGraph)
    assert isinstance(system.rendering, Rendering)
    if system.evaluation:
        task = system.evaluation.load()
        assert isinstance(task, Task)
        assert task.name == system.name
