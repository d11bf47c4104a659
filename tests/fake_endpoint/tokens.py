"""A tokeniser simple enough to count by hand: words in pieces of up to eight letters, and single punctuation marks.

The same count is used for usage, for `/tokenize` and for the context check, as on a real server.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping
from typing import Any

_PIECE = re.compile(r"\s*(?:<\|\w+\|>|\w{1,8}|[^\w\s])|\s+")
_VOCABULARY = 50_000


def split_tokens(text: str) -> list[str]:
    """Pieces of `text`; joined they are the text again."""
    return _PIECE.findall(text)


def count_tokens(text: str) -> int:
    """Number of pieces in `text`."""
    return len(split_tokens(text))


def token_ids(pieces: Iterable[str]) -> list[int]:
    """A number for each piece, the same one wherever the piece occurs."""
    return [zlib.crc32(piece.encode()) % _VOCABULARY for piece in pieces]


def message_text(message: Mapping[str, Any]) -> str:
    """Text of a chat message, whose content is a string, a list of parts, or missing."""
    content = message.get("content") or ""
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)


def render_chat(messages: Iterable[Mapping[str, Any]]) -> str:
    """The prompt that a ChatML template makes of `messages`; its markers count as tokens too."""
    turns = [f"<|im_start|>{message.get('role')}\n{message_text(message)}<|im_end|>\n" for message in messages]
    return "".join([*turns, "<|im_start|>assistant\n"])
