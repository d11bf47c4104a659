"""The systems from end to end on real vLLM with the embedded model; the review with the packaged embeddings."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nodes.feedback.agent import make_evidence_id
from tests.live.command import run_until_usable

EXAMPLES = Path(__file__).parents[2] / "examples"


def run_to_result(arguments: list[str], endpoint: str, folder: Path) -> tuple[dict[str, Any], str]:
    """Run the command; return its result, whose calls must be accounted for, and what it printed."""
    result = folder / "result.json"
    finished = run_until_usable([*arguments, "-o", str(result)], endpoint, folder)
    assert finished.returncode == 0, finished.stderr
    written = json.loads(result.read_text(encoding="utf-8"))
    assert all(call["input_tokens"] > 100 and not call["tokens_estimated"] for call in written["calls"])
    return written, finished.stdout


def test_explain_writes_an_article_with_its_account(embedded_endpoint: str, tmp_path: Path) -> None:
    written, printed = run_to_result(["explain", str(EXAMPLES / "mosses.md")], embedded_endpoint, tmp_path)
    assert [draft["round"] for draft in written["drafts"]] == [0, 1]
    assert all(assessment["readability"]["words"] > 0 for assessment in written["assessments"])
    asked = [call["step"] for call in written["calls"] if not call["reask"]]
    assert asked == ["write_draft", "take_notes", "advise", "revise_draft"]
    assert printed.strip()


def test_simplify_enters_each_loop_and_accounts_for_what_is_lost(embedded_endpoint: str, tmp_path: Path) -> None:
    written, printed = run_to_result(["simplify", str(EXAMPLES / "inhalers.md")], embedded_endpoint, tmp_path)
    loops = {exchange["loop"] for exchange in written["history"]}
    assert loops == {"layperson", "language_clarifier", "redundancy_checker"}
    assert [version["number"] for version in written["versions"]] == [0, 1, 2, 3]
    assert written["versions"][-1]["lost"] == written["lost"]
    assert printed.strip()


def test_review_writes_checked_comments_with_its_account(embedded_endpoint: str, tmp_path: Path) -> None:
    annotated = tmp_path / "annotated.pdf"
    command = ["review", str(EXAMPLES / "seedlings.pdf"), "--paragraph", "14", "-o", str(annotated)]
    written, _ = run_to_result(command, embedded_endpoint, tmp_path)
    (review,) = written["reviews"]
    assert review["paragraph"] == "p14"
    planned = {step["id"] for step in review["plans"][0]["steps"] if step["action"] != "write_review"}
    assert planned == {record["step"]["id"] for record in review["log"]}, "the investigator was asked all of it"
    assert all(record["outcome"] != "answered" or record["step"]["question"] for record in review["log"])
    notes = {make_evidence_id(record["step"]["id"]): record["note"] for record in review["log"]}
    assert all(item["quote"] or notes[item["id"]] for item in review["evidence"]), "without a quote it says why"
    assert annotated.read_bytes().startswith(b"%PDF-")
