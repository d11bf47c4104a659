"""`draftroom explain` from end to end on real vLLM with the embedded model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES

EXAMPLE = Path(__file__).parents[2] / "examples" / "mosses.md"


@pytest.mark.live
def test_explain_writes_an_article_with_its_account(embedded_endpoint: str, tmp_path: Path) -> None:
    result = tmp_path / "result.json"
    command = ["explain", str(EXAMPLE), "--preset", "embedded", "--rounds", "1", "--select", "last", "-o", str(result)]
    environment = {
        **os.environ,
        "DRAFTROOM_HOME": str(tmp_path),
        "DRAFTROOM_MODELS__DEFAULT__BASE_URL": embedded_endpoint,
    }
    for seed in ("1", "2", "3"):  # a model of 135M may give no usable answer, which is told as exit code 44
        environment["DRAFTROOM_MODELS__DEFAULT__SEED"] = seed
        finished = subprocess.run(
            [sys.executable, "-m", "draftroom", *command], env=environment, capture_output=True, text=True, check=False
        )
        if finished.returncode != EXIT_CODES["model_output"]:
            break
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
    assert finished.stdout.strip().startswith("#")
