"""Who may ask an endpoint next: the job that began first, and nobody's place is lost."""

from __future__ import annotations

import asyncio
from asyncio import Event, Task

from state.model_settings import ModelSettings
from tools.models.endpoint import get_server_state, job_order


class Endpoint:
    """Has so many places, and notes who got one."""

    def __init__(self, places: int) -> None:
        self.settings = ModelSettings(base_url="http://127.0.0.1:1/v1", model="large", concurrency=places)
        self.came: list[str] = []

    async def ask(self, name: str, job: int = 0) -> tuple[Task[None], Event]:
        """Somebody asks, and keeps the place until the event."""
        done = Event()

        async def ask() -> None:
            job_order.set(job)
            async with get_server_state(self.settings).slots:
                self.came.append(name)
                await done.wait()

        task = asyncio.create_task(ask())
        await asyncio.sleep(0)
        return task, done


async def leave(*asked: tuple[Task[None], Event]) -> None:
    for task, done in asked:
        done.set()
        await task


async def test_the_job_that_began_first_goes_first() -> None:
    endpoint = Endpoint(places=1)
    asked = [await endpoint.ask(name, job) for name, job in [("c", 3), ("b", 2), ("b again", 2), ("a", 1)]]
    await leave(asked[0], asked[3], asked[1], asked[2])
    assert endpoint.came == ["c", "a", "b", "b again"]


async def test_requests_of_no_job_keep_their_order() -> None:
    endpoint = Endpoint(places=1)
    asked = [await endpoint.ask(name) for name in "abcd"]
    await leave(*asked)
    assert endpoint.came == ["a", "b", "c", "d"]


async def test_no_more_than_there_are_places_for() -> None:
    endpoint = Endpoint(places=2)
    asked = [await endpoint.ask(name) for name in "abc"]
    assert endpoint.came == ["a", "b"]
    await leave(asked[1], asked[2], asked[0])
    assert endpoint.came == ["a", "b", "c"]


async def test_one_that_gives_up_waiting_takes_no_place_with_it() -> None:
    endpoint = Endpoint(places=1)
    first, second, third = [await endpoint.ask(name) for name in "abc"]
    second[0].cancel()
    await leave(first, third)
    assert endpoint.came == ["a", "c"]


async def test_one_that_is_cancelled_as_it_gets_its_place_hands_it_on() -> None:
    endpoint = Endpoint(places=1)
    first, second, third = [await endpoint.ask(name) for name in "abc"]
    first[1].set()
    await asyncio.sleep(0)  # the first one leaves: the place is the second one's, which has not run yet
    second[0].cancel()
    await leave(first, third)
    assert endpoint.came == ["a", "c"]
