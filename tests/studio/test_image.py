"""What `langgraph build` would make: an environment made by the steps of its Dockerfile serves every system."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.draftroom.conftest import PAPER
from tests.fake_endpoint import FakeEndpoint
from tests.studio.server import StudioServer
from tests.studio.test_studio import SERVED
from tests.support.image import ROOT, Image
from tests.support.review_room import PAPER as DRAFT
from tests.support.review_room import Room
from tools import TELEMETRY_OPT_OUTS

OF_THE_LICENCE = {"LANGSMITH_CONTROL_PLANE_API_KEY", "LANGGRAPH_CLOUD_LICENSE_KEY"}
"""Whoever runs the image gives it one of them."""
INPUTS = {"science_journalism": {"paper": PAPER}, "medical_simplification": {"abstract": PAPER}}
WITHOUT_A_LICENCE = {
    "LANGGRAPH_RUNTIME_EDITION": "inmem",
    "MIGRATIONS_PATH": "__inmem",
    "DATABASE_URI": ":memory:",
    "REDIS_URI": "fake",
    "LANGSMITH_LANGGRAPH_API_VARIANT": "local_dev",
    "LANGGRAPH_DISABLE_FILE_PERSISTENCE": "true",
}
"""What `langgraph dev` sets, for the server's Postgres, Redis and licence are not of the image."""


def dockerfile(folder: Path) -> Path:
    path = folder / "Dockerfile"
    command = [sys.executable, "-m", "langgraph_cli", "dockerfile", str(path), "-c", str(ROOT / "langgraph.json")]
    subprocess.run(command, check=True, capture_output=True)
    return path


def test_the_image_keeps_quiet_and_keeps_what_is_imported_at_run_time(tmp_path: Path) -> None:
    lines = dockerfile(tmp_path).read_text(encoding="utf-8").splitlines()
    said = dict(part.split("=", 1) for line in lines if line.startswith("ENV") for part in shlex.split(line)[1:])
    quiet = {name: value for name, value in TELEMETRY_OPT_OUTS.items() if name not in OF_THE_LICENCE}
    assert said.items() >= quiet.items()
    assert not [line for line in lines if line.startswith("RUN") and "uninstall" in line and "setuptools" in line]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> Image:
    image = Image(tmp_path_factory.mktemp("image"))
    image.build(dockerfile(image.folder), ROOT)
    return image


@pytest.fixture(scope="module")
def endpoint() -> Iterator[FakeEndpoint]:
    with FakeEndpoint({"large": 8192}) as endpoint:
        yield endpoint


@pytest.mark.image
@pytest.mark.timeout(1800)
def test_an_environment_made_by_its_steps_serves_every_system(
    image: Image, endpoint: FakeEndpoint, tmp_path: Path
) -> None:
    folder = image.folder / image.workdir.lstrip("/")
    environment = image.variables(
        **WITHOUT_A_LICENCE,
        DRAFTROOM_HOME=str(tmp_path),
        DRAFTROOM_MODELS__DEFAULT__BASE_URL=endpoint.base_url,
        DRAFTROOM_MODELS__DEFAULT__MODEL="large",
        DRAFTROOM_FEEDBACK__PLANS="1",
        DRAFTROOM_JOURNALISM__ROUNDS="1",
    )
    command = [str(image.python), "-m", "uvicorn", "langgraph_api.server:app"]
    with StudioServer(command, environment, folder) as server, server.client() as client:
        assert {each["graph_id"] for each in client.assistants.search(limit=100)} == SERVED
        assert httpx.get(f"{server.url}/ok", params={"check_db": 1}).status_code == 200
        assert httpx.get(f"{server.url}/ready").json() == {"ready": True, "problems": {}}
        for system in SERVED:
            endpoint.answer = Room()
            given = INPUTS.get(system, {"paper": DRAFT})
            result = client.runs.wait(client.threads.create()["thread_id"], system, input=given)
            assert isinstance(result, dict)
            assert "__error__" not in result, json.dumps(result)[:500]
    assert server.process.returncode == 0
