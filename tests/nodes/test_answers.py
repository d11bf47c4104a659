"""What agents of journalism and simplification, and judges, may answer: as much as they want, held to limits later."""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module
from types import ModuleType
from typing import Any

import pytest
from pydantic import BaseModel

import nodes.journalism
import nodes.simplification
from nodes import rewriting
from nodes.journalism.editor import Suggestion
from nodes.simplification.selector import choice_of
from state.model_settings import KEY


def test_advice_may_be_without_a_quote_and_a_wording() -> None:
    advice = Suggestion.model_validate({"aspect": "accuracy", "advice": "Say how many roofs."})
    assert (advice.quote, advice.replacement) == ("", "")


def answers_in(*modules: ModuleType) -> list[type[BaseModel]]:
    return [
        member
        for module in modules
        for member in vars(module).values()
        if isinstance(member, type) and issubclass(member, BaseModel) and member.__module__ == module.__name__
    ]


def modules_of(package: ModuleType) -> list[ModuleType]:
    return [import_module(f"{package.__name__}.{found.name}") for found in pkgutil.iter_modules(package.__path__)]


JOURNALISM = answers_in(rewriting, *modules_of(nodes.journalism))
SIMPLIFICATION = [*answers_in(*modules_of(nodes.simplification)), choice_of(["layperson", "done"])]
FEWEST = {
    "answers": 1,
    "paragraphs": 1,
    "questions": 4,  # the paper's
    "verdicts": 1,
}
"""Lists that no good answer of simplification leaves shorter."""


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    """Every part of a JSON schema that describes a value."""
    if isinstance(schema, dict):
        if isinstance(schema.get("type"), str):
            yield schema
        for part in schema.values():
            yield from parts(part)


def test_the_answers_are_found() -> None:
    journalism, simplification = ({answer.__name__ for answer in each} for each in (JOURNALISM, SIMPLIFICATION))
    assert journalism >= {"Article", "RevisedArticle", "ReadingNotes", "EditorReview", "EasySentence"}
    expected = {"Questions", "Answers", "ReasonedSimplification", "AccuracyCheck", "Wordings", "AgentChoice"}
    assert simplification >= expected


@pytest.mark.parametrize("answer", [*JOURNALISM, *SIMPLIFICATION], ids=lambda answer: str(answer.__name__))
def test_texts_and_lists_are_bounded_by_the_table_alone(answer: type[BaseModel]) -> None:
    for part in parts(answer.model_json_schema()):
        if part["type"] in {"string", "array"} and "enum" not in part:
            assert KEY in part, f"{part} has no limit"
        assert not {"maxLength", "maxItems"} & set(part)


@pytest.mark.parametrize("answer", SIMPLIFICATION, ids=lambda answer: str(answer.__name__))
def test_no_good_answer_of_simplification_is_too_short(answer: type[BaseModel]) -> None:
    schema = answer.model_json_schema()
    for part in parts(schema):
        assert not {"maximum", "pattern"} & set(part)
        assert part.get("minLength", 1) == 1
    for name, part in schema["properties"].items():
        assert part.get("minItems") == FEWEST.get(name)
