"""No answer of an agent is refused for its length: what is bounded is bounded by the table of limits or a setting."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import BaseModel

import nodes.feedback
from nodes.feedback.controller import step_decision, wave_decision
from nodes.feedback.planner import plan_of
from nodes.feedback.reviewer import review_of
from nodes.feedback.verification_chain import questions_of
from state.model_settings import KEY

STATE: Any = {
    "settings": {
        "feedback": {"extensions": "all"},
        "models": {role: {} for role in ("planner", "controller", "reviewer")},
    },
    "target": {"text": "Tea makes seedlings grow.", "number": 1},
    "evidence": [{"id": "e1"}],
    "computed": [],
    "rewrites": 0,
}
WITHOUT_EXTENSIONS: Any = {**STATE, "settings": {**STATE["settings"], "feedback": {"extensions": "none"}}}
BY_A_SETTING = {"steps", "decisions", "questions", "evidence"}
"""Lists that are bounded by `max_questions`, by the plan, or by what was found."""


def models() -> list[type[BaseModel]]:
    modules = [
        importlib.import_module(each.name) for each in pkgutil.iter_modules(nodes.feedback.__path__, "nodes.feedback.")
    ]
    written = {
        value
        for module in modules
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, BaseModel) and value.__module__ == module.__name__
    }
    choices: Any = ["ask_paper", "write_review", "skip", "rewrite"]
    reviews = [review_of(STATE), review_of(WITHOUT_EXTENSIONS)]
    made = [plan_of(STATE), *reviews, questions_of(STATE), step_decision(STATE, choices)]
    return [*sorted(written, key=lambda model: model.__name__), *made, wave_decision(STATE, choices, 3)]


def parts(name: str, part: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(part, dict):
        yield name, part
    inner = (
        part.items() if isinstance(part, dict) else ((name, item) for item in part) if isinstance(part, list) else ()
    )
    for key, value in inner:
        yield from parts(name if key == "items" else key, value)


@pytest.mark.parametrize("model", models(), ids=lambda model: model.__name__)
def test_texts_and_lists_are_bounded_by_the_table_alone(model: type[BaseModel]) -> None:
    found = list(parts("", model.model_json_schema()))
    assert len(found) > 2
    for name, part in found:
        assert not {"minLength", "maxLength", "minItems", "maxItems", "maximum"} & set(part), name
        if part.get("type") == "string" and not {"enum", "const"} & set(part):
            assert KEY in part or name in BY_A_SETTING, name
        if part.get("type") == "array":
            assert KEY in part or name in BY_A_SETTING, name
