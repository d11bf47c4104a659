"""The recipe for a system, followed to the letter in a copy of the project: what the page says is enough, and works."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.fake_endpoint import FakeEndpoint, Json, Script, When

ROOT = Path(__file__).parents[1]
RECIPE = ROOT / "docs" / "a_fourth_system.md"
PACKAGES = ("draftroom", "evals", "graphs", "nodes", "presets", "runs", "serving", "state", "tools", "training")
BLOCK = re.compile(r"^`([\w./]+)`\n\n```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAPER = "# Moss\n\nBryophytes store water in hyaline cells. Growth rose by 20% in wet summers.\n"
ANSWERS = [
    When(Json({"terms": ["bryophytes", "hyaline cells"]}), schema="PickedTerms"),
    When(Json({"explanations": ["Mosses and their kin.", "Dead, see-through cells."]}), schema="Explanations"),
]
PARTS = ["Your role", "Your task", "Rules", "Output"]
"""Of every agent's prompt."""
GLOSSARY = "# Glossary\n\n- **bryophytes**: Mosses and their kin.\n- **hyaline cells**: Dead, see-through cells.\n"
FROM_PYTHON = """
import asyncio, runpy
from draftroom.doctor import list_distinct_models
from graphs.glossary import graph
from tools.configuration import load_settings
print(asyncio.run(graph.ainvoke({"paper": open("moss.md").read()}, context={"terms": 1}))["terms"])
print(*list_distinct_models(load_settings()), sep="\\n")
runpy.run_module("draftroom.reference", run_name="__main__")
"""
# In one process, as each loads for seconds; of `doctor` the part that says whom it asks, as the whole of it loads what
# reviews need.


def blocks() -> list[tuple[str, str, str]]:
    """Path, language and text of each block of the page that is headed by a path."""
    return BLOCK.findall(RECIPE.read_text(encoding="utf-8"))


def edited(text: str, diff: str) -> str:
    """`text` with the lines that `diff` adds; every part of it names the lines that they stand beside."""
    for part in diff.split("@@\n"):
        lines = part.splitlines(keepends=True)
        before = "".join(line[1:] for line in lines if line.startswith(" "))
        assert text.count(before) == 1, f"the page names {before!r}, which is there {text.count(before)} times"
        text = text.replace(before, "".join(line[1:] for line in lines))
    return text


@dataclass
class ProjectCopy:
    """A copy of the packages, in which whatever is written stays away from the checkout."""

    root: Path
    endpoint: FakeEndpoint

    def run(self, *arguments: str, variables: Mapping[str, str] = {}) -> subprocess.CompletedProcess[str]:
        """A process of the copy's code."""
        environment = {
            **os.environ,
            "PYTHONPATH": str(self.root),
            "PYTHONDONTWRITEBYTECODE": "",  # what one process has compiled serves the next ones
            "DRAFTROOM_HOME": str(self.root / "home"),
            "XDG_CONFIG_HOME": str(self.root / "home"),
            "DRAFTROOM_MODELS__DEFAULT__BASE_URL": self.endpoint.base_url,
            "DRAFTROOM_MODELS__DEFAULT__MODEL": "large",
            **variables,
        }
        command = [sys.executable, *arguments]
        return subprocess.run(
            command, env=environment, cwd=self.root, text=True, capture_output=True, timeout=120, check=False
        )

    def draftroom(self, *arguments: str, variables: Mapping[str, str] = {}) -> subprocess.CompletedProcess[str]:
        """The command of the copy."""
        return self.run("-m", "draftroom", *arguments, variables=variables)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProjectCopy]:
    """The project as it is, of links, with the files of the page and the edit that it names."""
    root = tmp_path_factory.mktemp("project")
    for package in PACKAGES:
        shutil.copytree(
            ROOT / package, root / package, copy_function=os.symlink, ignore=shutil.ignore_patterns("__pycache__")
        )
    for path, language, text in blocks():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        whole = edited(file.read_text(encoding="utf-8"), text) if language == "diff" else text
        file.unlink(missing_ok=True)  # the link, and not what it leads to
        file.write_text(whole, encoding="utf-8")
    (root / "docs").mkdir()
    for page in ("settings", "extensions", "exit_codes", "commands", "python"):
        shutil.copy(ROOT / "docs" / f"{page}.md", root / "docs")
    (root / "moss.md").write_text(PAPER, encoding="utf-8")
    with FakeEndpoint(answer=Script(ANSWERS)) as endpoint:
        yield ProjectCopy(root, endpoint)


