"""Which model turns texts into vectors: one in this process, or one behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import threading
from functools import lru_cache

from tools.retrieval.embeddings import Embedder, Embedding
from tools.retrieval.endpoint_embedder import EndpointEmbedder
from tools.retrieval.local_embedder import LocalEmbedder

_choosing = threading.Lock()


def embedder_for(choice: Embedding) -> Embedder:
    """The process's one embedder of a choice, which loads or reaches its model when it is first asked to embed."""
    with _choosing:  # the cache alone would let two threads make two, and load the model twice
        return _embedder(choice)


@lru_cache
def _embedder(choice: Embedding) -> Embedder:
    if choice.base_url is None:
        return LocalEmbedder(choice.model)
    return EndpointEmbedder(choice.model, choice.base_url, choice.api_key_env)
