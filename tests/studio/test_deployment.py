"""What the page on deployment says of a shared server: its tokens, and `compose.yaml` without a container engine."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from serving.environment import VLLM_GPU
from serving.profiles import load_profile
from serving.servers import _build_vllm_command
from tests.draftroom.conftest import PAPER
from tests.fake_endpoint import FakeEndpoint
from tests.privacy.test_sockets import assert_nobody_else
from tests.privacy.watching import OTHER_PROJECTS, contacts, spied
from tests.studio.server import REPOSITORY, StudioServer, variables
from tests.support.keys import KEY

PAGE = (REPOSITORY / "docs/how_to/deployment.md").read_text(encoding="utf-8")
COMPOSE: dict[str, Any] = yaml.safe_load((REPOSITORY / "compose.yaml").read_text(encoding="utf-8"))
GIVEN = dict(re.findall(r"^(\w+)=(.+)$", PAGE, re.MULTILINE))
"""What the page puts into `.env`."""


def shown(language: str, holding: str) -> str:
    """The page's block of code in a language that holds some words."""
    return next(code for code in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if holding in code)


@pytest.fixture(scope="module")
def shared(home: Path, endpoint: FakeEndpoint) -> Iterator[StudioServer]:
    """A plain `langgraph dev` with the page's `server_auth.py` and `langgraph.json`, without settings, and watched.

    Its command line reports every start, unless a variable is set before: no file of the folder can prevent that.
    """
    (home / "server_auth.py").write_text(shown("python", "Auth()"), encoding="utf-8")
    served = json.loads((REPOSITORY / "langgraph.json").read_text(encoding="utf-8"))
    served |= {**json.loads(shown("json", "auth")), "dependencies": [str(REPOSITORY)]}
    (home / "langgraph.json").write_text(json.dumps(served), encoding="utf-8")
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--no-browser", "--no-reload"]
    watched = OTHER_PROJECTS | spied(home / "spy", without="uvloop") | {"LANGGRAPH_CLI_NO_ANALYTICS": "1"}
    own = {"OPENAI_API_KEY": KEY, "DRAFTROOM_SERVER_TOKENS": "ada:first grace:second"}
    with StudioServer(command, variables(home, endpoint.base_url, **own, **watched), home) as server:
        yield server


def test_who_has_no_token_gets_nothing_who_has_one_sees_their_own_runs_and_nobody_else_is_contacted(
    shared: StudioServer, home: Path, endpoint: FakeEndpoint
):
    def ask(path: str, token: str, **body: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {token}"} if token else {}
        return httpx.post(
            f"{shared.url}{path}", json=body, headers={**headers, "accept": "application/json"}, timeout=60
        )

    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    params = {"name": "science_journalism", "arguments": {"paper": PAPER}}
    for token in ("", "third"):
        assert ask("/threads/search", token).status_code == 401
        assert ask("/mcp", token, **call, params=params).status_code == 401
    called = ask("/mcp", "first", **call, params=params).json()["result"]
    assert called["content"][0]["text"].startswith("# ")
    assert [len(ask("/threads/search", token).json()) for token in ("first", "second")] == [1, 0]
    assert len(ask("/mcp", "second", **{**call, "method": "tools/list"}).json()["result"]["tools"]) == 4
    assert ask("/store/items/search", "first", namespace_prefix=[]).status_code == 403
    assert httpx.get(f"{shared.url}/ready").json() == {"ready": True, "problems": {}}
    assert_nobody_else(contacts(home / "spy"), endpoint)


def test_compose_starts_the_model_of_a_profile_and_a_server_that_uses_it():
    services = COMPOSE["services"]
    used = {name for service in services.values() for name in re.findall(r"\$\{(\w+)", yaml.safe_dump(service))}
    assert used == GIVEN.keys(), "the page names what .env must hold"
    for name, service in services.items():
        kept = {volume.partition(":")[0] for volume in service.get("volumes", [])}
        assert kept <= COMPOSE["volumes"].keys()
        assert {each["source"] for each in service.get("configs", [])} <= COMPOSE["configs"].keys()
        for needed, how in service.get("depends_on", {}).items():
            assert how == {"condition": "service_healthy"}
            assert services[needed]["healthcheck"]["test"][0] == "CMD", name
    (model,) = load_profile("single-gpu").servers
    command, environment = _build_vllm_command(model, model.model, Path(sys.executable), local=False)
    flags = dict(pairwise(command))
    for flag, value in (flag.split("=", 1) for flag in services["models"]["command"] if "=" in flag):
        assert flags[flag] == value
    assert environment.items() >= services["models"]["environment"].items()
    assert services["models"]["image"].endswith(f":v{VLLM_GPU.partition('==')[2]}")
    server = services["server"]["environment"]
    assert server["DRAFTROOM_MODELS__DEFAULT__MODEL"] == model.served_model_name
    assert "/langgraph?" in server["DATABASE_URI"], "its tables are named as those of checkpoints"
    assert server["DRAFTROOM_CHECKPOINTS"].endswith("/draftroom")
