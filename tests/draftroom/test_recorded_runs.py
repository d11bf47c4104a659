"""The recorded runs of `examples/runs` open without a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.draftroom.conftest import Command

RUNS = Path("examples/runs")
RESULT = {
    f"{name}{kind}.json": result
    for name, result in {"mosses": "article", "yoga": "simplified", "seedlings": "reviews"}.items()
    for kind in ("", "-large")
}


@pytest.mark.parametrize("name", RESULT)
def test_a_recorded_run_opens_without_a_model(draftroom: Command, tmp_path: Path, name: str) -> None:
    recorded = json.loads((RUNS / name).read_text(encoding="utf-8"))
    shown = draftroom("show", RUNS / name, "-o", tmp_path / "page.html")
    assert shown.exit_code == 0
    assert recorded["run"]["id"] in shown.stdout
    assert recorded[RESULT[name]]
    assert recorded["run"]["id"] in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert draftroom.endpoint.chat_requests == []
