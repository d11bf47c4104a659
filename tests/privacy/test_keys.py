"""A key goes to its endpoint and is left nowhere; `test_sockets.py` and `tests/studio` see to it in whole runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import Command
from tests.fake_endpoint import Answer, FakeEndpoint, fill
from tests.support.keys import KEY, files_with, quote_the_key, was_sent


@pytest.fixture
def guarded() -> Iterator[FakeEndpoint]:
    with FakeEndpoint(api_key=KEY) as endpoint:
        yield endpoint


@pytest.fixture
def draftroom(guarded: FakeEndpoint, tmp_path: Path) -> Command:
    return Command(tmp_path / "home", guarded, {"OPENAI_API_KEY": KEY})


def test_a_refusal_that_quotes_the_key(draftroom: Command, paper: Path, tmp_path: Path):
    draftroom.endpoint.answer = quote_the_key
    result = draftroom("explain", paper)
    assert result.exit_code == EXIT_CODES["endpoint_refused"]
    assert was_sent(draftroom.endpoint)
    assert draftroom.records()[0]["status"] == "failed"
    assert KEY not in result.output
    assert files_with(KEY, tmp_path) == []


@pytest.mark.parametrize("answer", [fill, quote_the_key])
def test_doctor(draftroom: Command, tmp_path: Path, answer: Answer):
    draftroom.endpoint.answer = answer
    result = draftroom("doctor", "--json")
    assert was_sent(draftroom.endpoint)
    assert KEY not in result.output
    assert files_with(KEY, tmp_path) == []
