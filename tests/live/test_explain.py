"""`draftroom explain` from end to end on real vLLM with the embedded model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live.command import run_until_usable

EXAMPLE = Path(__file__).parents[2] / "examples" / "mosses.md"


@pytest.mark.live
def test_explain_writes_an_article_with_its_account(embedded_endpoint: str, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    command = ["explain", str(EXAMPLE), "-o", str(result)]
    finished = run_until_usable(command, embedded_endpoint, tmp_path)
    assert finished.returncode == 0, finished.stderr

    written = json.loads(result.read_text(encoding="utf-8"))
    assert [draft["round"] for draft in written["drafts"]] == [0, 1]
    assert all(assessment["readability"]["words"] > 0 for assessment in written["assessments"])
    assert [call["step"] for call in written["calls"] if not call["reask"]] == [
        "write_draft",
        "take_notes",
        "advise",
        "revise_draft",
    ]
    assert all(call["input_tokens"] > 100 and not call["tokens_estimated"] for call in written["calls"])
    assert finished.stdout.strip()
