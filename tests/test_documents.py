"""README.md and the pages of docs/ are true: Python runs, commands parse, links lead somewhere, pictures are small."""

from __future__ import annotations

import re
import runpy
import shlex
import shutil
import tomllib
from itertools import pairwise
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from typer.main import get_command

from docs.draw_graphs import PAGE, replace_pictures
from draftroom.cli import COMMANDS, app, load_command
from draftroom.exit_codes import CONTRADICTIONS
from tests.draftroom.conftest import Command
from tests.fake_endpoint import FakeEndpoint

ROOT = PAGE.parents[1]
DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [README, ROOT / "CONTRIBUTING.md", ROOT / "examples" / "README.md", *sorted(DOCS.rglob("*.md"))]
TEXTS = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in PAGES}
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\((?!https?:)([^)\s]+)\)")
NAMED = re.compile(
    r"`((?:draftroom|evals|examples|graphs|nodes|presets|runs|serving|state|tests|tools|training)/[\w./]*)`"
)
SITE = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]


def blocks(language: str) -> list[Any]:
    return [
        pytest.param(code, id=f"{name}-{number}")
        for name, text in TEXTS.items()
        for number, (_, found, code) in enumerate(FENCE.findall(text), start=1)
        if found == language
    ]


def prints_something(code: str) -> bool:
    return "print(" in code and "langgraph_sdk" not in code


def commands(text: str) -> list[list[str]]:
    """Arguments of the command in `sh` blocks, also behind variables, other programs and in a second line."""
    scripts = [code.replace("\\\n", " ") for _, language, code in FENCE.findall(text) if language == "sh"]
    called = [shlex.split(line, comments=True) for script in scripts for line in script.splitlines()]
    parts = [part.split("\n") for words in called for part in re.split(r"\n(?:\||&&|;)\n", "\n".join(words))]
    return [part[part.index("draftroom") + 1 :] for part in parts if "draftroom" in part[:-1] and part[0] != "pipx"]


def mentioned(text: str) -> list[list[str]]:
    """Arguments of the command in running text, where some may be left out."""
    return [shlex.split(words) for words in re.findall(r"(?<!`)`draftroom ([^`\n]+)`", FENCE.sub("", text))]


def find_command(words: list[str]) -> tuple[Any, list[str]]:
    """The command that words name, and what is left of them."""
    name, *rest = words
    assert name in COMMANDS
    command = load_command(name)
    while rest and rest[0] in getattr(command, "commands", {}):
        command, rest = command.commands[rest[0]], rest[1:]
    return command, rest


def once(found: list[list[str]]) -> list[Any]:
    return [pytest.param(list(words), id=" ".join(words)) for words in dict.fromkeys(map(tuple, found))]


def anchors(text: str) -> set[str]:
    """Those of the headings, as the site and GitHub make them."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower()) for heading in headings}


@pytest.mark.parametrize("code", blocks("python"))
def test_python_compiles(code: str) -> None:
    compile(dedent(code), "shown.py", "exec")


@pytest.mark.parametrize("code", [each for each in blocks("python") if prints_something(each.values[0])])
def test_python_runs_as_it_stands_and_prints(
    code: str,
    tmp_path: Path,
    fake_endpoint: FakeEndpoint,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    monkeypatch.setenv("DRAFTROOM_ALLOWED_CODE", "")  # which a page sets
    for models in ("MODELS__DEFAULT", "FEEDBACK__EMBEDDING"):
        monkeypatch.setenv(f"DRAFTROOM_{models}__BASE_URL", fake_endpoint.base_url)
        monkeypatch.setenv(f"DRAFTROOM_{models}__MODEL", "large")
    (tmp_path / "shown.py").write_text(code, encoding="utf-8")
    runpy.run_path(str(tmp_path / "shown.py"), run_name="__main__")
    assert capsys.readouterr().out.strip()
    assert bool(fake_endpoint.chat_requests) == ("asyncio.run(" in code)


@pytest.mark.parametrize("words", once([words for text in TEXTS.values() for words in commands(text)]))
def test_commands_take_what_is_shown(words: list[str]) -> None:
    if words[0].startswith("--"):
        assert words[0] in {name for option in get_command(app).params for name in option.opts}
        return
    command, rest = find_command(words)
    command.make_context(words[0], rest)


@pytest.mark.parametrize(
    "words", once([words for name, text in TEXTS.items() if "fourth" not in name for words in mentioned(text)])
)
def test_commands_that_are_mentioned_have_these_options(words: list[str]) -> None:
    if not words[0].startswith("--"):
        command, rest = find_command(words)
        known = {name for option in command.params for name in (*option.opts, *option.secondary_opts)}
        assert {word.partition("=")[0] for word in rest if word.startswith("-") and word != "-"} <= {*known, "--help"}


def test_who_copies_the_start_page_line_by_line_gets_its_files(
    tmp_path: Path, fake_endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    shutil.copy("examples/seedlings.pdf", "paper.pdf")
    draftroom = Command(tmp_path / "home", fake_endpoint, {"DRAFTROOM_FEEDBACK__PLANS": "1"})
    for words in commands(TEXTS["docs/start.md"]):
        if words[0] != "models":
            result = draftroom(*words)
            assert result.exit_code in {0, *([CONTRADICTIONS] if words[0] == "check" else [])}, result.stderr
            written = [Path(file) for flag, file in pairwise(words) if flag == "-o"]
            assert all(file.stat().st_size for file in written)


@pytest.mark.parametrize("code", blocks("toml"))
def test_settings_are_toml(code: str) -> None:
    assert tomllib.loads(code)


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name: str) -> None:
    here = ROOT / name
    for link in LINK.findall(FENCE.sub("", TEXTS[name])):
        path, _, anchor = link.partition("#")
        target = (here.parent / path).resolve() if path else here
        assert target.exists(), link
        assert DOCS not in here.parents or DOCS in target.parents, f"{link} leads out of the site"
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize(
    "name", sorted(TEXTS.keys() - {"CONTRIBUTING.md"})
)  # test_recipes.py has its own test of that page
def test_files_that_are_named_are_there(name: str) -> None:
    missing = {path for path in NAMED.findall(TEXTS[name]) if not (ROOT / path).exists()}
    assert all("glossary" in path for path in missing), missing


def test_every_page_is_in_the_menu_of_the_site() -> None:
    listed = [page for section in SITE["nav"] for pages in section.values() for page in pages]
    assert sorted(listed) == sorted(str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md"))


def test_the_readme_is_short_and_has_the_two_commands() -> None:
    text = TEXTS["README.md"]
    assert len(text.splitlines()) <= 150
    assert "```sh\nmake demo\nmake test\n```" in text


def test_drawn_graphs_are_current() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert replace_pictures(text) == text, "run `make pictures`"


@pytest.mark.parametrize("picture", sorted((DOCS / "pictures").glob("*.png")), ids=lambda path: path.name)
def test_pictures_are_small(picture: Path) -> None:
    assert picture.stat().st_size < 150_000
