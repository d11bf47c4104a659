"""`draftroom eval TASK --profile`: the servers of a profile are started, and asked whatever the settings name."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from runs.jobs import read_json_lines
from tests.draftroom.conftest import Command
from tests.draftroom.refusing import assert_refused
from tests.support.processes import free_port

ROOT = Path(__file__).parents[3]
VLLM = """
import argparse
import threading

from tests.fake_endpoint import FakeEndpoint

parser = argparse.ArgumentParser()
parser.add_argument("--served-model-name")
parser.add_argument("--port", type=int)
options, _ = parser.parse_known_args()
with FakeEndpoint({options.served_model_name: 8192}, port=options.port):
    threading.Event().wait()
"""
"""The fake endpoint behind the name of vLLM's server."""


def write_profile(folder: Path, **roles: list[str]) -> Path:
    """A profile of one's own, `mine.toml`, with a server for each name and the roles that it is meant for."""
    lines = ['description = "My servers"', 'device = "cpu"']
    for name, of in roles.items():
        lines += ["[[servers]]", f'name = "{name}"', f'served_model_name = "my-{name}"', f"roles = {json.dumps(of)}"]
        lines += ['model = "hub/model"', f"port = {free_port()}", "max_model_len = 8192"]
    path = folder / "mine.toml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def serving(draftroom: Command, tmp_path: Path) -> Iterator[Command]:
    """The command where vLLM is fake, and settings name other models; no server outlives the test."""
    server = tmp_path / "stand_in" / "vllm" / "entrypoints" / "openai" / "api_server.py"
    server.parent.mkdir(parents=True)
    server.write_text(VLLM, encoding="utf-8")
    variables = {
        "DRAFTROOM_VLLM_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([str(tmp_path / "stand_in"), str(ROOT)]),
        "DRAFTROOM_MODELS__LAYPERSON__MODEL": "elsewhere",
    }
    command = draftroom.with_variables(variables)
    yield command
    command("models", "down")


def test_the_servers_of_an_own_profile_are_started_and_asked(serving: Command, tmp_path: Path) -> None:
    profile = write_profile(tmp_path, large=[], small=["simplifier", "language_clarifier"])
    out = tmp_path / "run"
    command = ("eval", "medical_simplification", "--rows", "layperson1", "--limit", "1", "--out", out)

    result = serving(*command, "--profile", profile)

    assert result.exit_code == 0, result.output
    assert "Starting my-small" in result.stderr
    (output,) = read_json_lines(out / "outputs.jsonl")
    asked = {call["role"]: call["model"] for call in output["output"]["calls"]}
    assert asked.pop("simplifier") == "my-small"
    assert asked.keys() >= {"layperson"}
    assert set(asked.values()) == {"my-large"}
    assert serving.endpoint.requests == []

    result = serving(*command, "--profile", profile)
    assert result.exit_code == 0, result.output
    assert "Starting" not in result.stderr, "they run already"


def test_a_flag_names_another_model_of_the_servers(serving: Command, tmp_path: Path) -> None:
    profile = write_profile(tmp_path, large=[])
    out = tmp_path / "run"
    flags = ("--model", "my-adapter", "--rows", "source", "--limit", "1")

    result = serving("eval", "medical_simplification", *flags, "--out", out, "--profile", profile)

    assert result.exit_code == 0, result.output
    models = json.loads((out / "config.json").read_text(encoding="utf-8"))["models"].values()
    assert {model["model"] for model in models} == {"my-adapter"}
    assert serving.endpoint.base_url not in {model["base_url"] for model in models}


def test_one_of_ours_is_asked_with_its_preset_whatever_the_settings_name(serving: Command, tmp_path: Path) -> None:
    unusable = serving.with_variables({"DRAFTROOM_LLAMA_CPP_PYTHON": "no-such-program"})
    out = tmp_path / "run"

    result = unusable("eval", "medical_simplification", "--limit", "1", "--out", out, "--profile", "laptop")

    assert_refused(unusable, result, "serving_failed")
    config = json.loads((out / "config.json").read_text(encoding="utf-8"))
    assert {model["model"] for model in config["models"].values()} == {"qwen2.5-coder-1.5b-instruct"}
    assert {model["temperature"] for model in config["models"].values()} == {0.2}
    assert config["settings"]["entries"] == 1


def test_bad_data_is_refused_before_a_server_is_started(serving: Command, tmp_path: Path) -> None:
    profile = write_profile(tmp_path, large=[])
    result = serving("eval", "medical_simplification", tmp_path / "missing.jsonl", "--profile", profile)
    assert_refused(serving, result, "missing_file", "missing.jsonl cannot be read")
    assert serving("models", "down").stdout == "No server was running.\n"


@pytest.mark.parametrize(("profile", "said"), [("nonsense", "There is no profile 'nonsense'"), ("no.toml", "no.toml")])
def test_a_profile_that_is_not_there(serving: Command, tmp_path: Path, profile: str, said: str) -> None:
    result = serving("eval", "medical_simplification", "--profile", profile, "--out", tmp_path / "run")
    assert_refused(serving, result, "serving_failed", said)
    assert not (tmp_path / "run").exists()
