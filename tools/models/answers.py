"""From the raw text of a model to a checked value.

An answer is held to the table of limits, which stand in the schema, too, for servers that are to enforce them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from state.limits import KEY, Limits
from state.settings import describe
from tools.models.client import Completion
from tools.text.sentences import sentence_ends

Value = TypeVar("Value", bound=BaseModel)

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)


class Unusable(ValueError):
    """An answer that does not hold what was asked for; the text says why, for the model to read."""


class Parsed(NamedTuple, Generic[Value]):
    """An answer that can be used."""

    value: Value
    cuts: list[str]
    """What of it exceeded a limit and was left out."""


LAST_TRY = "last_try"
"""In the context of validation: whether what is refused now is lost. A validator may then forgive what it can mend."""


def parse(completion: Completion, schema: type[Value], limits: Limits, *, last_try: bool = False) -> Parsed[Value]:
    """Check an answer against its schema, and leave out what exceeds the limits.

    Raises:
        Unusable: If it was cut off, is no JSON object, or does not fit the schema.
    """
    text = strip_thoughts(completion["text"])
    if completion["finish_reason"] == "length":
        spent = f"{completion['output_tokens']} tokens"
        if not text:
            raise Unusable(f"all of its {spent} were thoughts, and no answer followed; think more briefly")
        raise Unusable(f"it was cut off after {spent}; answer more briefly")
    start = text.find("{")
    if start < 0:
        raise Unusable("it contains no JSON object")
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text[start:])
        kept, cuts = held_to_limits(value, schema, limits)
        return Parsed(schema.model_validate(kept, context={LAST_TRY: last_try}), cuts)
    except json.JSONDecodeError as error:
        raise Unusable(f"it is not valid JSON: {error.msg} at character {error.pos}") from error
    except ValidationError as error:
        raise Unusable(f"it does not fit the schema: {describe(error)}") from error


def strip_thoughts(text: str) -> str:
    """Remove reasoning blocks, also one whose opening tag the chat template has already written."""
    without = _THOUGHT.sub("", text)
    return without.rsplit("</think>", 1)[-1].split("<think>", 1)[0].strip()


MUCH_LONGER = 3
"""A text is cut if it has more than so many times the words that were asked for."""
CHARACTERS_PER_WORD = 7
"""Of English science text with its spaces, rounded up."""
LONGEST_REPETITION = 1990
"""llama.cpp refuses grammars that repeat something 2,000 times or more."""


def sent_schema(schema: type[BaseModel], limits: Limits, *, bounded: bool) -> dict[str, Any]:
    """The JSON schema as a server gets it: with the limits as `maxItems` and `maxLength` if it is to be bounded."""
    whole = deepcopy(_json_schema(schema))
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
    whole = _json_schema(schema)
    notes: list[str] = []
    return _held(value, whole, whole.get("$defs", {}), "the answer", limits, notes), notes


@lru_cache(maxsize=64)
def _json_schema(schema: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a class, not to be changed: pydantic makes it anew, which takes as long as a checkpoint."""
    return schema.model_json_schema()


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
