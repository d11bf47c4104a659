"""Text of models and files without the characters that could drive a terminal or turn its lines around."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """`text` without control characters; tabs and line ends stay."""
    return _CONTROL.sub("", text)


def on_one_line(text: str) -> str:
    """`text` without control characters and line ends."""
    return " ".join(plain(text).split())
