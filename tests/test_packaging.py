"""What is installed: locked requirements that are whole and current, and a package that works from any folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.fake_endpoint import FakeEndpoint
from tools.bert import PACKAGED_ENCODER, PACKAGED_VERSION
from tools.configuration import list_presets

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ROOMS = PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
EXTRAS = PROJECT["project"]["optional-dependencies"]
APPLICATION, PAGE = ROOT / "requirements.txt", ROOT / "requirements-page.txt"
PIN = re.compile(r"^([\w.-]+)==(\S+)(?: ; (.*?))? \\\n((?:    --hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", re.MULTILINE)


LOADS_PRESETS = """
from tools.configuration import load_settings, list_presets
print(*(load_settings({"preset": name}).preset for name in list_presets()))
"""


def pins(*files: Path) -> dict[str, str]:
    """Version by name, of packages that have a digest."""
    found = [match for file in files for match in PIN.findall(file.read_text(encoding="utf-8"))]
    return {canonicalize_name(name): version for name, version, *_ in found}


def needed(wanted: Sequence[str]) -> Iterator[Requirement]:
    """Requirements on this machine, and those of what is installed for them, and so on."""
    waiting, seen = [Requirement(line) for line in wanted], set()
    while waiting:
        requirement = waiting.pop()
        extras = sorted(requirement.extras) or [""]
        if requirement.marker and not requirement.marker.evaluate({"extra": ""}):
            continue
        yield requirement
        if str(requirement) in seen or requirement.name == PACKAGED_ENCODER:
            continue
        seen.add(str(requirement))
        for line in requires(requirement.name) or []:
            below = Requirement(line)
            if not below.marker or any(below.marker.evaluate({"extra": extra}) for extra in extras):
                below.marker = None
                waiting.append(below)


@pytest.mark.parametrize("file", [APPLICATION, PAGE], ids=lambda file: file.name)
def test_every_locked_package_has_a_version_and_digests_and_no_address(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    rest = PIN.sub("", text)
    assert [line for line in rest.splitlines() if not line.startswith("#")] == []
    assert "://" not in text, "whose index is asked is the reader's choice"


@pytest.mark.parametrize(
    ("wanted", "files"),
    [
        (PROJECT["project"]["dependencies"] + EXTRAS["review"], [APPLICATION]),
        ([each for each in EXTRAS["studio"] if not each.startswith("draftroom")], [APPLICATION, PAGE]),
    ],
    ids=["application", "page"],
)
def test_the_locked_packages_are_what_the_project_asks_for(wanted: list[str], files: list[Path]) -> None:
    locked = pins(*files)
    for requirement in needed(wanted):
        version = locked.get(canonicalize_name(requirement.name))
        assert version, f"{requirement} is not locked: run `make lock`"
        assert requirement.specifier.contains(version, prereleases=True), f"{requirement} is locked at {version}"


def test_locked_versions_are_those_that_the_tests_run_with() -> None:
    tested = dict(
        re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.MULTILINE)
    )
    tested = {canonicalize_name(name): version for name, version in tested.items()}
    locked = pins(APPLICATION, PAGE)
    assert {name: version for name, version in locked.items() if tested.get(name, version) != version} == {}
    assert len(locked.keys() & tested.keys()) > 150


def test_the_application_is_locked_without_torch_and_with_its_encoder() -> None:
    locked = pins(APPLICATION)
    assert locked[PACKAGED_ENCODER] == PACKAGED_VERSION
    assert not {"torch", "transformers", "sentence-transformers", "vllm"} & locked.keys()
    assert not any(name.startswith("nvidia") for name in locked)
    assert "langgraph-api" not in locked, "it is under the Elastic licence, and only the page needs it"


def without_python() -> dict[str, str]:
    """The environment, but for what tells Python where else packages are."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


@dataclass
class Elsewhere:
    """The command of a built package in a folder that has nothing to do with the project."""

    folder: Path
    python: Path

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """The command with these arguments."""
        home = str(self.folder / "home")
        return subprocess.run(
            [self.python, *map(str, arguments)],
            env={**without_python(), "DRAFTROOM_HOME": home, "XDG_CONFIG_HOME": home},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def draftroom(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """The command with these arguments."""
        return self.run("-m", "draftroom", *arguments)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package, built by its own builder without a network."""
    pytest.importorskip("hatchling", reason="make develop installs it")
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run([sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder], cwd=ROOT, check=True)
    (built,) = folder.glob("*.whl")
    return built


def use(elsewhere: Elsewhere, room: Path, endpoint: FakeEndpoint) -> None:
    """Do with the package what somebody does in the first hour."""
    where = elsewhere.run("-c", "import draftroom; print(draftroom.__file__)").stdout
    assert Path(where).is_relative_to(room), "what is tried is the package and not the checkout"
    assert "explain" in elsewhere.draftroom("--help").stdout
    checked = elsewhere.draftroom("check", ROOT / "examples" / "seedlings.pdf")
    assert (checked.returncode, "6 references" in checked.stdout) == (21, True), checked.stderr
    begun = elsewhere.draftroom("init", "--base-url", endpoint.base_url)
    assert begun.returncode == 0, begun.stderr
    assert "Answers are constrained to JSON schemas" in begun.stdout
    assert elsewhere.run("-c", LOADS_PRESETS).stdout.split() == list_presets()
    article = elsewhere.folder / "article.html"
    explained = elsewhere.draftroom("explain", ROOT / "examples" / "mosses.md", "-o", article)
    assert explained.returncode == 0, explained.stderr
    assert article.stat().st_size
    assert "draftroom show" in explained.stderr


def test_the_package_holds_every_file_of_its_rooms(wheel: Path) -> None:
    held = {*zipfile.ZipFile(wheel).namelist()}
    files = [path for room in ROOMS for path in (ROOT / room).rglob("*") if path.is_file()]
    left_out = [path.relative_to(ROOT) for path in files if "__pycache__" not in path.parts]
    assert [str(path) for path in left_out if str(path) not in held] == []
    assert {"langgraph.json", "draftroom/page/static/index.html"} <= held
    assert {f"{room}/py.typed" for room in ROOMS if (ROOT / room / "__init__.py").exists()} <= held
    assert not any(name.startswith(("tests/", "docs/", "web/")) for name in held)


@pytest.mark.wheel
@pytest.mark.timeout(600)
def test_the_package_works_in_a_new_environment(wheel: Path, tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    room, folder = tmp_path / "environment", tmp_path / "elsewhere"
    subprocess.run([sys.executable, "-m", "venv", room], check=True)
    python = room / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "--no-deps"]
    for what in (["--require-hashes", "-r", APPLICATION, "-r", PAGE], [wheel]):
        subprocess.run([*pip, *what], env=without_python(), check=True)
    folder.mkdir()
    elsewhere = Elsewhere(folder, python)
    use(elsewhere, room, fake_endpoint)
    where = (
        "from draftroom.commands.server import SERVER_CONFIGURATION as c; print(c.is_file(), c.is_relative_to('{}'))"
    )
    assert elsewhere.run("-c", where.format(room)).stdout.split() == ["True", "True"]
