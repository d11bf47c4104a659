"""Instances of JSON schemas: valid, readable, and decided by a random generator alone."""

from __future__ import annotations

import math
import random
import re
from typing import Any

from tests.fake_endpoint.sentences import prose, sentence

Schema = dict[str, Any]
_ENOUGH_DEPTH = 6
_DEEPEST = 60
_TRIES = 200


class UnsupportedSchemaError(ValueError):
    """The schema asks for something that this module cannot make up; script the answer instead."""


def instance(schema: Schema, rng: random.Random) -> Any:
    """A value that keeps to `schema`.

    Properties that are not required are filled in too, and of alternatives one that is not null is taken, except
    where a recursive schema would go on for ever.

    Raises:
        UnsupportedSchemaError: If the schema has a keyword that cannot be kept to, or admits no value.
    """
    return _Filler(schema, rng).fill(schema, 0)


class _Filler:
    def __init__(self, root: Schema, rng: random.Random) -> None:
        self._root = root
        self._rng = rng

    def fill(self, schema: Schema | bool, depth: int) -> Any:
        if depth > _DEEPEST or schema is False:
            raise UnsupportedSchemaError("The fake endpoint finds no value for this schema; script the answer instead.")
        schema = self._resolve({} if schema is True else schema)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return self._rng.choice(schema["enum"])
        for keyword in ("anyOf", "oneOf"):
            if keyword in schema:
                rest = {name: value for name, value in schema.items() if name != keyword}
                return self.fill(_both(rest, self._alternative(schema[keyword], depth)), depth)
        return self._of_type(schema, depth)

    def _of_type(self, schema: Schema, depth: int) -> Any:
        match _type_of(schema):
            case "object":
                return self._object(schema, depth)
            case "array":
                return self._array(schema, depth)
            case "string":
                return self._string(schema)
            case "integer":
                return self._integer(schema)
            case "number":
                return self._number(schema)
            case "boolean":
                return self._rng.random() < 0.5
            case "null":
                return None
            case unknown:
                raise UnsupportedSchemaError(f"The fake endpoint knows no JSON type {unknown!r}; correct the schema.")

    def _resolve(self, schema: Schema) -> Schema:
        """`schema` with its `$ref` and `allOf` replaced by what they stand for."""
        while "$ref" in schema or "allOf" in schema:
            parts = list(schema.get("allOf", []))
            if "$ref" in schema:
                parts.append(self._lookup(schema["$ref"]))
            schema = {name: value for name, value in schema.items() if name not in {"$ref", "allOf"}}
            for part in parts:
                schema = _both(part, schema)
        return schema

    def _lookup(self, reference: str) -> Schema:
        found: Any = self._root
        for step in reference.removeprefix("#").strip("/").split("/"):
            if step:
                found = found[step.replace("~1", "/").replace("~0", "~")]
        return dict(found)

    def _alternative(self, branches: list[Schema], depth: int) -> Schema:
        resolved = [self._resolve(branch) for branch in branches]
        if depth > _ENOUGH_DEPTH:
            return min(resolved, key=lambda branch: _type_of(branch) in {"object", "array"})
        return self._rng.choice([branch for branch in resolved if branch.get("type") != "null"] or resolved)

    def _object(self, schema: Schema, depth: int) -> dict[str, Any]:
        required = schema.get("required", [])
        properties = schema.get("properties", {})
        extra = schema.get("additionalProperties", True)
        shallow = depth <= _ENOUGH_DEPTH
        value = {name: self.fill(of, depth + 1) for name, of in properties.items() if shallow or name in required}
        value |= {name: self.fill(extra, depth + 1) for name in required if name not in value}
        is_mapping = not properties and extra is not False and shallow
        wanted = min(max(schema.get("minProperties", 0), 2 * is_mapping), schema.get("maxProperties", math.inf))
        names = {"type": "string", "maxLength": 24, **schema.get("propertyNames", {})}
        for _ in range(_TRIES):
            if len(value) >= wanted:
                break
            value[self.fill(names, depth + 1)] = self.fill(extra, depth + 1)
        return value

    def _array(self, schema: Schema, depth: int) -> list[Any]:
        fixed, items = schema.get("prefixItems", []), schema.get("items", True)
        fewest = max(schema.get("minItems", 0), len(fixed))
        most = fewest + 2 if depth <= _ENOUGH_DEPTH and items is not False else fewest
        length = min(self._rng.randint(min(fewest or 1, most), most), schema.get("maxItems", math.inf))
        value: list[Any] = []
        for _ in range(_TRIES):
            if len(value) >= length:
                break
            item = self.fill(fixed[len(value)] if len(value) < len(fixed) else items, depth + 1)
            if not (schema.get("uniqueItems") and item in value):
                value.append(item)
        return value

    def _string(self, schema: Schema) -> str:
        if "pattern" in schema:
            return self._of_pattern(schema["pattern"])
        shortest, longest = schema.get("minLength", 0), schema.get("maxLength", math.inf)
        text = prose(self._rng, self._rng.randint(1, 3))
        while len(text) < shortest:
            text += " " + sentence(self._rng)
        return text if len(text) <= longest else _shorten(text, shortest, int(longest))

    def _of_pattern(self, pattern: str) -> str:
        """Some words that match; there are none for a pattern of anything but words."""
        words = sentence(self._rng).rstrip(".").split()
        for count in range(min(len(words), _TRIES), 0, -1):
            if re.search(pattern, text := " ".join(words[:count])):
                return text
        raise UnsupportedSchemaError(
            "The fake endpoint cannot make up text for this `pattern`; script the answer instead."
        )

    def _integer(self, schema: Schema) -> int:
        lower, upper = _bounds(schema, span=10)
        first, last = math.ceil(lower), math.floor(upper)
        first += first == schema.get("exclusiveMinimum")
        last -= last == schema.get("exclusiveMaximum")
        if first > last:
            raise UnsupportedSchemaError("The bounds of a number in this schema admit no value; correct the schema.")
        return self._rng.randint(first, last)

    def _number(self, schema: Schema) -> float:
        lower, upper = _bounds(schema, span=1)
        inside = lower + (upper - lower) * self._rng.uniform(0.1, 0.9)
        rounded = round(inside, 2)
        return rounded if lower < rounded < upper else inside


