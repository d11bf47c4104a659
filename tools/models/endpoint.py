"""Servers of models: the client of each, its slots, and what it serves.

Of many jobs that share an endpoint, the oldest goes first. So jobs end one after the other, each as early as possible,
and papers that were read meanwhile always wait for a slot. If all jobs took turns, all would end at the same time, and
the endpoint would be idle while the next papers are read.
"""

from __future__ import annotations

import asyncio
import math
import os
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import httpx2
import openai
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from state.errors import ModelUnavailableError
from state.model_settings import ModelSettings
from tools.configuration import name_key
from tools.models.faults import NO_EVENTS, ServerError, send_with_retries, translate_fault
from tools.models.providers import build_chat_model

CONNECT_TIMEOUT_S = 10.0
# What a server did and what to change; the sentence begins with its name.
NO_LIST = "has no list of models as the OpenAI API has it; correct `base_url`, which ends in /v1 on most servers"
WEB_PAGE = "answers with a web page; correct `base_url`, or pass the login or proxy that shows the page"
# Where the server cannot count tokens; cautious for English science text (measured: about 4.4 for Qwen2.5).
CHARACTERS_PER_TOKEN = 3.0
# What a chat template adds to a message; llama.cpp counts plain text. Longer ones find room in `REASK_TOKENS`.
TEMPLATE_TOKENS = 40

# Rank of the current job among those that share the endpoints. Requests of equal rank go in the order of their arrival.
job_order: ContextVar[int] = ContextVar("job_order", default=0)


@dataclass(frozen=True)
class Endpoint:
    """What an endpoint that has answered serves."""

    context_lengths: dict[str, int | None]
    """Context length in tokens of each served model; None if the server does not report it."""
    counts_tokens: bool
    """Whether it counts the tokens of a text."""


class _RequestSlots:
    """A semaphore of a server that admits the request of the oldest job first."""

    def __init__(self, number: int) -> None:
        self._free = number
        self._waiting: list[tuple[int, int]] = []
        self._arrivals = count()
        self._changed = asyncio.Event()

    async def __aenter__(self) -> None:
        """Wait for a slot and take it."""
        turn = (job_order.get(), next(self._arrivals))
        self._waiting.append(turn)
        try:
            while not self._free or turn != min(self._waiting):
                self._changed.clear()
                await self._changed.wait()
            self._free -= 1
        finally:  # also if it is cancelled, so that the next one looks
            self._waiting.remove(turn)
            self._changed.set()

    async def __aexit__(self, *_: object) -> None:
        """Release the slot."""
        self._free += 1
        self._changed.set()


@dataclass
class ServerState:
    """What an event loop knows of a server."""

    slots: _RequestSlots
    """Held by each request, because a server with too many of them may answer none in time."""
    clients: dict[str, BaseChatModel] = field(default_factory=dict)
    """Its clients by the settings that they are built with."""
    endpoint: Endpoint | None = None
    learned_lengths: dict[str, int] = field(default_factory=dict)
    """Context lengths of models that refusals have reported; most servers leave them out of their list of models."""
    answers_singly: bool = False
    """Whether it has returned fewer answers than were requested."""


_servers: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, ServerState]] = WeakKeyDictionary()


def get_server_state(settings: ModelSettings) -> ServerState:
    """Return what is known of a model's server in this event loop."""
    servers = _servers.setdefault(asyncio.get_running_loop(), {})
    return servers.setdefault(settings.address, ServerState(_RequestSlots(settings.concurrency)))


async def open_client(settings: ModelSettings) -> BaseChatModel:
    """Return the client of a server, built once per event loop; that of an endpoint is for all of its models.

    Raises:
        SettingsError: The package of a provider is missing, or its class cannot be built.
    """
    clients = get_server_state(settings).clients
    fields = {"provider", "use", "base_url", "api_key_env", "timeout_s"}
    key = settings.model_dump_json(include=fields if settings.is_endpoint else {*fields, "model", "extra_body"})
    if key not in clients:
        # In a thread, because it imports packages or reads certificates.
        build = _build_client if settings.is_endpoint else build_chat_model
        client = await asyncio.to_thread(build, settings)
        clients.setdefault(key, client)  # another call may have built one meanwhile
    return clients[key]


async def close_clients() -> None:
    """Close the connections of this event loop at the end of a program or a test, and forget its servers."""
    states = _servers.pop(asyncio.get_running_loop(), {}).values()
    for client in (client for state in states for client in state.clients.values()):
        # The clients of providers share connections with others in the process.
        if isinstance(client, ChatOpenAI) and client.http_async_client:
            await client.root_async_client.close()


def _build_client(settings: ModelSettings) -> BaseChatModel:
    """Build a client that does not retry, and that rejects web pages; the key comes from the environment."""
    timeout = openai.Timeout(settings.timeout_s, connect=min(settings.timeout_s, CONNECT_TIMEOUT_S))
    key = os.environ.get(name_key(settings)) or "none"  # local servers accept any key but an empty one
    return ChatOpenAI(
        base_url=settings.base_url,
        api_key=SecretStr(key),
        timeout=timeout,
        stream_chunk_timeout=None,  # `_collect` in client.py has one for the models of all providers
        max_retries=0,  # `send_with_retries` counts and records the retries
        stream_usage=True,
        # The default client would be shared by all event loops of the process, and closed with the first of them.
        http_async_client=openai.DefaultAsyncHttpxClient(timeout=timeout, event_hooks={"response": [_reject_web_page]}),
    )


