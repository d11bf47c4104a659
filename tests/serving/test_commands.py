"""`draftroom models` as separate processes, as people run it."""

import subprocess
import sys
from pathlib import Path

import pytest

from serving.processes import load_server_records
from tests.serving.conftest import Home, running

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-c", "from draftroom.commands.models import models_app; models_app()"]


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen([*COMMAND, *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run(*arguments: str) -> tuple[int, str, str]:
    with start(*arguments) as process:
        output, errors = process.communicate(timeout=60)
    return process.returncode, output, errors


def test_a_server_outlives_the_command_and_is_found_again(home: Home) -> None:
    server = home.profile().servers[0]
    file = str(home.folder / "mine.toml")

    code, output, errors = run("up", "--profile", file)
    assert (code, output) == (0, f"model-one answers at {server.base_url}\n"), errors
    assert f"Starting model-one on port {server.port}" in errors
    (row,) = [line for line in run("status", "--profile", file)[1].splitlines() if "mine" in line]
    assert [cell.strip() for cell in row.strip("│").split("│")] == [
        "mine",
        "one",
        "model-one",
        server.base_url,
        str(home.starts()[0]["pid"]),
        "running",
    ]
    assert run("up", "--profile", file)[:2] == (0, f"mine is already up.\nmodel-one answers at {server.base_url}\n")
    assert run("down", "--profile", file)[:2] == (0, "Stopped one.\n")
    (started,) = home.starts()
    assert not running(started["pid"])
    assert not running(started["engine"])
    assert run("down")[:2] == (0, "No server was running.\n")


def test_two_ups_at_once_start_one_server(home: Home) -> None:
    home.profile()
    file = str(home.folder / "mine.toml")
    with start("up", "--profile", file) as first, start("up", "--profile", file) as second:
        outputs = {first.communicate(timeout=60)[0], second.communicate(timeout=60)[0]}
    assert (first.returncode, second.returncode) == (0, 0)
    assert len(home.starts()) == 1
    assert any(output.startswith("mine is already up.") for output in outputs)


def test_control_c_leaves_no_server_behind(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VLLM_MODE", "interrupt")
    monkeypatch.setenv("FAKE_VLLM_GATE", str(home.folder / "gate"))
    home.profile()
    code, _, _ = run("up", "--profile", str(home.folder / "mine.toml"))
    assert code != 0
    (started,) = home.starts()
    assert not running(started["pid"])
    assert load_server_records("mine") == {}


def test_status_lists_our_profiles_and_those_on_record(home: Home) -> None:
    home.profile()
    run("up", "--profile", str(home.folder / "mine.toml"))
    _, output, _ = run("status")
    for profile, state in {
        "embedded": "stopped",
        "paper-gpu": "stopped",
        "single-gpu": "stopped",
        "mine": "running",
    }.items():
        assert any(profile in line and state in line for line in output.splitlines()), output
    assert run("down")[1] == "Stopped one.\n"


def test_an_unknown_profile_is_an_error_of_ours(home: Home) -> None:
    code, _, errors = run("up", "--profile", "embeded")
    assert code != 0
    assert "ServingError" in errors
    assert "embedded, laptop, laptop-vllm, paper-gpu, single-gpu" in " ".join(errors.split())
