"""One client per endpoint and event loop; models, sampling and token counts all go through it."""

from __future__ import annotations

import asyncio
import os
from weakref import WeakKeyDictionary

import httpx2
import openai
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from state.settings import ModelSettings
from tools.models.faults import WEB_PAGE, BrokenAnswer

CONNECT_TIMEOUT_S = 10.0

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str, float], ChatOpenAI]] = WeakKeyDictionary()

_places: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Semaphore]] = WeakKeyDictionary()


def place_for(settings: ModelSettings) -> asyncio.Semaphore:
    """To be held during a request: an endpoint that is asked everything at once may answer nothing in time."""
    places = _places.setdefault(asyncio.get_running_loop(), {})
    return places.setdefault(settings.base_url, asyncio.Semaphore(settings.concurrency))


async def client_for(settings: ModelSettings) -> ChatOpenAI:
    """The client of the endpoint; model and sampling are arguments of each call."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    key = (settings.base_url, settings.api_key_env, settings.timeout_s)
    if key not in clients:
        client = await asyncio.to_thread(_connect, settings)  # it reads certificates
        clients.setdefault(key, client)  # a call made at the same time may have been faster
    return clients[key]


async def close_clients() -> None:
    """Close the connections of this event loop, at the end of a program or a test."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        await client.root_async_client.close()


def _connect(settings: ModelSettings) -> ChatOpenAI:
    timeout = openai.Timeout(settings.timeout_s, connect=min(settings.timeout_s, CONNECT_TIMEOUT_S))
    return ChatOpenAI(
        base_url=settings.base_url,
        api_key=SecretStr(
            os.environ.get(settings.api_key_env) or "none"
        ),  # local servers want any key but an empty one
        timeout=timeout,
        stream_chunk_timeout=settings.timeout_s,
        max_retries=0,  # the retries of this package are counted and recorded
        stream_usage=True,
        # Its own would be shared by all event loops of the process, and be closed with the first of them.
        http_async_client=openai.DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [_refuse_page]}),
    )


async def _refuse_page(response: httpx2.Response) -> None:
    """A page with status 200 is no answer: a proxy's login, or a site that shows the same page at every address."""
    if response.is_success and response.headers.get("content-type", "").startswith("text/html"):
        raise BrokenAnswer(WEB_PAGE)