def test_a_system_takes_eight_new_files_and_one_edit():
    new = [path for path, language, _ in blocks() if language != "diff"]
    changed = [path for path, language, _ in blocks() if language == "diff"]
    assert len(new) == len(set(new)) <= 8
    assert [path for path in new if (ROOT / path).exists()] == [], "a file that is there would be an edit"
    assert [path for path in new if "glossary" not in path] == [], "each is the system's own"
    assert changed == ["state/settings.py"]
    added = [line for _, language, text in blocks() if language == "diff" for line in text.splitlines()]
    assert len([line for line in added if line.startswith("+")]) == 2, "its import and its field"
    assert [line for line in added if line.startswith("-")] == []


def test_the_recipes_name_files_that_are_there():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    invented = {"nodes/journalism/prompts/check_facts.md", "nodes/journalism/fact_checker.py"}
    named = set(re.findall(r"[(`]((?:\w+/)+\w+\.(?:py|md))[)`]", page))
    assert len(named) > 10
    assert {path for path in named if not (ROOT / path).exists()} == invented


def test_its_command_is_configured_stops_resumes_and_is_shown(project: ProjectCopy):
    variables = {"DRAFTROOM_GLOSSARY__TERMS": "2"}
    stopped = project.draftroom("glossary", "moss.md", "--max-calls", "1", variables=variables)
    assert "2 terms to explain" in stopped.stderr
    assert stopped.stdout == ""
    asked = len(project.endpoint.chat_requests)
    resumed = project.draftroom("resume", "last", "-o", "glossary.json")
    assert (resumed.returncode, resumed.stdout) == (0, GLOSSARY), resumed.stderr
    assert len(project.endpoint.chat_requests) == asked + 1, "nothing that was paid for is asked again"
    result = json.loads((project.root / "glossary.json").read_text(encoding="utf-8"))
    assert result["terms"] == ["bryophytes", "hyaline cells"]
    assert result["run"]["system"] == "glossary"
    shown = project.draftroom("show", "last").stdout
    assert "Term picker: large\nExplainer: large" in shown
    assert "- **bryophytes**: Mosses and their kin." in shown
    assert re.search(r"explainer\W+1\b", shown)


def test_its_flags_have_the_bounds_of_its_settings(project: ProjectCopy):
    refused = project.draftroom("glossary", "moss.md", "--terms", "99")
    assert "`glossary.terms`: input should be less than or equal to 40" in refused.stderr


def test_its_graph_runs_from_python_doctor_knows_its_roles_and_the_page_its_settings(project: ProjectCopy):
    run = project.run("-c", FROM_PYTHON, variables={"DRAFTROOM_MODELS__EXPLAINER__MODEL": "small"})
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("['bryophytes']\n")
    assert "explainer: small at" in run.stdout
    page = (project.root / "docs" / "settings.md").read_text(encoding="utf-8")
    assert "## [glossary]\n\n- `" in page
    assert "- `terms` (integer 1 to 40, default `8`): Most terms that are explained." in page
    assert "`term_picker`, `explainer`" in page


def test_its_files_keep_to_the_rules_of_the_project(project: ProjectCopy):
    own = [path for path, _, _ in blocks() if path.endswith(".py")]
    ruff = ["-m", "ruff", "check", "--no-cache", "--config", str(ROOT / "pyproject.toml"), *own]
    assert project.run(*ruff).stdout.strip() == "All checks passed!"
    for prompt in [text for path, _, text in blocks() if path.endswith(".md")]:
        assert re.findall(r"^# (Your role|Your task|Rules|Output)$", prompt, re.MULTILINE) == PARTS
    formatted = project.run(
        "-m", "ruff", "format", "--check", "--no-cache", "--config", str(ROOT / "pyproject.toml"), *own
    )
    assert formatted.returncode == 0, formatted.stdout
