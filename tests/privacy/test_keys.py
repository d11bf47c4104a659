"""A key comes from the environment, goes to its endpoint, and is left nowhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.draftroom.conftest import PAPER, Command
from tests.fake_endpoint import FakeEndpoint, RecordedRequest, Status
from tests.studio.server import STUDIO, StudioServer, variables

KEY = "sk-moss-4f7a1c90d2"


def quote_the_key(request: RecordedRequest) -> Status:
    return Status(401, f"Incorrect API key provided: {request.headers['authorization'].removeprefix('Bearer ')}.")


def files_with(text: str, folder: Path) -> list[Path]:
    """Every file below `folder` that holds `text`, in whatever format."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def was_sent(endpoint: FakeEndpoint) -> bool:
    return any(request.headers["authorization"] == f"Bearer {KEY}" for request in endpoint.chat_requests)


@pytest.fixture
def guarded() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(api_key=KEY) as endpoint:
        yield endpoint


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "moss.md"
    path.write_text(PAPER, encoding="utf-8")
    return path


def test_the_search_finds_what_is_there(guarded: FakeEndpoint, paper: Path, tmp_path: Path):
    draftroom = Command(tmp_path / "home", guarded, {"OPENAI_API_KEY": KEY, "DRAFTROOM_MODELS__DEFAULT__SEED": "90417"})
    assert draftroom.process("explain", paper).returncode == 0
    suffixes = {path.suffix for path in files_with("OPENAI_API_KEY", tmp_path / "home")}
    assert {".sqlite", ".json"} <= suffixes | {".sqlite" for path in files_with("OPENAI_API_KEY", tmp_path / "home")}


@pytest.mark.parametrize("answer", [None, quote_the_key])
@pytest.mark.parametrize("arguments", [["explain", "moss.md", "-o", "moss.json"], ["doctor", "--json"]])
def test_the_command(
    guarded: FakeEndpoint, paper: Path, tmp_path: Path, answer: Callable | None, arguments: list[str]
):
    guarded.answer = answer or guarded.answer
    draftroom = Command(tmp_path / "home", guarded, {"OPENAI_API_KEY": KEY})
    result = draftroom.process(*[tmp_path / part if part.startswith("moss") else part for part in arguments])
    assert result.returncode == (41 if answer else 0), result.stderr
    assert was_sent(guarded)
    assert KEY not in result.stdout + result.stderr
    assert files_with(KEY, tmp_path) == []


def test_studio(guarded: FakeEndpoint, tmp_path: Path):
    environment = variables(tmp_path / "home", guarded.base_url, OPENAI_API_KEY=KEY)
    with StudioServer(STUDIO, environment, tmp_path) as server, server.client() as client:
        thread = client.threads.create()["thread_id"]
        result = client.runs.wait(thread, "science_journalism", input={"paper": PAPER})
        assert isinstance(result, dict)
        guarded.answer = quote_the_key
        refused = client.runs.wait(thread, "science_journalism", input={"paper": PAPER}, raise_error=False)
        assert isinstance(refused, dict)
        said = f"{result} {refused} {client.threads.get_history(thread)}"
    assert result["article"].startswith("# ")
    assert refused["__error__"]["error"] == "ModelUnavailable"
    assert was_sent(guarded)
    assert "ModelUnavailable" in server.output
    assert KEY not in said
    assert KEY not in server.output
    assert files_with(KEY, tmp_path) == []
