"""How many files of the house a run passes through, and how often it comes back to one: what following it takes.

    python -m benchmarks.files_per_run
    python -m benchmarks.files_per_run --list

Each run is made in a process of its own, with every module of the house imported before it begins. A profile hook notes
each function of the house the first time it is called, in the order of these calls; the hook is set in every thread. A
file counts once; comprehensions and lambdas belong to the function around them. A return is a function in a file that
was seen before and had been left for another one: what a reader does who takes each function where the run first comes
to it. The tests' fake endpoint answers, in a process of its own; a process that a run starts to read a PDF is not
followed, and the papers are Markdown.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib
import json
import os
import pkgutil
import subprocess
import sys
import tempfile
import threading
from contextlib import redirect_stdout
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.fake_process import fake_process
from state.journalism import JournalismInput
from state.settings import JournalismContext

ROOT = Path(__file__).parents[1]
ROOMS = ("draftroom", "evals", "graphs", "nodes", "runs", "state", "tools", "training")
MOSSES = str(ROOT / "examples" / "mosses.md")
COMMANDS = {
    "explain": ("explain", MOSSES, "--rounds", "2"),
    "simplify": ("simplify", str(ROOT / "examples" / "inhalers.md")),
    "review": ("review", MOSSES, "--paragraph", "1"),
    "eval": ("eval", "science_journalism", "--limit", "2"),
}
PYTHON = "a graph from Python"


def main() -> None:
    """Follow each run and print the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--list", action="store_true", help="print the files of each run, in their order")
    parser.add_argument("--follow", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.follow:
        print(json.dumps(followed(arguments.follow)))
        return
    print(f"{'run':24}{'files':>7}{'functions':>11}{'returns':>9}")
    with fake_process() as base_url:
        for run in (*COMMANDS, PYTHON):
            files = files_of(run, base_url)
            visited = [file for place, file in enumerate(files) if not place or file != files[place - 1]]
            print(f"{run:24}{len(set(files)):7}{len(files):11}{len(visited) - len(set(visited)):9}")
            if arguments.list:
                print(*(f"    {file}" for file in dict.fromkeys(files)), sep="\n")


def files_of(run: str, base_url: str) -> list[str]:
    """The file of each function that a run calls, in the order of first calls; the run has a process of its own."""
    with tempfile.TemporaryDirectory() as home:
        settings = {"DRAFTROOM_MODELS__DEFAULT__BASE_URL": base_url, "DRAFTROOM_MODELS__DEFAULT__MODEL": "large"}
        command = [sys.executable, "-m", "benchmarks.files_per_run", "--follow", run]
        environment = {**os.environ, **settings, "DRAFTROOM_HOME": home}
        finished = subprocess.run(
            command, cwd=home, env={**environment, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
        )
        if finished.returncode:
            raise SystemExit(f"the run {run!r} ended with exit code {finished.returncode}:\n{finished.stderr}")
    files: list[str] = json.loads(finished.stdout.splitlines()[-1])
    return files


def followed(run: str) -> list[str]:
    """Make a run in this process and note where its functions stand."""
    for room in ROOMS:
        package = importlib.import_module(room)
        for module in pkgutil.walk_packages(package.__path__, f"{room}."):
            if not module.name.endswith(("__main__", "on_ray")):  # the latter needs an extra
                importlib.import_module(module.name)
    seen: dict[Any, str] = {}
    prefixes = tuple(f"{ROOT / room}{os.sep}" for room in ROOMS)

    def note(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if (
            event == "call"
            and code not in seen
            and code.co_filename.startswith(prefixes)
            and not code.co_name.startswith("<")
        ):
            seen[code] = code.co_filename

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        with redirect_stdout(sys.stderr):
            make(run)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return [str(Path(name).relative_to(ROOT)) for name in seen.values()]


def make(run: str) -> None:
    """Make one of the runs."""
    if run == PYTHON:
        from graphs.science_journalism import graph  # noqa: PLC0415 - not part of the other runs

        paper = Path(MOSSES).read_text(encoding="utf-8")
        asyncio.run(graph.ainvoke(JournalismInput(paper=paper), context=JournalismContext(rounds=2)))
        return
    from draftroom.cli import main as command  # noqa: PLC0415 - not part of a run from Python

    sys.argv = ["draftroom", *COMMANDS[run]]
    try:
        command()
    except SystemExit as ended:
        if ended.code:
            raise


if __name__ == "__main__":
    main()
