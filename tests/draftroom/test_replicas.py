"""A model with two endpoints, by the command: a run outlives one of them, and the account and doctor tell of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import Command
from tests.draftroom.test_stopping import ROUND
from tests.fake_endpoint import Drop, FakeEndpoint, RecordedRequest, Reply, fill


@pytest.fixture
def second() -> Iterator[FakeEndpoint]:
    with FakeEndpoint({"large": 8192}) as endpoint:
        yield endpoint


@pytest.fixture
def pair(draftroom: Command, second: FakeEndpoint) -> Command:
    addresses = f"{draftroom.endpoint.base_url},{second.base_url}"
    return draftroom.with_variables({"DRAFTROOM_MODELS__DEFAULT__BASE_URL": addresses})


def test_a_run_outlives_one_of_its_endpoints(pair: Command, second: FakeEndpoint, paper: Path):
    def answer(request: RecordedRequest) -> Reply:
        return fill(request) if len(pair.endpoint.chat_requests) <= 2 else Drop()

    pair.endpoint.answer = answer
    assert pair("explain", paper).exit_code == 0
    asked = [request.schema_name for request in second.chat_requests]
    assert asked == ROUND[2:], "the run stays with its endpoint until that is gone"
    shown = pair("show", "last").stdout
    assert f"{pair.endpoint.base_url}: 2 calls" in shown
    assert f"{second.base_url}: 2 calls" in shown


def test_doctor_looks_at_each_endpoint(pair: Command, second: FakeEndpoint):
    second.close()
    result = pair("doctor", "--json")
    assert result.exit_code == EXIT_CODES["endpoint_down"]
    found = {check["subject"]: check["status"] for check in json.loads(result.stdout) if check["name"] == "endpoint"}
    assert [
        next(status for subject, status in found.items() if endpoint.base_url in subject)
        for endpoint in (pair.endpoint, second)
    ] == ["ok", "failed"]
