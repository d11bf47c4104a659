"""Characters without a shape, and the tokens that steer a model: taken out of what goes into a prompt."""

from __future__ import annotations

import re
from typing import Final

TAGS: Final = "\U000e0020-\U000e007e"
"""Unicode tag characters: a shapeless copy of ASCII, which a language model reads as if it were written."""
_MATHEMATICAL: Final = "\u2061-\u2064"  # function application, invisible times: publishers set formulas with them
_SHAPELESS: Final = (
    "\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u202a-\u202e\u2060\u2065-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_VARIATION: Final = "\ufe00-\ufe0f"  # one chooses how a symbol looks; a row of them can only carry a message

INVISIBLE: Final = re.compile(f"[{_SHAPELESS}{_MATHEMATICAL}{_VARIATION}]")
TAG_RUN: Final = re.compile(f"[{TAGS}]+")
SUSPICIOUS: Final = re.compile(
    f"[{TAGS}]|[\u202a-\u202e\u2066-\u2069]|[{_VARIATION}\U000e0100-\U000e01ef]{{2}}"
    "|(?:[\u200b-\u200d\u2060\ufeff].{0,40}){3}",
    re.DOTALL,
)
"""Tags, changes of writing direction, rows of variation selectors, or three zero-width characters close together."""

CHAT_TOKEN: Final = re.compile(
    r"<[|\uff5c](?:im_start|im_end|im_sep|system|user|assistant|human|end|eom_id|eot_id|start_header_id|end_header_id|message"
    r"|channel|start|return|call|endofprompt|User|Assistant|end▁of▁sentence|begin▁of▁sentence)[|\uff5c]>"
    r"|\[/?(?:INST|SYSTEM|SYS|ASSISTANT|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\]|<</?SYS>>|</?(?:start|end)_of_turn>",
    re.IGNORECASE,
)
"""Tokens that begin or end a turn of a conversation."""
_TOKEN: Final = re.compile(
    rf"{CHAT_TOKEN.pattern}|<[|\uff5c][^\s|\uff5c<>]{{3,40}}[|\uff5c]>|</?(?:s|bos|eos|pad|unk|mask|think|tools?|tool_call|tool_response"
    r"|extra_id_\d{1,2})>",
    re.IGNORECASE,
)

_STRIPPED: Final = re.compile(
    f"[{_SHAPELESS}][{_SHAPELESS}{_VARIATION}]*|[{_VARIATION}][{_SHAPELESS}{_VARIATION}]+",
)


def strip_invisible(text: str) -> str:
    """Take out characters without a shape, except those that formulas and symbols are written with."""
    return _STRIPPED.sub("", text)


def defuse_tokens(text: str) -> str:
    """Write a model's special tokens with spaces, `< |im_end| >`, so that no tokenizer knows them any more."""
    return _TOKEN.sub(lambda match: f"{match[0][0]} {match[0][1:-1]} {match[0][-1]}", text)
