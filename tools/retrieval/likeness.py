"""How near texts are to each other in meaning, by the embedding model that a user chose."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tools.retrieval.embedders import Embedding, embedder_for


def cosines(texts: tuple[str, ...], others: tuple[str, ...], embedding: Embedding) -> NDArray[np.float64]:
    """The cosine of the angle between each text and each of the others, `[texts, others]`.

    Raises:
        RetrievalUnavailable: If the embedding model cannot be loaded or reached.
    """
    found: NDArray[np.float64] = _unit_vectors(texts, embedding) @ _unit_vectors(others, embedding).T
    return found


@lru_cache(maxsize=64)  # what many texts are compared with is embedded once
def _unit_vectors(texts: tuple[str, ...], embedding: Embedding) -> NDArray[np.float64]:
    vectors = np.array(embedder_for(embedding).embed(texts), dtype=np.float64)
    lengths: NDArray[np.float64] = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)
