"""`draftroom eval known_flaws` from the command to the report, against the fake endpoint."""

from __future__ import annotations

import json
from pathlib import Path

from runs.many import read_records
from tests.draftroom.conftest import Command
from tests.support.review_room import Room

REVIEW = {
    "reasoning": "It is not said what the streets are compared with.",
    "label": "Meaningful Comparison",
    "review": "You write “chosen 1.8 times as often”; as often as what? Name the other streets.",
    "quote": "chosen 1.8 times as often",
    "suggestion": "",
    "evidence": [],
}


def test_the_examples_are_reviewed_checked_and_reported(draftroom: Command, tmp_path: Path) -> None:
    draftroom.endpoint.answer = Room(Review=[REVIEW])
    folder = tmp_path / "run"
    result = draftroom("eval", "known_flaws", "--rows", "lot,checks,single,as-set", "--out", folder, "--quiet")
    assert result.exit_code == 0, result.output
    outputs = read_records(folder / "outputs.jsonl")
    assert {(each["id"].rpartition("-")[2], each["system"]) for each in outputs} == {
        (name, system) for name in ("flaw", "twin") for system in ("single", "as-set")
    }
    scores = json.loads((folder / "scores.json").read_text(encoding="utf-8"))
    (figures,) = [
        row["figures"]
        for table in scores["tables"]
        if (table["table"], table["corpus"]) == ("Flaws found", "Textual flaws")
        for row in table["rows"]
        if row["row"] == "single"
    ]
    shares = {measure: figure["value"] for measure, figure in figures.items()}
    assert shares["found, k = 1, %"] == shares["found with its type %"] == 100
    assert shares["same place in twins %"] == 100
    report = (folder / "report.md").read_text(encoding="utf-8")
    for row in ("a sentence by lot", "checks only", "single model", "as the settings say"):
        assert f"| {row} |" in report
    asked = len(draftroom.endpoint.chat_requests)
    assert draftroom("eval", "resume", folder, "--quiet").exit_code == 0
    assert len(draftroom.endpoint.chat_requests) == asked
