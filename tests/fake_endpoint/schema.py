"""Instances of the JSON schemas that agents send: valid, readable, and decided by a random generator alone."""

from __future__ import annotations

import math
import random
from typing import Any

from tests.fake_endpoint.sentences import prose, sentence

Schema = dict[str, Any]


class UnsupportedSchemaError(ValueError):
    """The schema asks for something that this module cannot make up; script the answer instead."""


def instance(schema: Schema, rng: random.Random) -> Any:
    """Make up a value that keeps to `schema`; of alternatives, one that is not null is taken.

    Raises:
        UnsupportedSchemaError: If the schema has a type that no agent asks for.
    """
    return _Filler(schema, rng).fill(schema)


class _Filler:
    def __init__(self, root: Schema, rng: random.Random) -> None:
        self._definitions = root.get("$defs", {})
        self._rng = rng

    def fill(self, schema: Schema) -> Any:
        schema = self._resolve(schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._rng.choice(schema["enum"])
        if "anyOf" in schema:
            branches = [self._resolve(branch) for branch in schema["anyOf"]]
            return self.fill(self._rng.choice([branch for branch in branches if branch.get("type") != "null"]))
        match schema.get("type"):
            case "object":
                return {name: self.fill(of) for name, of in schema.get("properties", {}).items()}
            case "array":
                return self._array(schema)
            case "string":
                return self._string(schema)
            case "integer":
                lowest = schema.get("minimum", schema.get("maximum", 10) - 10)
                return self._rng.randint(lowest, schema.get("maximum", lowest + 10))
            case "boolean":
                return self._rng.random() < 0.5
            case unknown:
                raise UnsupportedSchemaError(
                    f"The fake endpoint makes up nothing of type {unknown!r}; script the answer."
                )

    def _resolve(self, schema: Schema) -> Schema:
        """Replace a `$ref` by what it stands for."""
        return self._definitions[schema["$ref"].removeprefix("#/$defs/")] if "$ref" in schema else schema

    def _array(self, schema: Schema) -> list[Any]:
        fewest = schema.get("minItems", 0)
        length = min(self._rng.randint(fewest or 1, fewest + 2), schema.get("maxItems", math.inf))
        return [self.fill(schema["items"]) for _ in range(length)]

    def _string(self, schema: Schema) -> str:
        shortest, longest = schema.get("minLength", 0), schema.get("maxLength", math.inf)
        text = prose(self._rng, self._rng.randint(1, 3))
        while len(text) < shortest:
            text += " " + sentence(self._rng)
        return text if len(text) <= longest else _shorten(text, shortest, int(longest))


def _shorten(text: str, shortest: int, longest: int) -> str:
    """Cut `text` to at most `longest` characters, between words where that leaves enough."""
    cut = text[:longest]
    between_words = cut.rpartition(" ")[0]
    return between_words if len(between_words) >= max(shortest, 1) else cut
