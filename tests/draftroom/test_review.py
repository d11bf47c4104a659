"""`draftroom review` from end to end: what is printed, recorded, chosen, and written."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import Command, run_without
from tests.draftroom.review_command import QUOTE, TwoMinds, asked, result_of, reviewed
from tests.fake_endpoint import FakeEndpoint, Script, Text, When
from tests.support.review_room import CLAIM, METHODS, PAPER_QUESTION, REVIEW, Room

ONE = ["--paragraph", "3"]


# What is printed and recorded


def test_the_comments_go_to_standard_output_and_nothing_else(room: Command, draft: Path):
    result = room("review", draft)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    first = lines.index("1. Empirical and Theoretical Soundness, medium (Results, p3)")
    assert lines[first + 1].strip() == f'"{QUOTE}"'
    assert REVIEW["review"] in result.stdout
    assert METHODS[:30] not in result.stdout


def test_each_paragraph_is_told_when_it_is_done(room: Command, draft: Path):
    lines = room("review", draft).stderr.splitlines()
    told = [re.sub(r" \([\d,]+ tokens so far\)$", "", line) for line in lines if line.startswith("Paragraph ")]
    outcomes = {line.rpartition("; ")[0] for line in told}
    assert outcomes == {
        f"Paragraph p2 (Methods): nothing worth raising: {REVIEW['reasoning']}",
        f'Paragraph p3 (Results): comment on "{QUOTE}", Empirical and Theoretical Soundness',
    }
    assert [line.rpartition("; ")[2] for line in told] == ["1 of 2 done", "2 of 2 done"]
    assert "paragraph 2: planner, propose plans (large)" in lines
    assert room.records()[0]["id"] in lines[-1]


def test_the_record_tells_what_came_of_each_paragraph(room: Command, draft: Path):
    assert room("review", draft).exit_code == 0
    (record,) = room.records()
    assert record["system"] == "focused_feedback"
    results = record["results"]
    assert results["paragraphs"] == 2
    (comment,) = results["comments"]
    assert comment == {
        "id": "c-p3",
        "paragraph": "p3",
        "label": "Empirical and Theoretical Soundness",
        "quote": QUOTE,
        "verdict": "kept",
    }
    assert {review["paragraph"]: review["outcome"] for review in results["reviews"]} == {
        "p2": "nothing worth raising",
        "p3": "comment",
    }
    assert [(review["asked"], review["answered"]) for review in results["reviews"]] == [(1, 1), (1, 1)]
    ranked = [
        [{"number": plan["number"], "score": plan["score"]} for plan in review["plans"]]
        for review in result_of(room)["reviews"]
    ]
    assert [review["plans"] for review in results["reviews"]] == ranked
    assert all(ranked)
    assert results["findings"] == 0
    assert sum(part["calls"] for part in record["usage"]) == len(room.endpoint.chat_requests)
    assert {part["round"] for part in record["usage"]} == {2, 3}


def test_a_paragraph_that_failed_is_on_record_and_the_others_go_on(room: Command, draft: Path):
    room.endpoint.answer = Script(
        [When(Text("I would rather not."), schema="ProposedPlan", prompt=CLAIM[:40])], otherwise=TwoMinds()
    )
    result = room("review", draft)
    assert result.exit_code == 0, result.output
    assert "p3: failed: planner: " in result.stderr.replace("Results, ", "")
    outcomes = {item["paragraph"]: item["outcome"] for item in room.records()[0]["results"]["reviews"]}
    assert outcomes == {"p2": "nothing worth raising", "p3": "failed"}


def test_runs_and_show_tell_of_a_review(room: Command, draft: Path):
    room("review", draft)
    (record,) = room.records()
    row = next(line for line in room("runs").stdout.splitlines() if record["id"] in line)
    assert row.split()[1:6] == ["review", "cress.md", "done", "1", "comment"]
    shown = room("show", "last").stdout
    assert f"Paper: cress.md (markdown, whole, {record['input']['paper']['words']} words)" in shown
    assert "Paragraph 3 (Results, p3): comment" in shown
    assert PAPER_QUESTION in shown
    assert "Paragraph 2 (Methods, p2)" not in room("show", "last", "--round", "3").stdout


# Which paragraphs


@pytest.mark.parametrize(
    "flags",
    [ONE, ["--paragraph", "p3"], ["--section", "result"], ["--text", CLAIM]],
    ids=["number", "id", "section", "text"],
)
def test_one_paragraph(room: Command, draft: Path, flags: list[str]):
    assert room("review", draft, *flags).exit_code == 0
    assert reviewed(room) == ["p3"]


def test_a_part_of_a_paragraph(room: Command, draft: Path):
    part = "Tea therefore makes seedlings grow, and gardeners should use it in place of fertiliser."
    assert room("review", draft, "--text", part).exit_code == 0
    (comment,) = result_of(room)["comments"]
    assert (comment["paragraph"], comment["start"]) == ("p3", 0)
    assert f"# The paragraph\n\n{part[:-1]}" in room.endpoint.chat_requests[-1].text


def test_a_text_that_the_paper_does_not_hold(room: Command, draft: Path):
    assert room("review", draft, "--text", "Something that the paper does not say at all.").exit_code == 0
    assert reviewed(room) == ["text"]


def test_a_text_from_standard_input(room: Command, draft: Path):
    assert room("review", draft, "--text", "-", stdin=CLAIM.encode()).exit_code == 0
    assert reviewed(room) == ["p3"]


def test_shorter_paragraphs_are_left_out(room: Command, draft: Path):
    assert room("review", draft, "--min-words", "5").exit_code == 0
    assert sorted(reviewed(room)) == ["p1", "p2", "p3"]


# Settings


def test_flags_decide_over_variables(room: Command, draft: Path, tmp_path: Path):
    studies = tmp_path / "studies"
    studies.mkdir()
    flags = ["--execution", "sequential", "--plans", "1", "--no-rerank", "--max-questions", "1", "--max-rewrites", "0"]
    more = ["--retrieval", "bm25", "--passages", "2", "--literature", studies, "--no-pause", "--extensions", "quotes"]
    rest = ["--min-words", "30", "--max-comments", "3", "--max-pages", "9", "--model", "small"]
    other = room.with_variables({"DRAFTROOM_FEEDBACK__PASSAGES": "7", "DRAFTROOM_FEEDBACK__SEGMENT_CHARACTERS": "900"})
    assert other("review", draft, *ONE, *flags, *more, *rest).exit_code == 0
    settings = room.records()[0]["settings"]
    literature = settings["feedback"]["literature"]
    assert (literature["providers"], literature["folder"]) == (["folder"], str(studies.resolve()))
    chosen = {"extensions": ["quotes"], "plans": 1, "rerank": False, "execution": "sequential", "max_questions": 1}
    chosen |= {"max_rewrites": 0, "retrieval": "bm25", "passages": 2, "segment_characters": 900, "pause": False}
    chosen |= {"min_words": 30, "max_comments": 3, "max_pages": 9}
    assert settings["feedback"].items() >= chosen.items()
    assert {model["model"] for model in settings["models"].values()} == {"small"}
    assert set(asked(room)) == {"ProposedPlan", "StepDecision", "PassageAnswer", "Review"}


def test_the_preset_paper_says_what_is_not_as_published(room: Command, draft: Path, tmp_path: Path):
    page = tmp_path / "result.md"
    told = room(
        "review", draft, *ONE, "--preset", "paper", "--model", "large", "--retrieval", "bm25", "-o", page
    ).stderr
    listed = result_of(room)["not_as_published"]
    assert listed[0] == "The agents are played by large, in the paper by GPT-4."
    assert "These settings are not the preset's: retrieval = bm25." in listed
    markdown = page.read_text(encoding="utf-8")
    for sentence in listed:
        assert sentence in " ".join(told.split())
        assert markdown.count(sentence) == 1


@pytest.mark.parametrize(
    ("variant", "system", "roles"),
    [
        ("full", "focused_feedback", {"planner", "investigator", "reviewer"}),
        ("single", "single_model", {"reviewer"}),
        ("cove", "chain_of_verification", {"planner", "investigator", "verifier", "reviewer"}),
    ],
)
def test_variants(room: Command, draft: Path, variant: str, system: str, roles: set[str]):
    room.endpoint.answer = Room(Review=[{**REVIEW, "evidence": []}])
    result = room("review", draft, *ONE, "--variant", variant)
    assert result.exit_code == 0, result.output
    (record,) = room.records()
    assert record["system"] == system
    assert {part["role"] for part in record["usage"]} == roles
    assert QUOTE in result.stdout
    assert room("resume", "last").stdout == result.stdout


# The extra


def test_without_the_extra_a_review_is_refused_before_anything_is_paid_for(room: Command, draft: Path):
    result = run_without("chromadb", room, "review", draft)
    assert result.returncode == EXIT_CODES["bad_settings"]
    assert result.stderr.splitlines() == [
        "The review of papers is not installed (chromadb is missing): pip install 'draftroom[review]'; in the folder "
        "of the project also: make develop."
    ]
    assert room.endpoint.requests == []
    assert room.records() == []


def test_an_embedding_endpoint_that_is_down_can_be_mended(room: Command, draft: Path):
    with FakeEndpoint() as embedder:
        address = embedder.base_url
    broken = room.with_variables({"DRAFTROOM_FEEDBACK__EMBEDDING__BASE_URL": address})
    result = broken("review", draft, *ONE)
    assert result.exit_code == EXIT_CODES["retrieval_failed"]
    assert address in result.stderr
    assert f"draftroom resume {broken.records()[0]['id']}" in result.stderr
