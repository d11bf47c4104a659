"""From the raw text of a model to a checked value."""

from __future__ import annotations

import json
import re
from typing import Generic, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from state.limits import Limits
from state.settings import describe
from tools.models.client import Completion
from tools.models.limits import held_to_limits

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
