"""Holds an answer to the table of limits, and puts the limits into a schema for servers that are to enforce them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from state.limits import KEY, Limits
from tools.sentences import sentence_ends

MUCH_LONGER = 3
"""A text is cut if it has more than so many times the words that were asked for."""
CHARACTERS_PER_WORD = 7
"""Of English science text with its spaces, rounded up."""
LONGEST_REPETITION = 1990
"""llama.cpp refuses grammars that repeat something 2,000 times or more."""


def sent_schema(schema: type[BaseModel], limits: Limits, *, bounded: bool) -> dict[str, Any]:
    """The JSON schema as a server gets it: with the limits as `maxItems` and `maxLength` if it is to be bounded."""
    whole: dict[str, Any] = schema.model_json_schema()
    for part in _parts(whole):
        if name := part.pop(KEY, None):
            most = getattr(limits, name)
            if bounded and part.get("type") == "array":
                part["maxItems"] = most
            elif bounded:
                part["maxLength"] = min(most * CHARACTERS_PER_WORD, LONGEST_REPETITION)
    return whole


def held_to_limits(value: Any, schema: type[BaseModel], limits: Limits) -> tuple[Any, list[str]]:
    """A decoded answer without what exceeds the limits, and a note on everything that was left out."""
    whole = schema.model_json_schema()
    notes: list[str] = []
    return _held(value, whole, whole.get("$defs", {}), "the answer", limits, notes), notes


def _held(value: Any, part: Any, defs: dict[str, Any], name: str, limits: Limits, notes: list[str]) -> Any:
    part = {**defs.get(str(part.get("$ref", "")).removeprefix("#/$defs/"), {}), **part}
    most = getattr(limits, part[KEY]) if KEY in part else None
    if isinstance(value, dict):
        fields = part.get("properties", {})
        return {key: _held(item, fields.get(key, {}), defs, key, limits, notes) for key, item in value.items()}
    if isinstance(value, list):
        if most is not None and len(value) > most:
            notes.append(f"{len(value)} {name}, of which the first {most} were kept")
            value = value[:most]
        return [_held(item, part.get("items", {}), defs, name, limits, notes) for item in value]
    if isinstance(value, str) and most is not None and len(value.split()) > MUCH_LONGER * most:
        kept = _shortened(value, MUCH_LONGER * most)
        notes.append(f"{name} of {len(value.split())} words, cut to {len(kept.split())}")
        return kept
    return value


def _shortened(text: str, words: int) -> str:
    """The text up to the last end of a sentence within so many words, or so many words if there is none."""
    kept = list(re.finditer(r"\S+", text))[words - 1].end()
    whole = [beginning for end in sentence_ends(text) if len(beginning := text[:end].rstrip()) <= kept]
    return whole[-1] if whole else text[:kept]


def _parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every table of a JSON schema, itself included."""
    if isinstance(schema, dict):
        yield schema
    for part in schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ():
        yield from _parts(part)
