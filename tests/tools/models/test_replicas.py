"""A model with two endpoints: the idle one is asked, one that fails rests, and comes back when it answers."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from state.errors import ModelUnavailable
from state.model_settings import ModelSettings
from tests.fake_endpoint import FakeEndpoint, Status
from tests.tools.models.desk import GOOD, Desk
from tools.models import close_clients
from tools.models.client import AHEAD, at_an_endpoint

ONE, OTHER = "http://127.0.0.1:1/v1", "http://127.0.0.1:2/v1"


@pytest.fixture
def second() -> Iterator[FakeEndpoint]:
    with FakeEndpoint({"large": 8192}, answer=lambda _: GOOD) as endpoint:
        yield endpoint


@pytest.fixture
async def pair(desk: Desk, second: FakeEndpoint) -> AsyncIterator[dict[str, Any]]:
    """Settings of both endpoints; the first one is preferred where both are idle."""
    desk.endpoint.answer = lambda _: GOOD
    yield {"base_url": [desk.endpoint.base_url, second.base_url], "retries": 0, "retry_wait_s": 60}
    await close_clients()


def asked(*endpoints: FakeEndpoint) -> list[int]:
    return [len(endpoint.chat_requests) for endpoint in endpoints]


async def test_one_that_dies_is_taken_out_and_the_other_is_asked(
    desk: Desk, second: FakeEndpoint, pair: dict[str, Any]
):
    await desk.ask(**pair)
    assert asked(desk.endpoint, second) == [1, 0]
    desk.endpoint.answer = lambda _: Status(503)
    for _ in range(3):
        result = await desk.ask(**pair)
        assert result["calls"][-1]["endpoint"] == second.base_url
    assert asked(desk.endpoint, second) == [2, 3], "the one that fails is asked no more while it rests"


async def test_one_that_is_gone_is_back_when_it_answers(desk: Desk, second: FakeEndpoint, pair: dict[str, Any]):
    pair["retry_wait_s"] = 0  # its rest is over at once
    desk.endpoint.close()
    result = await desk.ask(**pair)
    assert result["calls"][-1]["endpoint"] == second.base_url
    with FakeEndpoint({"large": 8192}, answer=lambda _: GOOD, port=desk.endpoint.port) as again:
        result = await desk.ask(**pair)
        assert result["calls"][-1]["endpoint"] == again.base_url


async def test_where_all_fail_the_last_one_is_told(desk: Desk, second: FakeEndpoint, pair: dict[str, Any]):
    for endpoint in (desk.endpoint, second):
        endpoint.answer = lambda _: Status(503)
    with pytest.raises(ModelUnavailable, match="status 503"):
        await desk.ask(**pair | {"retries": 2, "retry_wait_s": 0})
    assert sum(asked(desk.endpoint, second)) >= 2 * 3, "each is asked once and twice again"


async def spread(number: int, run: str = "") -> Counter[str]:
    """How many of so many requests at once each endpoint gets."""
    settings = ModelSettings(base_url=[ONE, OTHER])
    found, every, done = Counter[str](), asyncio.Barrier(number), asyncio.Event()

    async def work(at: ModelSettings) -> None:
        found[at.address] += 1
        await every.wait()
        done.set()

    await asyncio.gather(*(at_an_endpoint(settings, work, run=run) for _ in range(number)))
    return found


async def test_the_one_with_less_to_do_is_asked():
    assert await spread(6) == {ONE: 3, OTHER: 3}


async def test_a_run_stays_with_its_endpoint_until_that_has_more_to_do():
    assert await spread(AHEAD, "a run") == {ONE: AHEAD}
    assert (await spread(20, "another"))[OTHER] >= 20 // 2 - AHEAD


@pytest.mark.parametrize("given", [[ONE, OTHER, f"{ONE}/"], f"{ONE}, {OTHER}"])
def test_endpoints_are_a_list_or_have_commas_between_them(given: Any):
    assert ModelSettings(base_url=given).addresses == [ONE, OTHER]
    assert ModelSettings(base_url=[ONE]).base_url == ONE


@pytest.mark.parametrize("given", [[], "", [ONE, "localhost"], [ONE, "http://name:word@host/v1"]])
def test_what_is_no_address_is_refused(given: Any):
    with pytest.raises(ValueError, match="must"):
        ModelSettings(base_url=given)
