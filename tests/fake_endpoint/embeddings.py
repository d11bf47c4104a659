"""Embeddings without a model: texts that share words point the same way."""

from __future__ import annotations

import math
import zlib
from typing import Any

from tests.fake_endpoint.tokens import count_tokens, split_tokens

_SIZE = 64


def embed(text: str, size: int = _SIZE) -> list[float]:
    """A vector of length 1: every token adds to or takes from the place that its hash names."""
    vector = [0.0] * size
    for piece in split_tokens(text.lower()):
        code = zlib.crc32(piece.strip().encode())
        vector[code % size] += 1 if code & 0x8000_0000 else -1
    length = math.hypot(*vector) or 1.0
    return [value / length for value in vector]


def embeddings(body: dict[str, Any]) -> dict[str, Any]:
    """Answer a request for embeddings of several texts."""
    tokens = sum(count_tokens(text) for text in body["input"])
    data = [
        {"index": index, "object": "embedding", "embedding": embed(text)} for index, text in enumerate(body["input"])
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens, "completion_tokens": 0}
    return {"id": "embd-0", "object": "list", "created": 0, "model": body.get("model"), "data": data, "usage": usage}