async def _reject_web_page(response: httpx2.Response) -> None:
    """Raise `ServerError` for a web page with a success status, as a login proxy or catch-all site sends it."""
    if response.is_success and response.headers.get("content-type", "").startswith("text/html"):
        raise ServerError(WEB_PAGE)


async def fetch_endpoint(settings: ModelSettings) -> Endpoint:
    """Return what the endpoint serves; it is asked once per event loop, and again after a failed call.

    It is waited for while it loads its model, and asked again after a passing fault that it answers with, so that a
    mistyped address is reported at once. Other providers are not asked; LangChain knows the context length of some of
    their models.

    Raises:
        ModelUnavailableError: If it does not answer, refuses the key, or does not serve `settings.model`.
        SettingsError: The package of a provider is missing, or its class cannot be built.
    """
    if not settings.is_endpoint:
        profile = (await open_client(settings)).profile or {}
        return Endpoint({settings.model: profile.get("max_input_tokens")}, counts_tokens=False)
    endpoint = get_server_state(settings).endpoint
    if endpoint is None or settings.model not in endpoint.context_lengths:
        endpoint = get_server_state(settings).endpoint = await _request_endpoint(settings)
    if settings.model not in endpoint.context_lengths:
        served = ", ".join(sorted(endpoint.context_lengths)) or "no model at all"
        raise ModelUnavailableError(
            f"The endpoint {settings.base_url} does not serve {settings.model!r} but {served}; "
            "set `model` to a name that it serves.",
            kind="wrong_model",
        )
    return endpoint


def discard_endpoint(settings: ModelSettings) -> None:
    """Discard the data of an endpoint: after a fault it may return as another server with another context."""
    get_server_state(settings).endpoint = None


def find_context_length(settings: ModelSettings, endpoint: Endpoint) -> int | None:
    """Return the context length set, else served, or the shorter one that a refusal reported; None if unknown."""
    known = settings.context_length or endpoint.context_lengths[settings.model]
    return min(filter(None, (known, get_server_state(settings).learned_lengths.get(settings.model))), default=None)


async def count_message_tokens(text: str, settings: ModelSettings, endpoint: Endpoint) -> int:
    """Count the tokens of `text` as a user message: by the server if it can, else by a cautious estimate.

    Raises:
        ModelUnavailableError: If the server fails after all retries.
    """
    if not endpoint.counts_tokens:
        return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
    try:
        return await _request_token_count(text, settings)
    except ServerError as fault:
        discard_endpoint(settings)
        raise translate_fault(fault, settings, text) from None


async def _request_endpoint(settings: ModelSettings) -> Endpoint:
    """Ask the endpoint for its models, and whether it counts tokens; faults are raised as errors for the user."""
    client: Any = await open_client(settings)
    ask = partial(client.root_async_client.get, "/models", cast_to=object)
    lengths, counts_tokens = dict[str, int | None](), False
    try:
        answer, _ = await send_with_retries(settings, ask, only_statuses=True)
        for model in answer["data"]:
            # vLLM reports the context of a model, and llama.cpp that of one of its slots.
            length = model.get("max_model_len") or (model.get("meta") or {}).get("n_ctx")
            lengths[str(model["id"])] = int(length) if length else None
    except (ServerError, ValueError, KeyError, TypeError, AttributeError) as error:
        fault = error if isinstance(error, ServerError) and error.told != NO_EVENTS else ServerError(NO_LIST)
        raise translate_fault(ServerError(NO_LIST) if fault.status == 404 else fault, settings) from None
    # Hardly ever again: many servers have no such address, and answer it in many ways.
    once = settings.model_copy(update={"retries": min(1, settings.retries), "startup_wait_s": 0})
    with suppress(ServerError):
        counts_tokens = bool(await _request_token_count("a", once))
    return Endpoint(lengths, counts_tokens)


async def _request_token_count(text: str, settings: ModelSettings) -> int:
    """Ask the server for the number of tokens of a user message; raise `ServerError` if it does not say it.

    vLLM and llama.cpp have /tokenize at the same path, but each ignores the other's fields.
    """
    client: Any = await open_client(settings)
    address = settings.base_url.removesuffix("/v1") + "/tokenize"
    body = {"model": settings.model, "messages": [{"role": "user", "content": text}], "content": text}
    ask = partial(client.root_async_client.post, address, cast_to=object, body=body)
    answer, _ = await send_with_retries(settings, ask)
    try:
        return int(answer["count"]) if "count" in answer else len(answer["tokens"]) + TEMPLATE_TOKENS
    except (KeyError, TypeError, ValueError):
        raise ServerError(NO_EVENTS) from None
