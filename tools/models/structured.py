"""From the raw text of a model to a checked value."""

from __future__ import annotations

import json
import re
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from tools.configuration import describe
from tools.models.client import Completion

Value = TypeVar("Value", bound=BaseModel)

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL)


class Unusable(ValueError):
    """An answer that does not hold what was asked for; the text says why, for the model to read."""


def parse(completion: Completion, schema: type[Value]) -> Value:
    """Check an answer against its schema.

    Raises:
        Unusable: If it was cut off, is no JSON object, or does not fit the schema.
    """
    if completion["finish_reason"] == "length":
        raise Unusable(f"it was cut off after {completion['output_tokens']} tokens; answer more briefly")
    text = strip_thoughts(completion["text"])
    start = text.find("{")
    if start < 0:
        raise Unusable("it contains no JSON object")
    try:
        value, _ = json.JSONDecoder(strict=False).raw_decode(text[start:])
        return schema.model_validate(value)
    except json.JSONDecodeError as error:
        raise Unusable(f"it is not valid JSON: {error.msg} at character {error.pos}") from error
    except ValidationError as error:
        raise Unusable(f"it does not fit the schema: {describe(error)}") from error


def strip_thoughts(text: str) -> str:
    """Remove reasoning blocks, also one whose opening tag the chat template has already written."""
    without = _THOUGHT.sub("", text)
    return without.rsplit("</think>", 1)[-1].split("<think>", 1)[0].strip()
