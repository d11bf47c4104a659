"""`/ready`: whether a server could do a run now, without a word on where its things are."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from draftroom.page.app import build_page_app
from tests.fake_endpoint import FakeEndpoint

ADDRESS = "DRAFTROOM_MODELS__DEFAULT__BASE_URL"


@pytest.fixture
def client(fake_endpoint: FakeEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    for name, value in {
        ADDRESS: fake_endpoint.base_url,
        "DRAFTROOM_MODELS__DEFAULT__MODEL": "large",
        "DRAFTROOM_HOME": str(tmp_path / "home"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }.items():
        monkeypatch.setenv(name, value)
    return TestClient(build_page_app(None))


@pytest.mark.parametrize(
    ("variable", "value", "problems"),
    [
        (ADDRESS, "http://127.0.0.1:1/v1", {"models": "endpoint_down"}),
        ("DRAFTROOM_MODELS__DEFAULT__MODEL", "huge", {"models": "wrong_model"}),
        ("DRAFTROOM_CHECKPOINTS", "sqlite:////proc/runs.db", {"checkpoints": "state_unwritable"}),
        ("DRAFTROOM_HOME", "/proc/home", {"state folder": "state_unwritable", "checkpoints": "state_unwritable"}),
        ("DRAFTROOM_CHECKPOINTS", "somewhere", {"settings": "bad_settings"}),
    ],
)
def test_what_is_missing_is_named_by_its_kind(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, problems: dict[str, str]
) -> None:
    monkeypatch.setenv(variable, value)
    answer = client.get("/ready")
    assert (answer.status_code, answer.json()) == (503, {"ready": False, "problems": problems})


def test_an_endpoint_that_is_gone_is_noticed_at_once_and_its_return_too(
    client: TestClient, fake_endpoint: FakeEndpoint
) -> None:
    with client:  # one event loop, as the server has
        assert client.get("/ready").status_code == 200
        fake_endpoint.close()
        assert client.get("/ready").status_code == 503
        with FakeEndpoint(port=fake_endpoint.port):
            assert client.get("/ready").status_code == 200
