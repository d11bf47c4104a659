"""`draftroom simplify` from end to end: what is printed, recorded, refused, stopped and resumed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from draftroom.rendering.simplification import MEDICAL_DISCLAIMER
from tests.draftroom.conftest import Command
from tests.draftroom.refusing import assert_refused
from tests.draftroom.review_command import asked, result_of
from tests.fake_endpoint import Script, Status, Text, When
from tests.support.society import ABSTRACT, Society, latest
from tests.support.steps import step_of
from tools.documents.reading import NOT_ENGLISH_WARNING

LEXICAL = ["--loops", "language_clarifier", "--entries", "1", "--extensions", "apply_edits"]
"""A run whose only loop asks the clarifier, then the simplifier."""


@pytest.fixture
def abstract(tmp_path: Path) -> Path:
    path = tmp_path / "asthma.txt"
    path.write_text(ABSTRACT, encoding="utf-8")
    return path


@pytest.fixture
def society(draftroom: Command) -> Command:
    """The command with agents that find something and agree."""
    draftroom.endpoint.answer = Society()
    return draftroom


def test_the_text_goes_to_standard_output_and_nothing_else(society: Command, abstract: Path):
    result = society("simplify", abstract, *LEXICAL)
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{result_of(society)['simplified']}\n"
    assert "Later, attacks fell by 18%" in result.stdout


def test_progress_is_told_from_within_the_loops(society: Command, abstract: Path):
    lines = society("simplify", abstract, *LEXICAL).stderr.splitlines()
    (record,) = society.records()
    source, newest = record["results"]["versions"]
    tokens = sum(part["input_tokens"] + part["output_tokens"] for part in record["usage"])
    assert [re.sub(r"\d+ tokens written", "# tokens written", line) for line in lines[:6]] == [
        "Next is the language clarifier: No other agent may be entered again. (0 tokens so far)",
        "entry 1: language clarifier, propose wordings (large)",
        "entry 1: language clarifier, propose wordings: 1 call, # tokens written",
        "entry 1: simplifier, judge wordings (large)",
        "entry 1: simplifier, judge wordings: 1 call, # tokens written",
        "Entry 1, language clarifier: 1 of 1 suggestions accepted; "
        f"grade {source['grade']:.1f} -> {newest['grade']:.1f}, {newest['words']} words, 0 details lost "
        f"({tokens:,} tokens so far)",
    ]


def test_an_agent_that_asks_several_times_has_one_line_and_its_count(society: Command, abstract: Path):
    flags = ["--loops", "layperson", "--entries", "1", "--extensions", "sentence_by_sentence"]
    lines = society("simplify", abstract, *flags).stderr.splitlines()
    told = [line for line in lines if "simplifier, rewrite sentences" in line]
    asked = sum(step_of(request) == "rewrite_sentences" for request in society.endpoint.chat_requests)
    assert asked > 1
    assert told[0] == "entry 1: simplifier, rewrite sentences (large)"
    assert [line.partition(" calls,")[0] for line in told[1:]] == [f"entry 1: simplifier, rewrite sentences: {asked}"]


def test_findings_go_to_standard_error(draftroom: Command, abstract: Path):
    draftroom.endpoint.answer = Society(Wordings=[Text("I would rather not.")])
    flags = ["--loops", "layperson", "--loops", "language_clarifier", "--entries", "1"]
    result = draftroom("simplify", abstract, *flags)
    (record,) = draftroom.records()
    rows = [line.split() for line in result.stderr.splitlines() if line.startswith("│")]
    assert [row[1] for row in rows] == ["0", "1", "2"]
    assert re.search('^quantity "400 mcg", .*: Inhaled budesonide 400 mcg', result.stderr, re.MULTILINE)
    assert "language clarifier, ended early: " in result.stderr
    assert MEDICAL_DISCLAIMER in result.stderr
    assert record["id"] in result.stderr.splitlines()[-1]
    assert [problem["loop"] for problem in record["results"]["problems"]] == ["language_clarifier"]


def test_a_text_that_is_not_english_is_warned_of_before_anyone_is_asked(draftroom: Command, tmp_path: Path):
    (tmp_path / "a.txt").write_text(
        "Inhalatives Budesonid wurde bei Erwachsenen mit Asthma gegen Placebo verglichen. Die Teilnehmer inhalierten "
        "zweimal am Tag, und schwere Anfälle wurden nach zwölf Wochen seltener.",
        encoding="utf-8",
    )
    result = draftroom(
        "simplify", tmp_path / "a.txt", "--loops", "layperson", "--entries", "1", "-o", tmp_path / "a.md"
    )
    assert NOT_ENGLISH_WARNING in result.stderr.splitlines()[0]
    assert result.stderr.count(NOT_ENGLISH_WARNING) == 2, "and beside the result"
    assert NOT_ENGLISH_WARNING in (tmp_path / "a.md").read_text(encoding="utf-8")


def test_the_glossary_is_told(draftroom: Command, abstract: Path):
    answers = {"answers": [{"question": 1, "about": "candidiasis", "answer": "An infection by a yeast."}]}
    draftroom.endpoint.answer = Society(Answers=[answers], rewrite_text=[latest(ABSTRACT)])
    result = draftroom("simplify", abstract, "--loops", "layperson", "--entries", "1")
    assert "candidiasis: An infection by a yeast." in result.stderr


def test_flags_decide_over_variables(society: Command, abstract: Path):
    flags = ["--loops", "layperson, redundancy_checker", "--entries", "1", "--stop", "adaptive", "--accuracy-check"]
    aims = ["--target-grade", "16", "--max-words", "2000", "--revision-rounds", "2"]
    other = society.with_variables({"DRAFTROOM_SIMPLIFICATION__ENTRIES": "3"})
    assert other("simplify", abstract, *flags, *aims, "--scope", "whole", "--model", "small").exit_code == 0
    settings = society.records()[0]["settings"]
    chosen = {"loops": ["layperson", "redundancy_checker"], "entries": 1, "stop": "adaptive", "revision_rounds": 2}
    chosen |= {"accuracy_check": True, "target_grade": 16.0, "max_words": 2000, "scope": "whole"}
    assert settings["simplification"].items() >= chosen.items()
    assert {model["model"] for model in settings["models"].values()} == {"small"}
    assert {request.model for request in society.endpoint.chat_requests} == {"small"}


def test_a_single_rewrite(society: Command, abstract: Path):
    result = society("simplify", abstract, "--variant", "single")
    assert result.exit_code == 0
    assert "Entry 1, single rewrite: rewritten by one model; grade" in result.stderr
    assert [part["role"] for part in society.records()[0]["usage"]] == ["simplifier"]
    assert "Entry 1, single rewrite" in society("show", "last").stdout


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (["--loops", "layperson,editor"], "simplification.loops.1"),
        (["--loops", "layperson", "--loops", "layperson"], "each loop once"),
        (["--entries", "11"], "simplification.entries"),
        (["--target-grade", "0.5"], "simplification.target_grade"),
    ],
)
def test_a_setting_that_cannot_be_used(draftroom: Command, abstract: Path, arguments: list[str], named: str):
    result = draftroom("simplify", abstract, *arguments)
    assert_refused(draftroom, result, "bad_settings")
    assert named in result.stderr


def test_calls_of_a_loop_that_failed_are_on_record_and_not_repeated(draftroom: Command, abstract: Path):
    draftroom.endpoint.answer = Script([When(Status(503), schema="WordingVerdicts", times=1)], otherwise=Society())
    assert draftroom("simplify", abstract, *LEXICAL).exit_code == EXIT_CODES["endpoint_down"]
    (record,) = draftroom.records()
    assert [part["role"] for part in record["usage"]] == ["language_clarifier"]
    shown = draftroom("show", "last").stdout
    assert "Entry 1, language clarifier: not finished\n" in shown, "the entry that is under way has no measures yet"
    assert (
        'suggestion (round 1): "It was subsequently determined that exacerbations" -> "Later, attacks", open' in shown
    )

    assert draftroom("resume", "last").exit_code == 0
    assert asked(draftroom) == ["Wordings", "WordingVerdicts", "WordingVerdicts"]
    (record,) = draftroom.records()
    assert [(part["role"], part["calls"]) for part in record["usage"]] == [("language_clarifier", 1), ("simplifier", 1)]
    assert record["status"] == "done"
