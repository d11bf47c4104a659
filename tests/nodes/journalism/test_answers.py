"""What agents of science journalism may answer: as much as they want, held to the table of limits afterwards."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from pydantic import BaseModel

import nodes.journalism
from nodes import rewriting
from state.limits import KEY

PATH = nodes.journalism.__path__
MODULES = [rewriting, *(import_module(f"nodes.journalism.{found.name}") for found in pkgutil.iter_modules(PATH))]
ANSWERS = [
    member
    for module in MODULES
    for member in vars(module).values()
    if isinstance(member, type) and issubclass(member, BaseModel) and member.__module__ == module.__name__
]


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a JSON schema that describes a value."""
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema
        for part in schema.values():
            yield from parts(part)


def test_the_answers_are_found() -> None:
    found = {answer.__name__ for answer in ANSWERS}
    assert found >= {"Article", "RevisedArticle", "ReadingNotes", "EditorReview", "RewrittenSentences"}


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: str(answer.__name__))
def test_texts_and_lists_are_bounded_by_the_table_alone(answer: type[BaseModel]) -> None:
    for part in parts(answer.model_json_schema()):
        if part["type"] in {"string", "array"} and "enum" not in part:
            assert KEY in part, f"{part} has no limit"
        assert not {"maxLength", "maxItems"} & set(part)
