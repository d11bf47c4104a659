"""What an endpoint says of itself: the models it serves, their context lengths, and how it counts tokens."""

from __future__ import annotations

import asyncio
import math
import os
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import httpx

from state.errors import ModelUnavailable
from state.settings import ModelSettings
from tools.models.faults import refused, unreachable

CHARACTERS_PER_TOKEN = 3.0
"""A cautious estimate for English science text (measured: about 4.4 for Qwen2.5) where a server cannot count."""

CONNECT_TIMEOUT_S = 10.0


@dataclass(frozen=True)
class Endpoint:
    """An endpoint that has answered."""

    context_lengths: dict[str, int | None]
    """Served model names, each with its context length in tokens where the server tells."""
    counts_tokens: bool
    """Whether it has vLLM's /tokenize."""


_described: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, Endpoint]] = WeakKeyDictionary()


async def describe_endpoint(settings: ModelSettings) -> Endpoint:
    """Ask the endpoint once (per event loop) what it serves.

    Raises:
        ModelUnavailable: If it does not answer, refuses the key, or does not serve `settings.model`.
    """
    known = _described.setdefault(asyncio.get_running_loop(), {})
    if settings.base_url not in known:
        known[settings.base_url] = await _describe(settings)
    endpoint = known[settings.base_url]
    if settings.model not in endpoint.context_lengths:
        del known[settings.base_url]
        served = ", ".join(sorted(endpoint.context_lengths)) or "no model at all"
        raise ModelUnavailable(
            f"The endpoint {settings.base_url} does not serve {settings.model!r} but {served}; "
            "set `model` to a name that it serves.",
            kind="wrong_model",
        )
    return endpoint


def context_length(settings: ModelSettings, endpoint: Endpoint) -> int | None:
    """Context length in tokens: the configured one, else the server's, else unknown."""
    return settings.context_length or endpoint.context_lengths[settings.model]


async def count_tokens(text: str, settings: ModelSettings, endpoint: Endpoint) -> int:
    """Count the tokens of `text` as a user message: by the server where it can, else by a cautious estimate."""
    if not endpoint.counts_tokens:
        return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
    body = {"model": settings.model, "messages": [{"role": "user", "content": text}]}
    async with _http(settings) as http:
        try:
            answer = await http.post(f"{_root(settings)}/tokenize", json=body)
            return int(answer.raise_for_status().json()["count"])
        except (httpx.HTTPError, ValueError, KeyError) as error:
            raise unreachable(settings, error) from error


def api_key(settings: ModelSettings) -> str:
    """The key from the environment; local servers want any non-empty one."""
    return os.environ.get(settings.api_key_env) or "none"


async def _describe(settings: ModelSettings) -> Endpoint:
    async with _http(settings) as http:
        try:
            answer = await http.get(f"{settings.base_url}/models")
            if answer.status_code in {401, 403}:
                raise refused(settings)
            models = answer.raise_for_status().json()["data"]
            lengths = {str(model["id"]): model.get("max_model_len") for model in models}
            tokenize = await http.post(f"{_root(settings)}/tokenize", json={"model": settings.model, "prompt": "a"})
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise unreachable(settings, error) from error
    return Endpoint(context_lengths=lengths, counts_tokens=tokenize.status_code == 200)


def _root(settings: ModelSettings) -> str:
    return settings.base_url.removesuffix("/v1")


def _http(settings: ModelSettings) -> httpx.AsyncClient:
    return httpx.AsyncClient(
        headers={"Authorization": f"Bearer {api_key(settings)}"},
        timeout=httpx.Timeout(settings.timeout_s, connect=CONNECT_TIMEOUT_S),
    )
