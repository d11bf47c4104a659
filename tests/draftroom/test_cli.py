"""The command itself: its help, what it says of a wrong name, and what it imports for that and for the list of runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from draftroom.cli import COMMANDS, load_command
from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import ROOT, Command, run_without

HEAVY = {
    *("langgraph", "langchain_core", "torch", "numpy", "graphs", "nodes", "evals", "training"),
    *("chromadb", "sentence_transformers", "pdfplumber", "pypdfium2", "trafilatura", "nltk"),
}
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
    for path in (ROOT / "examples" / "runs").glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))["run"]
        (folder / f"{record['id']}.json").write_text(json.dumps(record), encoding="utf-8")
    printed, packages = run(draftroom, tmp_path, "runs")
    for told in ("explain", "simplify", " -> ", "review", " comment"):
        assert told in printed
    assert packages & HEAVY == set()


def test_a_check_of_one_paper_imports_nothing_that_talks_to_models(draftroom: Command, paper: Path, tmp_path: Path):
    _, packages = run(draftroom, tmp_path, "check", str(paper))
    assert packages & {"openai", "langgraph", "langchain_core", "graphs", "nodes"} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_line_of_the_help_says_what_the_command_does(name: str):
    assert load_command(name).help.split("\n\n")[0] == COMMANDS[name].help


def test_a_mistyped_command_is_told_which_one_may_be_meant(draftroom: Command):
    refused = draftroom("explian")
    assert refused.exit_code == 2
    assert "No such command 'explian'. Did you mean 'explain'?" in refused.stderr


def test_the_shell_completes_commands_and_their_flags(draftroom: Command):
    asked = {"_DRAFTROOM_COMPLETE": "complete_bash", "COMP_WORDS": "draftroom models up --pro", "COMP_CWORD": "3"}
    code = "import sys; sys.argv = ['draftroom']; from draftroom.cli import main; main()"
    environment = {**os.environ, **draftroom.variables, **asked}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["--profile"], done.stderr


def test_each_command_ends_with_what_to_do_next(draftroom: Command, paper: Path, tmp_path: Path):
    assert "\x1b" not in draftroom("explain", paper).output
    batch = ("batch", "check", paper, "--out", tmp_path / "many")
    for words in (("runs",), ("show", "last"), ("check", paper), ("doctor",), ("models", "status"), batch):
        result = draftroom(*words)
        assert result.exit_code == 0, result.stderr
        assert result.stderr.splitlines()[-1].startswith("Next: "), words
        assert "\x1b" not in result.output, "a pipe gets no colours and moves no cursor"
    for words in (("check", paper, "--quiet"), ("doctor", "--json"), ("runs", "--json"), (*batch, "--quiet")):
        assert "Next: " not in draftroom(*words).output, "a script wants the result alone"


def test_without_the_server_its_command_says_how_to_get_it(draftroom: Command):
    done = run_without("starlette", draftroom, "open")
    assert done.returncode == EXIT_CODES["bad_settings"], done.stderr
    assert "(starlette is missing): pip install 'draftroom[studio]'; in the folder of the project also: make page." in (
        " ".join(done.stderr.split())
    )
    assert "draftroom open" not in run_without("starlette", draftroom, "doctor").stderr, (
        "nobody is sent to what is not there"
    )
