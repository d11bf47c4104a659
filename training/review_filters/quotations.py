"""Finds what a reviewer put in quotation marks."""

from __future__ import annotations

import re
from typing import Final

from tools.checks.quotes import Place

# An opening mark never follows a letter or a digit, so neither an apostrophe nor 5" opens a quotation; a single mark
# that closes is not followed by one. Reviews are typed: a closing mark of one kind may end what another kind began.
_QUOTATION: Final = re.compile(
    r"(?:``|(?<![^\W_])[\"“„«]|(?<!\S)”(?=\S))(?P<double>[^\"“”„«»]+?)(?:''|[\"”“»])"
    r"|(?<![^\W_])[‘'`](?=\S)(?P<single>[^‘`\"“”„«»]{1,600}?)(?<=\S)['’](?![^\W_])"
)
_LEFT_OUT: Final = re.compile(r"[…⋯]|\.(?:\s?\.)+|\[[^\]]*\]")
"""Dots for words that the reviewer left out, and words of his own in square brackets."""
_PLACE: Final = re.compile(r"[^\w?]*(?:\w+[).:]\W*){0,2}")
"""At most a list mark and where the quotation is from: "2) Discussion:"."""


def quotations(text: str) -> list[Place]:
    """What stands between quotation marks, without them, in order."""
    return [Place(*match.span(match.lastgroup or 0)) for match in _QUOTATION.finditer(text)]


def parts(quotation: Place, text: str) -> list[Place]:
    """The pieces of a quotation that claim to be verbatim: it is divided where words were left out or put in."""
    edges = [quotation.start]
    for gap in _LEFT_OUT.finditer(text, quotation.start, quotation.end):
        edges += gap.span()
    edges.append(quotation.end)
    return [Place(start, end) for start, end in zip(edges[::2], edges[1::2], strict=True) if text[start:end].strip()]


def is_bare(text: str) -> bool:
    """A sentence is nothing but a quotation, so that what the reviewer says of it must come next."""
    found = quotations(text)
    edges = [0, *(edge for place in found for edge in place), len(text)]
    own = " ".join(text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return bool(found) and _PLACE.fullmatch(own) is not None