def _type_of(schema: Schema) -> str:
    named = schema.get("type")
    if isinstance(named, list):
        return next((kind for kind in named if kind != "null"), "null")
    if named:
        return str(named)
    return next(
        (kind for keyword, kind in (("properties", "object"), ("items", "array")) if keyword in schema), "string"
    )


def _both(one: Schema, other: Schema) -> Schema:
    """A schema that asks for what both ask for; where they differ in a plain keyword, `other` holds."""
    merged = {**one, **other}
    if "properties" in one and "properties" in other:
        merged["properties"] = {**one["properties"], **other["properties"]}
    if "required" in one and "required" in other:
        merged["required"] = [*one["required"], *other["required"]]
    return merged


def _bounds(schema: Schema, span: float) -> tuple[float, float]:
    """Inclusive or exclusive bounds of a number, `span` apart where the schema has only one of them."""
    lowers = [schema[name] for name in ("minimum", "exclusiveMinimum") if name in schema]
    uppers = [schema[name] for name in ("maximum", "exclusiveMaximum") if name in schema]
    lower = max(lowers) if lowers else min(uppers, default=span) - span
    return lower, min(uppers) if uppers else lower + span


def _shorten(text: str, shortest: int, longest: int) -> str:
    """`text` cut to at most `longest` characters, between words where that leaves enough."""
    cut = text[:longest]
    between_words = cut.rpartition(" ")[0]
    return between_words if len(between_words) >= max(shortest, 1) else cut
