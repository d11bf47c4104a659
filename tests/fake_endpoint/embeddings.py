"""Embeddings without a model: texts that share words point the same way."""

from __future__ import annotations

import base64
import math
import struct
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
    """The answer to a request for embeddings of one text or several, or of their token ids."""
    texts = _texts(body["input"])
    vectors = [embed(text, body.get("dimensions") or _SIZE) for text in texts]
    tokens = sum(count_tokens(text) for text in texts)
    in_base64 = body.get("encoding_format") == "base64"
    data = [
        {"index": index, "object": "embedding", "embedding": _base64(vector) if in_base64 else vector}
        for index, vector in enumerate(vectors)
    ]
    usage = {"prompt_tokens": tokens, "total_tokens": tokens, "completion_tokens": 0}
    return {"id": "embd-0", "object": "list", "created": 0, "model": body.get("model"), "data": data, "usage": usage}


def _texts(texts: str | list[Any]) -> list[str]:
    if isinstance(texts, str):
        return [texts]
    if all(isinstance(item, int) for item in texts):
        return [str(texts)]
    return [str(item) for item in texts]


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
