"""A key that must be left nowhere, and the search for it."""

from __future__ import annotations

from pathlib import Path

from tests.fake_endpoint import FakeEndpoint, RecordedRequest, Status

KEY = "sk-moss-4f7a1c90d2"


def quote_the_key(request: RecordedRequest) -> Status:
    return Status(401, f"Incorrect API key provided: {request.headers['authorization'].removeprefix('Bearer ')}.")


def files_with(text: str, folder: Path) -> list[Path]:
    """Every file below `folder` that holds `text`, in whatever format."""
    return [path for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


def was_sent(endpoint: FakeEndpoint) -> bool:
    return any(request.headers["authorization"] == f"Bearer {KEY}" for request in endpoint.chat_requests)
