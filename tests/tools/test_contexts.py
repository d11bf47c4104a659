"""A graph's context has the fields of its system's settings, and lays only what was chosen over the others."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.graph.state import CompiledStateGraph

from graphs import focused_feedback, medical_simplification, science_journalism
from state.settings import FeedbackContext, JournalismContext, RunContext, SimplificationContext
from tools.configuration import resolve_settings

CONTEXTS: list[tuple[type[RunContext], CompiledStateGraph[Any, Any, Any, Any]]] = [
    (JournalismContext, science_journalism.graph),
    (SimplificationContext, medical_simplification.graph),
    (FeedbackContext, focused_feedback.graph),
]
every_context = pytest.mark.parametrize(("context", "graph"), CONTEXTS, ids=[each.table for each, _ in CONTEXTS])


@every_context
def test_a_form_has_descriptions_and_bounds_and_fills_nothing_in(
    context: type[RunContext], graph: CompiledStateGraph[Any, Any, Any, Any]
) -> None:
    schema = graph.get_context_jsonschema() or {}
    assert schema["properties"]["max_pages"] == {
        "description": "Maximum number of pages of a PDF.",
        "maximum": 2000,
        "minimum": 1,
        "title": "Max Pages",
        "type": "integer",
    }
    parts = [schema, *(each for name, each in schema.get("$defs", {}).items() if name.endswith("Settings"))]
    assert "resolved" not in schema["properties"]
    assert len(parts) == (3 if context is FeedbackContext else 1)
    for part in parts:
        assert all("default" not in field for field in part["properties"].values())


def test_one_field_of_a_table_leaves_its_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_FEEDBACK__LITERATURE__RESULTS", "7")
    context = FeedbackContext.model_validate({"literature": {"folder": "papers"}, "segment_overlap": 900})
    chosen = resolve_settings(context).feedback
    assert (chosen.literature.folder, chosen.literature.results, chosen.segment_overlap) == ("papers", 7, 900)
