"""What `draftroom show` and the files of -o tell of a simplification, also if the models wrote hostile text."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from draftroom.rendering.simplification import MEDICAL_DISCLAIMER
from tests.draftroom.conftest import Command
from tests.draftroom.test_rendering import ATTACK
from tests.fake_endpoint import Text
from tests.support.report_files import Page
from tests.support.society import ABSTRACT, Society, latest

SHORT = "We looked at 12 trials. <script>alert(0)</script> Treatment did not reduce mortality | at all."
QUESTION = "What is budesonide, and why is it inhaled?"
OTHERS = ["Who paid for this study?", "How long did it take?", f"What is this? {ATTACK}"]
SCRIPTS: dict[str, list[Any]] = {
    "AgentChoice": [
        {"reason": f"The terms come first. {ATTACK}", "agent": "layperson"},
        {"reason": "Now the wording.", "agent": "language_clarifier"},
    ],
    "Questions": [{"questions": [QUESTION, *OTHERS]}],
    "Answers": [{"answers": [{"question": 1, "about": "mortality", "answer": f"How many people die. {ATTACK}"}]}],
    "rewrite_text": [latest(SHORT, "The answer comes first.")],
    "Wordings": [{"suggestions": [{"original": "looked at", "replacement": "read"}]}],
    "WordingVerdicts": [{"verdicts": [{"number": 1, "reason": "Too vague.", "accept": False}]}],
    "Redundancies": [{"redundancies": [{"quote": "at all", "reason": "It adds nothing."}]}],
    "RemovalVerdicts": [{"verdicts": [{"number": 1, "justification": "Right, it is empty.", "remove": True}]}],
}


@pytest.fixture
def told(draftroom: Command, tmp_path: Path) -> Command:
    """A finished run with one entry into each loop, and its files beside the home of the command."""
    draftroom.endpoint.answer = Society(**deepcopy(SCRIPTS))  # it uses them up
    abstract = tmp_path / "<script>name.txt"
    abstract.write_text(ABSTRACT, encoding="utf-8")
    outputs = [part for suffix in ("html", "md", "json") for part in ("-o", tmp_path / f"out.{suffix}")]
    result = draftroom(
        "simplify", abstract, "--entries", "1", "--revision-rounds", "1", "--extensions", "apply_edits", *outputs
    )
    assert result.exit_code == 0, result.output
    return draftroom


def file(draftroom: Command, suffix: str) -> str:
    return (draftroom.home.parent / f"out.{suffix}").read_text(encoding="utf-8")


def test_show_tells_the_whole_story(told: Command):
    shown = told("show", "last").stdout
    for part in (
        "Entry 1, layperson: 1 of 4 questions answered; grade ",
        "chosen: The terms come first.",
        f"question 1: {QUESTION}",
        "answer of the medical expert: How many people die.",
        "answer of the medical expert: none was given",
        "reasoned: The answer comes first.",
        'rewrite by the simplifier: "We included 12 trials',
        'suggestion (round 1): "looked at" -> "read", dropped by the simplifier: Too vague.',
        'redundant: "at all" (It adds nothing.), removed by the medical expert: Right, it is empty.',
        'removal by the simplifier: "at all" -> nothing, because: It adds nothing.',
        "{+looked at 12 trials.",
        'quantity "400 mcg", ',
        ": Inhaled budesonide 400 mcg twice daily",
        "mortality: How many people die.",
        "tokens out",
    ):
        assert part in shown
    assert "\x1b" not in shown


def test_show_can_be_limited_to_an_entry(told: Command):
    shown = told("show", "last", "--round", "2").stdout
    assert "Entry 2, language clarifier" in shown
    assert "Entry 1" not in shown
    assert "tokens out" not in shown


def test_the_page_shows_entries_changes_and_provenance(told: Command):
    page = file(told, "html")
    record = json.loads(file(told, "json"))["run"]
    assert Page(page).names.count("details") == 5
    assert "<ins>looked at 12 trials." in page
    assert "removed by the medical expert" in page
    assert record["id"] in page
    assert all(sha256 in page for sha256 in record["prompts"].values())
    assert "<th>entry</th>" in page


def test_the_markdown_has_the_text_and_an_appendix(told: Command):
    text, appendix = file(told, "md").split("\n---\n", 1)
    result = json.loads(file(told, "json"))
    assert text.strip() == result["simplified"].strip()
    versions = appendix[appendix.index("## Versions") : appendix.index("## How it came about")]
    assert len(re.findall(r"^\| \W*\d\W* \|", versions, re.MULTILINE)) == 4, "a row for each version"
    assert re.search(r'^- \*\*quantity "400 mcg".*\*\* Inhaled budesonide 400 mcg twice daily', appendix, re.MULTILINE)
    assert "- **mortality:** How many people die." in appendix
    assert "### Entry 2, language clarifier: 0 of 1 suggestions accepted" in appendix
    assert '- **removal by the simplifier:** "at all" -> nothing, because: It adds nothing.' in appendix
    assert result["source"]["sha256"] in appendix
    assert "<" not in appendix


def test_every_export_says_that_nobody_should_act_on_it_alone(told: Command):
    assert all(MEDICAL_DISCLAIMER in file(told, suffix) for suffix in ("md", "html", "json"))


def test_an_unfinished_run_can_be_rendered(draftroom: Command, tmp_path: Path):
    (tmp_path / "abstract.txt").write_text(ABSTRACT, encoding="utf-8")
    draftroom.endpoint.answer = Society(Questions=[Text("No.")])
    flags = ["--loops", "layperson", "--entries", "1"]
    assert draftroom("simplify", tmp_path / "abstract.txt", *flags).exit_code == 44
    outputs = [part for suffix in ("html", "md", "json") for part in ("-o", tmp_path / f"out.{suffix}")]
    shown = draftroom("show", "last", *outputs)
    assert shown.exit_code == 0
    assert "ended early: " in shown.stdout
    assert "(model_output)" in shown.stdout
    assert "The run has no result yet (failed)" in file(draftroom, "html")
    assert "The run has no result yet (failed)" in file(draftroom, "md")
    assert json.loads(file(draftroom, "json"))["simplified"] == ""
