"""What agents of medical simplification may answer: as much as they want, held to the table of limits afterwards."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from pydantic import BaseModel

import nodes.simplification
from nodes.simplification.selector import choice_of
from state.limits import KEY

MODULES = [
    import_module(f"nodes.simplification.{found.name}") for found in pkgutil.iter_modules(nodes.simplification.__path__)
]
ANSWERS = [
    member
    for module in MODULES
    for member in vars(module).values()
    if isinstance(member, type) and issubclass(member, BaseModel) and member.__module__ == module.__name__
] + [choice_of(["layperson", "done"])]
FEWEST = {
    "answers": 1,
    "paragraphs": 1,
    "questions": 4,  # the paper's
    "verdicts": 1,
}
"""Lists that no good answer leaves shorter."""


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a JSON schema that describes a value."""
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema
        for part in schema.values():
            yield from parts(part)


def test_the_answers_are_found() -> None:
    names = {answer.__name__ for answer in ANSWERS}
    assert {"Questions", "Answers", "ReasonedSimplification", "AccuracyCheck", "Wordings", "AgentChoice"} <= names


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: str(answer.__name__))
def test_texts_and_lists_are_bounded_by_the_table_alone(answer: type[BaseModel]) -> None:
    schema = answer.model_json_schema()
    for part in parts(schema):
        if part["type"] in {"string", "array"} and "enum" not in part:
            assert KEY in part, f"{part} has no limit"
        assert not {"maxLength", "maxItems", "maximum", "pattern"} & set(part)
        assert part.get("minLength", 1) == 1
    for name, part in schema["properties"].items():
        assert part.get("minItems") == FEWEST.get(name)
