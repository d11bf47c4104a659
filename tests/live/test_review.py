"""`draftroom review` from end to end on real vLLM with the embedded model and the packaged embeddings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nodes.feedback.agent import make_evidence_id
from tests.live.command import run_until_usable

EXAMPLE = Path(__file__).parents[2] / "examples" / "seedlings.pdf"


@pytest.mark.live
def test_review_writes_checked_comments_with_its_account(embedded_endpoint: str, tmp_path: Path) -> None:
    result, annotated = tmp_path / "result.json", tmp_path / "annotated.pdf"
    command = ["review", str(EXAMPLE), "--paragraph", "14"]
    finished = run_until_usable([*command, "-o", str(result), "-o", str(annotated)], embedded_endpoint, tmp_path)
    assert finished.returncode == 0, finished.stderr

    written = json.loads(result.read_text(encoding="utf-8"))
    (review,) = written["reviews"]
    assert review["paragraph"] == "p14"
    planned = {step["id"] for step in review["plans"][0]["steps"] if step["action"] != "write_review"}
    assert planned == {record["step"]["id"] for record in review["log"]}, "the investigator was asked all of it"
    assert all(record["outcome"] != "answered" or record["step"]["question"] for record in review["log"])
    notes = {make_evidence_id(record["step"]["id"]): record["note"] for record in review["log"]}
    assert all(item["quote"] or notes[item["id"]] for item in review["evidence"]), "without a quote it says why"
    assert all(call["input_tokens"] > 100 and not call["tokens_estimated"] for call in written["calls"])
    assert annotated.read_bytes().startswith(b"%PDF-")
