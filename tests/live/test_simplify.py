"""`draftroom simplify` from end to end on real vLLM with the embedded model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.command import run_until_usable

EXAMPLE = Path(__file__).parents[2] / "examples" / "inhalers.md"


@pytest.mark.live
def test_simplify_enters_each_loop_and_accounts_for_what_is_lost(embedded_endpoint: str, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    command = ["simplify", str(EXAMPLE), "-o", str(result)]
    finished = run_until_usable(command, embedded_endpoint, tmp_path)
    assert finished.returncode == 0, finished.stderr

    written = json.loads(result.read_text(encoding="utf-8"))
    assert {exchange["loop"] for exchange in written["history"]} == {
        "layperson",
        "language_clarifier",
        "redundancy_checker",
    }
    assert [version["number"] for version in written["versions"]] == [0, 1, 2, 3]
    assert written["versions"][-1]["lost"] == written["lost"]
    assert all(call["input_tokens"] > 100 and not call["tokens_estimated"] for call in written["calls"])
    assert finished.stdout.strip()
