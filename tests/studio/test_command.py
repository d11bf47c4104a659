"""`draftroom studio` without a server: what it would serve, and what it refuses.

The command runs as a process of its own, because it gives its process to the server.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path

import pytest

from draftroom.commands.server import SERVER_CONFIGURATION
from draftroom.exit_codes import EXIT_CODES
from draftroom.systems import SYSTEMS
from tests.draftroom.conftest import Command
from tests.fake_endpoint import FakeEndpoint
from tests.support.processes import free_port, run_module
from tools import TELEMETRY_OPT_OUTS


@pytest.fixture
def draftroom(fake_endpoint: FakeEndpoint, tmp_path: Path) -> Command:
    return Command(tmp_path / "home", fake_endpoint)


def test_langgraph_json_is_served_and_is_silent():
    served = json.loads(SERVER_CONFIGURATION.read_text(encoding="utf-8"))
    baselines = json.loads(SERVER_CONFIGURATION.with_suffix(".evals.json").read_text(encoding="utf-8"))
    assert set(served["graphs"]) == {"science_journalism", "medical_simplification", "focused_feedback", "number_check"}
    assert set(served["graphs"]) | set(baselines["graphs"]) == set(SYSTEMS)
    assert served["env"] == TELEMETRY_OPT_OUTS
    assert {**served, **baselines, "graphs": {}} == {**served, "graphs": {}}


def test_a_port_in_use(draftroom: Command):
    with socket.socket() as busy:
        busy.bind(("127.0.0.1", 0))
        busy.listen()
        result = run_module("draftroom", "studio", "--port", str(busy.getsockname()[1]), **draftroom.variables)
    assert result.returncode == EXIT_CODES["serving_failed"]
    assert "--port" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_an_address_of_another_machine(draftroom: Command):
    result = run_module("draftroom", "open", "--host", "203.0.113.9", "--no-browser", **draftroom.variables)
    assert result.returncode == EXIT_CODES["serving_failed"]
    assert "203.0.113.9 is no address of this machine" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_state_folder_that_cannot_be_made(draftroom: Command, tmp_path: Path):
    (tmp_path / "file").touch()
    variables = {**draftroom.variables, "DRAFTROOM_HOME": str(tmp_path / "file")}
    result = run_module("draftroom", "studio", "--port", str(free_port()), **variables)
    assert result.returncode == EXIT_CODES["state_unwritable"]


def test_settings_are_checked_before_the_server_starts(draftroom: Command):
    port = str(free_port())
    result = run_module("draftroom", "studio", "--port", port, **draftroom.variables, DRAFTROOM_ROUNDS="3")
    assert result.returncode == EXIT_CODES["bad_settings"]
