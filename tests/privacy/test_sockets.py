"""Nothing is contacted but the configured endpoint.

Python's audit hooks see every socket of Python itself, but none that native code opens; the server's event loop is
therefore asyncio's own in these tests. strace sees the kernel's calls of a whole process tree, where it is allowed to,
and watches the same processes, as they take seconds to start.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.draftroom.conftest import PAPER
from tests.fake_endpoint import FakeEndpoint
from tests.privacy.watching import OTHER_PROJECTS, Contacts, can_trace, contacts, spied, traced, traced_contacts
from tests.studio.server import REPOSITORY, STUDIO, StudioServer, variables

LOOPBACK = "127.0.0.1"
LOOPBACKS = {LOOPBACK, "::1"}  # urllib3 tries the second one, to see whether there is IPv6
PACKAGES = ("graphs", "nodes", "presets", "state", "tools")
PLAIN = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]


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


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """What `langgraph dev` finds in a clean clone: no .env and no settings."""
    folder = tmp_path / "clone"
    for name in PACKAGES:
        shutil.copytree(REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(REPOSITORY / "langgraph.json", folder)
    return folder


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


def test_a_run_of_the_command(fake_endpoint: FakeEndpoint, paper: Path, tmp_path: Path):
    environment = variables(tmp_path / "home", fake_endpoint.base_url, **OTHER_PROJECTS, **spied(tmp_path / "spy"))
    command = [sys.executable, "-m", "draftroom", "explain", str(paper), "-o", str(tmp_path / "article.html")]
    with watched_by_the_kernel(tmp_path, fake_endpoint) as tracing:
        subprocess.run([*tracing, *command], env=environment, cwd=REPOSITORY, check=True, capture_output=True)
    assert len(fake_endpoint.chat_requests) == 4
    assert_nobody_else(contacts(tmp_path / "spy"), fake_endpoint)


def test_a_session_of_studio(fake_endpoint: FakeEndpoint, tmp_path: Path):
    spy = spied(tmp_path / "spy", without="uvloop")
    environment = variables(tmp_path / "home", fake_endpoint.base_url, **OTHER_PROJECTS, **spy)
    with watched_by_the_kernel(tmp_path, fake_endpoint) as tracing:
        run_once(StudioServer([*tracing, *STUDIO], environment, tmp_path))
    assert_nobody_else(contacts(tmp_path / "spy"), fake_endpoint)


def test_a_plain_langgraph_dev_in_a_clean_clone(fake_endpoint: FakeEndpoint, clone: Path, tmp_path: Path):
    """Its command line reports every start, unless this variable is set before: no file in the clone can prevent it."""
    spy = spied(tmp_path / "spy", without="uvloop") | {"LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    environment = variables(tmp_path / "home", fake_endpoint.base_url, **OTHER_PROJECTS, **spy)
    run_once(StudioServer(PLAIN, environment, clone))
    assert_nobody_else(contacts(tmp_path / "spy"), fake_endpoint)
