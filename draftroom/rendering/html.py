"""A run as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from draftroom.rendering.rendering import extensions_line, spoken, warnings
from runs.record import RunRecord
from tools.html_pages import templates


def page(template: str, record: RunRecord, values: Mapping[str, Any], unit: str, **variables: Any) -> str:
    """Fill a template that extends `base.html`.

    Args:
        template: Its file name.
        record: Of the run.
        values: State of the graph.
        unit: What the system counts its calls by: round or entry.
        variables: What this template needs besides.
    """
    return _PAGES.get_template(template).render(
        record=record,
        paper=values.get("source") or record["input"]["paper"],
        extensions=extensions_line(record.get("extensions")),
        warnings=warnings(values, unit),
        unit=unit,
        **variables,
    )


_PAGES = templates("draftroom.rendering")
_PAGES.filters["spoken"] = spoken
