"""The models that answer on this machine: what servers with OpenAI's list of models say at their usual ports."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import httpx2

from serving.profiles import LOOPBACK, load_profile, profile_names
from state.errors import ModelUnavailable

USUAL = {"vLLM": 8000, "Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234}
"""The port of each server unless it is told otherwise."""
PATIENCE_S = 5.0
SMALL = 4e9
"""Parameters below which a model needs short texts and few rounds."""

_NO_WRITERS = ("embed", "rerank", "whisper", "minilm", "bge-")
"""In names of models that answer no chat."""
_SIZE = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)([bm])(?![a-z\d])")
_UNITS = {"b": 1e9, "m": 1e6}


@dataclass(frozen=True)
class LocalModel:
    """A model that a server says it serves."""

    name: str
    base_url: str

    @property
    def size(self) -> float:
        """How many parameters its name says that it has; 0 if it does not say."""
        sizes = [float(number) * _UNITS[unit] for number, unit in _SIZE.findall(self.name.lower())]
        return max(sizes, default=0)


def usual_addresses() -> list[str]:
    """Where servers of models usually listen on this machine, those of our profiles before the others."""
    ours = [server.base_url for name in profile_names() for server in load_profile(name).servers]
    return list(dict.fromkeys([*ours, *(f"http://{LOOPBACK}:{port}/v1" for port in USUAL.values())]))


def find_models(addresses: Iterable[str], key: str = "") -> list[LocalModel]:
    """Ask all addresses at once which models they serve; one that does not answer serves none.

    Args:
        addresses: Base URLs.
        key: That is sent to all of them. Whoever listens on a usual port of this machine should get none.
    """
    return asyncio.run(_ask_all(addresses, key))


async def _ask_all(addresses: Iterable[str], key: str) -> list[LocalModel]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=PATIENCE_S) as client:
        found = await asyncio.gather(*(_ask(client, address) for address in addresses))
    return [model for models in found for model in models]


async def _ask(client: httpx2.AsyncClient, address: str) -> list[LocalModel]:
    try:
        answer: Any = (await client.get(f"{address.rstrip('/')}/models")).raise_for_status().json()
        names = [str(model["id"]) for model in answer["data"]]
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError, TypeError):
        return []
    return [LocalModel(name, address) for name in names if not any(word in name.lower() for word in _NO_WRITERS)]


def suggested(models: Sequence[LocalModel]) -> tuple[LocalModel, LocalModel]:
    """Which of the models should write and which should read: the largest and the smallest, as their names say it.

    Where no name says a size, the first does both.
    """
    sized = [model for model in models if model.size]
    writer = max(sized, key=lambda model: model.size, default=models[0])
    return writer, min(sized, key=lambda model: model.size, default=writer)


def named(name: str, models: Sequence[LocalModel]) -> LocalModel:
    """The model of this name.

    Raises:
        ModelUnavailable: If nobody serves it.
    """
    found = next((model for model in models if model.name == name), None)
    if found is None:
        served = ", ".join(dict.fromkeys(model.name for model in models))
        raise ModelUnavailable(
            f"No server that answers has the model {name!r}; name one of {served}.", kind="wrong_model"
        )
    return found
