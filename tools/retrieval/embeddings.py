"""The choice of a model that turns texts into vectors, and what any such model does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

PACKAGED_MODEL = "all-MiniLM-L6-v2"
"""Its weights come with a Python package, so that retrieval works offline."""


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
