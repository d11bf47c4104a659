"""The whole result as JSON: the run record, and what the graph returned."""

from __future__ import annotations

import json

from draftroom.records import RunRecord
from draftroom.rendering.rounds import Values
from state.journalism import JournalismOutput


def to_json(record: RunRecord, values: Values) -> str:
    """One object with `run` and the keys of the graph's output."""
    result = {"run": record, **{key: values.get(key) for key in JournalismOutput.__annotations__}}
    return json.dumps(result, ensure_ascii=False, indent=2) + "\n"
