"""`draftroom init`: what it finds, what it writes, and what it leaves alone."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from draftroom.cli import app
from draftroom.commands.init import find_models
from draftroom.exit_codes import EXIT_CODES
from tests.fake_endpoint import FakeEndpoint
from tools.configuration import load_settings

FILE = Path("draftroom.toml")


@pytest.fixture
def several() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(dict.fromkeys(["qwen2.5:0.5b", "qwen2.5:7b-instruct", "nomic-embed-text"], 8192)) as endpoint:
        yield endpoint


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file goes, with settings from nowhere else."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def init(endpoint: FakeEndpoint, *arguments: str) -> Result:
    return CliRunner().invoke(app, ["init", "--base-url", endpoint.base_url, *arguments])


def test_the_largest_model_writes_and_the_smallest_reads(several: FakeEndpoint) -> None:
    result = init(several)
    assert result.exit_code == 0, result.stderr
    settings = load_settings()
    assert (settings.resolve_model_settings("editor").model, settings.resolve_model_settings("editor").base_url) == (
        "qwen2.5:7b-instruct",
        several.base_url,
    )
    assert settings.resolve_model_settings("reader").model == "qwen2.5:0.5b"
    assert settings.preset is None, "a model of 7B needs no preset"
    assert "Answers are constrained to JSON schemas" in result.stdout, "doctor has looked"
    assert "nomic" not in result.stderr, "what embeds cannot write"
    assert "Next: draftroom explain" in result.stderr


def test_flags_choose_and_a_small_writer_gets_the_preset_for_it(several: FakeEndpoint) -> None:
    assert init(several, "--model", "qwen2.5:0.5b").exit_code == 0
    settings = load_settings()
    assert {settings.resolve_model_settings(role).model for role in ("journalist", "reader")} == {"qwen2.5:0.5b"}
    assert settings.preset == "laptop"


def test_a_file_that_is_there_is_replaced_only_by_force(several: FakeEndpoint) -> None:
    FILE.write_text('[models.default]\nmodel = "mine"\n', encoding="utf-8")
    result = init(several)
    assert result.exit_code == EXIT_CODES["bad_settings"]
    assert "--force" in result.stderr
    assert "mine" in FILE.read_text(encoding="utf-8")
    assert several.requests == [], "nobody is asked before"
    assert init(several, "--force").exit_code == 0
    assert "mine" not in FILE.read_text(encoding="utf-8")


def test_for_the_user_it_is_written_where_every_folder_finds_it(several: FakeEndpoint, tmp_path: Path) -> None:
    assert init(several, "--user").exit_code == 0
    assert not FILE.exists()
    assert (tmp_path / "config" / "draftroom" / "draftroom.toml").is_file()
    assert load_settings().resolve_model_settings("reviewer").model == "qwen2.5:7b-instruct"


def test_a_model_that_nobody_serves_is_told_with_those_that_are(several: FakeEndpoint) -> None:
    result = init(several, "--model", "gpt")
    assert result.exit_code == EXIT_CODES["wrong_model"]
    assert "qwen2.5:0.5b, qwen2.5:7b-instruct" in result.stderr
    assert not FILE.exists()


def test_where_nothing_answers_it_says_how_to_start_something() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
        result = CliRunner().invoke(app, ["init", "--base-url", address])
    assert result.exit_code == EXIT_CODES["endpoint_down"]
    assert f"(asked: {address})" in result.stderr
    assert not FILE.exists()


def test_a_key_goes_only_to_an_address_that_was_named(several: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "secret")
    assert find_models([several.base_url])
    assert "authorization" not in {name.lower() for name in several.requests[-1].headers}
    assert init(several, "--api-key-env", "MY_KEY").exit_code == 0
    assert several.requests[1].headers["authorization"] == "Bearer secret"
    assert load_settings().resolve_model_settings("editor").api_key_env == "MY_KEY"
    assert "secret" not in FILE.read_text(encoding="utf-8")


def test_a_provider_is_written_down_and_no_server_is_looked_for() -> None:
    result = CliRunner().invoke(app, ["init", "--provider", "cohere", "--model", "command", "--reader", "light"])
    assert result.exit_code == EXIT_CODES["bad_settings"], "doctor misses the package"
    settings = load_settings()
    writer, reader = (settings.resolve_model_settings(role) for role in ("journalist", "reader"))
    assert (writer.provider, writer.model, writer.base_url) == ("cohere", "command", "")
    assert (reader.provider, reader.model) == ("cohere", "light")
    assert CliRunner().invoke(app, ["init", "--provider", "cohere", "--force"]).exit_code == 2
