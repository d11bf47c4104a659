"""The whole result as JSON: the run record, and what the graph returned."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from runs.record import RunRecord


def json_of(output: type[Any]) -> Callable[[RunRecord, Mapping[str, Any]], str]:
    """A renderer of one object with `run` and the keys of `output`, the graph's output schema."""

    def to_json(record: RunRecord, values: Mapping[str, Any]) -> str:
        result = {"run": record, **{key: values.get(key) for key in output.__annotations__}}
        return json.dumps(result, ensure_ascii=False, indent=2) + "\n"

    return to_json
