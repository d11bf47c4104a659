"""A key comes from the environment, goes to its endpoint, and is left nowhere."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import PAPER, Command
from tests.fake_endpoint import Answer, FakeEndpoint, RecordedRequest, Status, fill
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


@pytest.fixture
def draftroom(guarded: FakeEndpoint, tmp_path: Path) -> Command:
    return Command(tmp_path / "home", guarded, {"OPENAI_API_KEY": KEY})


def test_a_run(draftroom: Command, paper: Path, tmp_path: Path):
    result = draftroom.process("explain", paper, "-o", tmp_path / "moss.json", "-o", tmp_path / "moss.html")
    assert result.returncode == 0, result.stderr
    assert was_sent(draftroom.endpoint)
    assert KEY not in result.stdout + result.stderr
    assert files_with(KEY, tmp_path) == []
    # The search does find what stands beside it: the name of its variable, in checkpoints, record and result.
    assert {path.suffix for path in files_with("OPENAI_API_KEY", tmp_path)} == {".sqlite", ".json"}


def test_a_refusal_that_quotes_the_key(draftroom: Command, paper: Path, tmp_path: Path):
    draftroom.endpoint.answer = quote_the_key
    result = draftroom.process("explain", paper)
    assert result.returncode == EXIT_CODES["endpoint_refused"]
    assert was_sent(draftroom.endpoint)
    assert draftroom.records()[0]["status"] == "failed"
    assert KEY not in result.stdout + result.stderr
    assert files_with(KEY, tmp_path) == []


@pytest.mark.parametrize("answer", [fill, quote_the_key])
def test_doctor(draftroom: Command, tmp_path: Path, answer: Answer):
    draftroom.endpoint.answer = answer
    result = draftroom("doctor", "--json")
    assert was_sent(draftroom.endpoint)
    assert KEY not in result.output
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
