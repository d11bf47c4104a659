"""Characters that no reader sees or that are not what they seem: taken out, made harmless, or read as what they mean.

`plain` serves terminals and pages, `strip_invisible` and `defuse_tokens` prompts, and `fold` the search for words
however their letters are disguised.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final, NamedTuple

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def plain(text: str) -> str:
    """`text` without control characters; tabs and line ends stay."""
    return _CONTROL.sub("", text)


def on_one_line(text: str) -> str:
    """`text` without control characters and line ends."""
    return " ".join(plain(text).split())


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


def without_accents(text: str) -> str:
    """Take the accents off letters, and write compatibility characters such as ligatures as what they stand for."""
    return "".join(part for part in unicodedata.normalize("NFKD", text) if not unicodedata.combining(part))


def strip_invisible(text: str) -> str:
    """Take out characters without a shape, except those that formulas and symbols are written with."""
    return _STRIPPED.sub("", text)


def defuse_tokens(text: str) -> str:
    """Write a model's special tokens with spaces, `< |im_end| >`, so that no tokenizer knows them any more."""
    return _TOKEN.sub(lambda match: f"{match[0][0]} {match[0][1:-1]} {match[0][-1]}", text)


# Letters that look like Latin ones (a selection of Unicode's confusables), by code point because they look the same.
# Capitals are listed where they resemble another letter than their small ones do.
_LOOKALIKES: Final = {
    "Cyrillic": (
        "\u0430\u0432\u0435\u0456\u0458\u043a\u043c\u043d\u043e\u0440\u0441\u0442\u0443\u0445\u0455\u0501\u051b\u051d"
        "\u0433\u043f\u044c\u04cf\u04bb\u04af\u04ab",
        "abeijkmhopctyxsdqwrnblhyc",
    ),
    "Greek": (
        "\u0397\u039d\u03a5\u039c\u0396\u03b1\u03b2\u03b5\u03b7\u03b9\u03ba\u03bc\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7"
        "\u03b3\u03c9",
        "hnymzabenikuvoptuxyw",
    ),
    "Armenian": ("\u0585\u057d\u0578\u0570\u0581\u0575\u056c", "ounhgjl"),
    "Cherokee": (
        "\u13aa\u13ac\u13d2\u13bb\u13ab\u13de\u13b7\u13e2\u13da\u13a2\u13d9\u13c3\u13a1\u13df\u13a0\u13d4",
        "aeehjlmpstvzrcdw",
    ),
    "Latin": (
        "\u0131\u0142\u00f8\u0111\u0251\u0261\u026a\u0274\u0280\u1d00\u0299\u1d04\u1d05\u1d07\ua730\u0262\u029c\u1d0a"
        "\u1d0b\u029f\u1d0d\u1d0f\u1d18\ua731\u1d1b\u1d1c\u1d20\u1d21\u028f\u1d22",
        "ilodaginrabcdefghjklmopstuvwyz",
    ),
    "punctuation": (
        "\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u201f\u00ab\u00bb\u300c\u300d\u2010\u2011\u2012\u2013\u2014\u2212_",
        '\'\'\'\'""""""""------ ',
    ),
}
_LATIN: Final = {
    ord(strange): plain
    for strange_ones, plain_ones in _LOOKALIKES.values()
    for strange, plain in zip(strange_ones, plain_ones, strict=True)
}
_BOXED_ALPHABETS: Final = (0x1F150, 0x1F170, 0x1F1E6)  # letters in black circles and squares, regional indicators
_DIGITS_FOR_LETTERS: Final = str.maketrans("013457@$", "oieastas")
_WORD_WITH_DIGITS: Final = re.compile(r"[a-z0-9@$]+")


class Folded(NamedTuple):
    """A text in small Latin letters, without accents, invisible characters and doubled white space."""

    text: str
    """A blank line is a line feed, all other white space a space."""
    offsets: list[int]
    """Where in the original each of its characters stands."""


def fold(text: str) -> Folded:
    """Undo what disguises words: look-alike, boxed and invisible characters, accents, divisions, digits for letters."""
    characters: list[str] = []
    offsets: list[int] = []
    gap = ""
    for offset, original in enumerate(text):
        folded = _fold_character(original)
        if folded.isspace():
            gap += original
            continue
        for character in folded:
            if gap:
                _write_gap(gap, character, characters, offsets)
                gap = ""
            characters.append(character)
            offsets.append(offset)
    return Folded(_WORD_WITH_DIGITS.sub(_letters, "".join(characters)), offsets)


def _write_gap(gap: str, following: str, characters: list[str], offsets: list[int]) -> None:
    if not characters or (_ideographic(characters[-1]) and _ideographic(following)):
        return
    lines = gap.count("\n")
    if lines == 1 and characters[-1] == "-" and following.isalpha():
        characters.pop()
        offsets.pop()
    else:
        characters.append("\n" if lines > 1 else " ")
        offsets.append(offsets[-1])


@cache
def _fold_character(character: str) -> str:
    if TAG_RUN.match(character):
        return _fold_character(chr(ord(character) - 0xE0000))
    if INVISIBLE.match(character):
        return ""
    for first in _BOXED_ALPHABETS:
        if first <= ord(character) < first + 26:
            return chr(ord("a") + ord(character) - first)
    return without_accents(character).translate(_LATIN).casefold().translate(_LATIN)


def _ideographic(character: str) -> bool:
    return "\u3400" <= character <= "\u9fff"


def _letters(match: re.Match[str]) -> str:
    return match[0] if match[0].isdigit() else match[0].translate(_DIGITS_FOR_LETTERS)
