"""Nothing is contacted but the configured endpoint.

Python's audit hooks see every socket of Python itself, but none that native code opens; the server's event loop is
therefore asyncio's own in these tests. strace sees the kernel's calls of a whole process tree, where it is allowed to.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.draftroom.conftest import PAPER, Command
from tests.fake_endpoint import FakeEndpoint
from tests.privacy.watching import OTHER_PROJECTS, can_trace, contacts, spied, traced, traced_contacts
from tests.studio.server import REPOSITORY, STUDIO, StudioServer, variables

LOOPBACK = "127.0.0.1"
LOOPBACKS = {LOOPBACK, "::1"}  # urllib3 tries the second one, to see whether there is IPv6
PACKAGES = ("graphs", "nodes", "presets", "state", "tools")
PLAIN = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]

tracing = pytest.mark.skipif(not can_trace(), reason="strace is not installed, or not allowed to trace")


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


@pytest.fixture
def draftroom(fake_endpoint: FakeEndpoint, tmp_path: Path) -> Iterator[Command]:
    return Command(tmp_path / "home", fake_endpoint, OTHER_PROJECTS)


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    path = tmp_path / "moss.md"
    path.write_text(PAPER, encoding="utf-8")
    return path


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


def test_a_run_of_the_command(draftroom: Command, paper: Path, tmp_path: Path):
    spying = draftroom.with_variables(spied(tmp_path / "spy"))
    result = spying.process("explain", paper, "-o", tmp_path / "article.html")
    assert result.returncode == 0, result.stderr
    assert len(draftroom.endpoint.chat_requests) == 4
    found = contacts(tmp_path / "spy")
    assert found.addresses == {(LOOPBACK, draftroom.endpoint.port)}
    assert found.names <= {LOOPBACK}
    assert found.bound <= LOOPBACKS


@tracing
def test_a_run_of_the_command_as_the_kernel_sees_it(draftroom: Command, paper: Path, tmp_path: Path):
    command = [*traced(tmp_path / "trace"), sys.executable, "-m", "draftroom", "explain", str(paper)]
    environment = variables(tmp_path / "home", draftroom.endpoint.base_url, **OTHER_PROJECTS)
    subprocess.run(command, env=environment, check=True, capture_output=True)
    assert traced_contacts(tmp_path / "trace") == {(LOOPBACK, draftroom.endpoint.port)}


def test_a_session_of_studio(fake_endpoint: FakeEndpoint, tmp_path: Path):
    spy = spied(tmp_path / "spy", without="uvloop")
    environment = variables(tmp_path / "home", fake_endpoint.base_url, **OTHER_PROJECTS, **spy)
    run_once(StudioServer(STUDIO, environment, tmp_path))
    found = contacts(tmp_path / "spy")
    assert found.addresses == {(LOOPBACK, fake_endpoint.port)}
    assert found.names <= {LOOPBACK}
    assert found.bound <= LOOPBACKS


@tracing
def test_a_session_of_studio_as_the_kernel_sees_it(fake_endpoint: FakeEndpoint, tmp_path: Path):
    environment = variables(tmp_path / "home", fake_endpoint.base_url, **OTHER_PROJECTS)
    run_once(StudioServer([*traced(tmp_path / "trace"), *STUDIO], environment, tmp_path))
    assert traced_contacts(tmp_path / "trace") == {(LOOPBACK, fake_endpoint.port)}


def test_a_plain_langgraph_dev_in_a_clean_clone(fake_endpoint: FakeEndpoint, clone: Path, tmp_path: Path):
    """Its command line reports every start, unless this variable is set before: no file in the clone can prevent it."""
    spy = spied(tmp_path / "spy", without="uvloop") | {"LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    environment = variables(tmp_path / "home", fake_endpoint.base_url, **OTHER_PROJECTS, **spy)
    run_once(StudioServer(PLAIN, environment, clone))
    found = contacts(tmp_path / "spy")
    assert found.addresses == {(LOOPBACK, fake_endpoint.port)}
    assert found.names <= {LOOPBACK}
    assert found.bound <= LOOPBACKS
