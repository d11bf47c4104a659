"""A file of a hub is downloaded once, goes on after a cut, and is refused if it is another."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest

from serving.hub import hub_gguf
from state.errors import ServingError
from tests.serving.conftest import Home

CONTENT = bytes(range(256)) * 100_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
MODEL = "hub:tiny/tiny-GGUF/tiny-q4.gguf@main"


class Hub(BaseHTTPRequestHandler):
    """One file, as the hub serves it; the first answer may be cut off."""

    cut: ClassVar[int] = 0
    asked: ClassVar[list[str]] = []

    def do_HEAD(self) -> None:
        self._head(len(CONTENT))

    def do_GET(self) -> None:
        begin = int(self.headers.get("Range", "bytes=0-").removeprefix("bytes=").split("-")[0])
        Hub.asked.append(f"{self.path} {begin}")
        rest = CONTENT[begin:]
        self._head(len(rest), begin)
        self.wfile.write(rest[: Hub.cut] if Hub.cut else rest)
        Hub.cut = 0
        self.close_connection = True

    def _head(self, length: int, begin: int = 0) -> None:
        self.send_response(206 if begin else 200)
        headers = {"ETag": f'"{SHA256}"', "X-Repo-Commit": "a" * 40, "Content-Length": str(length)}
        if begin:
            headers["Content-Range"] = f"bytes {begin}-{len(CONTENT) - 1}/{len(CONTENT)}"
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def hub() -> Iterator[str]:
    Hub.cut, Hub.asked = 0, []
    with ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_file_is_downloaded_once_and_how_far_it_is_is_told(home: Home, hub: str) -> None:
    gguf = hub_gguf(MODEL, SHA256, home.steps.append, hub)
    assert gguf.read_bytes() == CONTENT
    assert hub_gguf(MODEL, SHA256, home.steps.append, hub) == gguf
    assert Hub.asked == ["/tiny/tiny-GGUF/resolve/main/tiny-q4.gguf 0"]
    assert home.steps[0] == "Downloading tiny-q4.gguf from tiny/tiny-GGUF of the Hugging Face hub"
    assert home.steps[-1].endswith(" %")


def test_a_download_that_was_cut_off_goes_on(home: Home, hub: str) -> None:
    Hub.cut = 15_000_000
    assert hub_gguf(MODEL, SHA256, home.steps.append, hub).read_bytes() == CONTENT
    assert int(Hub.asked[-1].split()[1]) > 0, "not from its beginning"


def test_another_file_is_refused(home: Home, hub: str) -> None:
    with pytest.raises(ServingError, match=f"has SHA-256 {SHA256} instead of {'0' * 64}"):
        hub_gguf(MODEL, "0" * 64, home.steps.append, hub)
    assert list(home.folder.rglob("*.gguf")) == []


@pytest.mark.parametrize("model", ["hub:tiny-q4.gguf", "hub:a/b/c.bin@main", "hub:a/b/c.gguf"])
def test_what_names_no_file_is_told_how_to_name_one(home: Home, model: str) -> None:
    with pytest.raises(ServingError, match=r"hub:OWNER/REPOSITORY/FILE\.gguf@REVISION"):
        hub_gguf(model, SHA256, home.steps.append)
