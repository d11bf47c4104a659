"""Which model turns texts into vectors: one in this process, or one behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Protocol

PACKAGED_MODEL = "all-MiniLM-L6-v2"
"""Its weights come with a Python package, so that retrieval works offline."""

_choosing = threading.Lock()


@dataclass(frozen=True)
class Embedding:
    """The embedding model that a user chose."""

    model: str = PACKAGED_MODEL
    """Without an endpoint: `PACKAGED_MODEL`, a folder of sentence-transformers weights, or a name on the Hugging Face
    hub. With one: the name under which the endpoint serves it."""
    base_url: str | None = None
    """Address of the endpoint, ending in /v1; None to run the model in this process, on the CPU."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the endpoint's key."""


class Embedder(Protocol):
    """Turns texts into vectors; any thread may call it."""

    @property
    def name(self) -> str:
        """Names the vector space: vectors of equal names can be compared."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order.

        Raises:
            RetrievalUnavailable: If the model cannot be loaded or reached.
        """
        ...


def embedder_for(choice: Embedding) -> Embedder:
    """The process's one embedder of a choice, which loads or reaches its model when it is first asked to embed."""
    with _choosing:  # the cache alone would let two threads make two, and load the model twice
        return _embedder(choice)


@lru_cache
def _embedder(choice: Embedding) -> Embedder:
    if choice.base_url is None:
        from tools.retrieval.local_embedder import LocalEmbedder  # noqa: PLC0415 - only where it is used

        return LocalEmbedder(choice.model)
    from tools.retrieval.endpoint_embedder import EndpointEmbedder  # noqa: PLC0415 - only where it is used

    return EndpointEmbedder(choice.model, choice.base_url, choice.api_key_env)
