"""Nothing is contacted but the configured endpoint; a plain `langgraph dev` is watched in `tests/studio`, too.

Python's audit hooks see every socket of Python itself, but none that native code opens; the server's event loop is
therefore asyncio's own in these tests. strace sees the kernel's calls of a whole process tree, where it is allowed to,
and watches the same processes, as they take seconds to start.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.draftroom.conftest import PAPER
from tests.fake_endpoint import FakeEndpoint
from tests.privacy.watching import OTHER_PROJECTS, Contacts, can_trace, contacts, spied, traced, traced_contacts
from tests.studio.server import REPOSITORY, STUDIO, StudioServer, variables
from tests.support.keys import KEY, files_with, was_sent

LOOPBACK = "127.0.0.1"
LOOPBACKS = {LOOPBACK, "::1"}  # urllib3 tries the second one, to see whether there is IPv6


@contextmanager
def watched_by_the_kernel(folder: Path, endpoint: FakeEndpoint) -> Iterator[list[str]]:
    """Gives the beginning of a command line; empty where strace is not installed, or not allowed to trace."""
    if not can_trace():
        yield []
        return
    yield traced(folder / "trace")
    assert traced_contacts(folder / "trace") == {(LOOPBACK, endpoint.port)}


def assert_nobody_else(found: Contacts, endpoint: FakeEndpoint) -> None:
    assert found.addresses == {(LOOPBACK, endpoint.port)}
    assert found.names <= {LOOPBACK}
    assert found.bound <= LOOPBACKS


def run_once(server: StudioServer) -> None:
    """A session: one run, then Ctrl-C."""
    with server, server.client() as client:
        result = client.runs.wait(None, "science_journalism", input={"paper": PAPER})
    assert isinstance(result, dict)
    assert result["article"].startswith("# ")
    assert server.process.returncode == 0


def test_the_spy_sees_what_it_should(fake_endpoint: FakeEndpoint, tmp_path: Path):
    code = f"""
import socket, urllib.request
socket.getaddrinfo("localhost", 80)
socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", {fake_endpoint.port}))
urllib.request.urlopen("{fake_endpoint.root_url}/health").read()
"""
    subprocess.run([sys.executable, "-c", code], env=spied(tmp_path / "spy"), check=True)
    found = contacts(tmp_path / "spy")
    assert found.addresses == {(LOOPBACK, fake_endpoint.port)}
    assert found.names == {"localhost", LOOPBACK}


def test_a_run_of_the_command(paper: Path, tmp_path: Path):
    files = [f"-o{tmp_path / 'article'}{suffix}" for suffix in (".html", ".json")]
    command = [sys.executable, "-m", "draftroom", "explain", str(paper), *files]
    with FakeEndpoint(api_key=KEY) as endpoint:
        keys = {**OTHER_PROJECTS, "OPENAI_API_KEY": KEY}
        environment = variables(tmp_path / "home", endpoint.base_url, **keys, **spied(tmp_path / "spy"))
        with watched_by_the_kernel(tmp_path, endpoint) as tracing:
            done = subprocess.run(
                [*tracing, *command], env=environment, cwd=REPOSITORY, check=True, capture_output=True
            )
        assert len(endpoint.chat_requests) == 4
        assert was_sent(endpoint)
        assert_nobody_else(contacts(tmp_path / "spy"), endpoint)
    assert KEY.encode() not in done.stdout + done.stderr
    assert files_with(KEY, tmp_path) == []
    # The search does find what stands beside it: the name of its variable, in checkpoints, record and result.
    assert {path.suffix for path in files_with("OPENAI_API_KEY", tmp_path)} == {".sqlite", ".json"}


def test_a_session_of_studio(fake_endpoint: FakeEndpoint, tmp_path: Path):
    spy = spied(tmp_path / "spy", without="uvloop")
    environment = variables(tmp_path / "home", fake_endpoint.base_url, **OTHER_PROJECTS, **spy)
    with watched_by_the_kernel(tmp_path, fake_endpoint) as tracing:
        run_once(StudioServer([*tracing, *STUDIO], environment, tmp_path))
    assert_nobody_else(contacts(tmp_path / "spy"), fake_endpoint)
