"""An endpoint: the one client of each event loop, the models it serves, their context lengths, how it counts tokens."""

from __future__ import annotations

import asyncio
import math
import os
from dataclasses import dataclass
from typing import Any, Literal
from weakref import WeakKeyDictionary

import httpx2
import openai
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from state.errors import ModelUnavailable
from state.model_settings import ModelSettings
from tools.models.faults import NO_LIST, WEB_PAGE, BrokenAnswer, retrying, translate

CONNECT_TIMEOUT_S = 10.0

_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str, float], ChatOpenAI]] = WeakKeyDictionary()

_places: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Semaphore]] = WeakKeyDictionary()


def place_for(settings: ModelSettings) -> asyncio.Semaphore:
    """To be held during a request: an endpoint that is asked everything at once may answer nothing in time."""
    places = _places.setdefault(asyncio.get_running_loop(), {})
    return places.setdefault(settings.address, asyncio.Semaphore(settings.concurrency))


async def client_for(settings: ModelSettings) -> ChatOpenAI:
    """The client of the endpoint; model and sampling are arguments of each call."""
    clients = _clients.setdefault(asyncio.get_running_loop(), {})
    key = (settings.address, settings.api_key_env, settings.timeout_s)
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
        base_url=settings.address,
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


CHARACTERS_PER_TOKEN = 3.0
"""A cautious estimate for English science text (measured: about 4.4 for Qwen2.5) where a server cannot count."""


@dataclass(frozen=True)
class Endpoint:
    """An endpoint that has answered."""

    context_lengths: dict[str, int | None]
    """Served model names, each with its context length in tokens where the server tells."""
    tokenizer: Literal["vLLM", "llama.cpp", ""]
    """Whose /tokenize it has, if any."""


_described: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Endpoint]] = WeakKeyDictionary()
_told: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[str, str], int]] = WeakKeyDictionary()
"""Context lengths that models were told to have when a request was refused, by address and name."""


async def describe_endpoint(settings: ModelSettings) -> Endpoint:
    """Ask the endpoint what it serves; once per event loop, unless a call failed since.

    Not tried again after a fault: whoever mistyped an address should hear of it at once.

    Raises:
        ModelUnavailable: If it does not answer, refuses the key, or does not serve `settings.model`.
    """
    known = _described.setdefault(asyncio.get_running_loop(), {})
    endpoint = known.get(settings.address)
    if endpoint is None or settings.model not in endpoint.context_lengths:
        endpoint = known[settings.address] = await _describe(settings)
    if settings.model not in endpoint.context_lengths:
        served = ", ".join(sorted(endpoint.context_lengths)) or "no model at all"
        raise ModelUnavailable(
            f"The endpoint {settings.address} does not serve {settings.model!r} but {served}; "
            "set `model` to a name that it serves.",
            kind="wrong_model",
        )
    return endpoint


def forget_endpoint(settings: ModelSettings) -> None:
    """Ask anew next time: after a fault the endpoint may come back as another server with another context."""
    _described.get(asyncio.get_running_loop(), {}).pop(settings.address, None)


def context_length(settings: ModelSettings, endpoint: Endpoint) -> int | None:
    """Context length in tokens: the configured one, else the server's, else unknown; a refusal knows better."""
    known = settings.context_length or endpoint.context_lengths[settings.model]
    told = _told.get(asyncio.get_running_loop(), {}).get((settings.address, settings.model))
    return min(known or told, told) if told else known


def learn_context(settings: ModelSettings, length: int) -> None:
    """Keep the context length that a refusal has told; the list of models of most servers does not have it."""
    _told.setdefault(asyncio.get_running_loop(), {})[settings.address, settings.model] = length


async def count_tokens(text: str, settings: ModelSettings, endpoint: Endpoint) -> int:
    """Count the tokens of `text` as a user message: by the server where it can, else by a cautious estimate.

    Raises:
        ModelUnavailable: If the server fails after all retries.
    """
    if not endpoint.tokenizer:
        return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
    count = _count_by_vllm if endpoint.tokenizer == "vLLM" else _count_by_llama_cpp
    try:
        return await retrying(settings)(count, settings, [{"role": "user", "content": text}])
    except (openai.OpenAIError, BrokenAnswer, ValueError, KeyError, TypeError) as error:
        forget_endpoint(settings)
        raise translate(error, settings, text) from None  # the cause may quote the key or the prompt


async def _describe(settings: ModelSettings) -> Endpoint:
    try:
        client = await client_for(settings)
        answer: Any = await client.root_async_client.get("/models", cast_to=object)
        lengths = {str(model["id"]): _length(model) for model in answer["data"]}
        return Endpoint(context_lengths=lengths, tokenizer=await _tokenizer(settings))
    except (openai.NotFoundError, ValueError, KeyError, TypeError, AttributeError):
        raise translate(BrokenAnswer(NO_LIST), settings) from None
    except (openai.OpenAIError, BrokenAnswer) as error:
        raise translate(error, settings) from None  # the cause may quote the key


def _length(model: dict[str, Any]) -> int | None:
    """The context of a listed model: vLLM tells it, and llama.cpp that of one of its slots."""
    told = model.get("max_model_len") or (model.get("meta") or {}).get("n_ctx")
    return int(told) if told else None


async def _tokenizer(settings: ModelSettings) -> Literal["vLLM", "llama.cpp", ""]:
    """Whose /tokenize answers: those of vLLM and of llama.cpp have one name, and neither knows the other's fields."""
    try:
        answer = await _post(settings, "/tokenize", prompt="a", content="a")
    except (openai.APIStatusError, BrokenAnswer, ValueError):
        return ""
    if not isinstance(answer, dict):
        return ""
    return "vLLM" if "count" in answer else "llama.cpp" if "tokens" in answer else ""


async def _count_by_vllm(settings: ModelSettings, messages: list[dict[str, str]]) -> int:
    return int((await _post(settings, "/tokenize", messages=messages))["count"])


async def _count_by_llama_cpp(settings: ModelSettings, messages: list[dict[str, str]]) -> int:
    """Tokens of the messages as the model's chat template writes them."""
    prompt = (await _post(settings, "/apply-template", messages=messages))["prompt"]
    return len((await _post(settings, "/tokenize", content=prompt, parse_special=True))["tokens"])


async def _post(settings: ModelSettings, path: str, **fields: Any) -> Any:
    address = settings.address.removesuffix("/v1") + path
    client = await client_for(settings)
    return await client.root_async_client.post(address, cast_to=object, body={"model": settings.model, **fields})
