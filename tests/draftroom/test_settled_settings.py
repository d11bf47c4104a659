"""A run that is resumed before its first checkpoint has the settings that it began with, also those set to nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime
from pydantic import BaseModel

from draftroom.systems import System
from draftroom.systems.feedback import FOCUSED_FEEDBACK
from draftroom.systems.journalism import JOURNALISM
from draftroom.systems.simplification import SIMPLIFICATION
from nodes.feedback import initialise as feedback
from nodes.journalism import initialise as journalism
from nodes.simplification import initialise as simplification
from state.model_settings import ModelSettings
from state.settings import FeedbackSettings, JournalismSettings, SimplificationSettings
from tests.support.review_room import PAPER
from tools.configuration import load_settings

TABLES: dict[str, tuple[System, Any, type[BaseModel]]] = {
    "journalism": (JOURNALISM, journalism, JournalismSettings),
    "simplification": (SIMPLIFICATION, simplification, SimplificationSettings),
    "feedback": (FOCUSED_FEEDBACK, feedback, FeedbackSettings),
}


def optional_fields(model: type[BaseModel], *above: str) -> Iterator[tuple[str, ...]]:
    """Paths of the settings that are nothing unless somebody says otherwise."""
    for name, field in model.model_fields.items():
        if field.is_required() or field.get_default(call_default_factory=True) is None:
            yield (*above, name)
        elif isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel):
            yield from optional_fields(field.annotation, *above, name)


def at(settings: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        settings = settings[name]
    return settings


def some_value(model: type[BaseModel], path: tuple[str, ...]) -> str:
    """A value that an environment variable can give a setting."""
    for name in path[:-1]:
        model = model.model_fields[name].annotation  # type: ignore[assignment]
    field = model.model_fields[path[-1]]
    if "list" in str(field.annotation):
        return '["tea"]'
    least = next((rule.ge for rule in field.metadata if hasattr(rule, "ge")), 1)
    return str(max(least, 1)) if "str" not in str(field.annotation) else "http://127.0.0.1:1/v1"


OPTIONAL = [
    *(
        ((table, *path), table, model, path)
        for table, (_, _, model) in TABLES.items()
        for path in optional_fields(model)
    ),
    *((("models", "default", *path), "journalism", ModelSettings, path) for path in optional_fields(ModelSettings)),
]


@pytest.mark.parametrize(
    ("variable", "table", "model", "path"), OPTIONAL, ids=[".".join(variable) for variable, *_ in OPTIONAL]
)
def test_what_was_set_to_nothing_is_not_filled_from_the_environment(
    variable: tuple[str, ...],
    table: str,
    model: type[BaseModel],
    path: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    monkeypatch.setenv("DRAFTROOM_MODELS__DEFAULT__MODEL", "large")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    system, module, _ = TABLES[table]
    begun_with = load_settings({"simplification": {"scope": "whole"}}).freeze_settings(table)
    monkeypatch.setenv(f"DRAFTROOM_{'__'.join(variable)}".upper(), some_value(model, path))
    today = load_settings().model_dump()
    assert at(today, variable), "the variable is read"
    context = system.graph.build_context(begun_with)
    asked = "abstract" if table == "simplification" else "paper"
    update = asyncio.run(module.initialise({asked: PAPER}, Runtime(context=context)))
    assert update["settings"] == begun_with
