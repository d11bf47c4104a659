"""`draftroom eval whole_paper`: places and comments of reviewers, found again by one call, a screening and a review."""

from __future__ import annotations

import json
from math import comb
from pathlib import Path
from typing import Any

import pytest

from runs.jobs import read_json_lines
from tests.draftroom.conftest import Command
from tests.draftroom.test_screening import BODY, INVENTED, LONG, SUMMARY, raised
from tests.fake_endpoint import Json, RecordedRequest, Reply, Status
from tests.support.corpus_files import write_lines
from tests.support.review_room import REVIEW, Room, as_asked, prompts

LABEL = "Substance"
COMMENTS = [{"quote": f"Trial T{number}x was run by two", "comment": "Is there no control?"} for number in (3, 20, 41)]
"""What reviewers say of the third, the twentieth and the forty-first of sixty trials."""


def found(number: int) -> dict[str, str]:
    return {"quote": f"Trial T{number}x was run", "problem": "No control.", "label": LABEL, "suggestion": "Add one."}


class Team(Room):
    """One call comments on the third trial; the screener suspects the 22nd, and the judge finds one comment again."""

    def __call__(self, request: RecordedRequest) -> Reply:
        if request.schema_name == "WholePaperReview":
            others = [{**found(3), "quote": INVENTED}, *(found(number) for number in range(50, 62))]
            return Json({"assessment": "It claims a cause.", "comments": [found(3), *others]})
        if request.schema_name == "RaisedSuspicions":
            here = [raised("Trial T22x was run")] if "Trial T22x" in request.text else []
            return Json({"assessment": "It claims a cause.", "suspicions": here})
        if request.schema_name == "Matches":
            same = {"e1": "c1"} if "“Trial T3x was run” No control. Add one." in request.text else {}
            names = ("e1", "e2", "e3")
            return Json({name: {"explanation": "", "same_as": same.get(name, "none")} for name in names})
        if request.schema_name == "Review" and request.schema:
            return Json(as_asked({**REVIEW, "quote": "Trial T22x was run", "evidence": []}, request))
        return super().__call__(request)


@pytest.fixture
def evaluation(draftroom: Command, tmp_path: Path) -> Command:
    """The command with a judge, and a corpus of one long paper."""
    draftroom.endpoint.answer = Team(PaperSummary=[SUMMARY])
    write_lines(tmp_path / "papers.jsonl", [{"id": "tea", "paper": LONG, "comments": COMMENTS}])
    judge = {"DRAFTROOM_MODELS__JUDGE__MODEL": "large", "DRAFTROOM_FEEDBACK__PLANS": "1"}
    return draftroom.with_variables({**judge, "DRAFTROOM_FEEDBACK__UNDIVIDED_WORDS": "8000"})


def figures(run: Path) -> dict[str, dict[str, Any]]:
    """The figures of each row, without intervals."""
    [table] = json.loads((run / "scores.json").read_text())["tables"]
    rows = {row["row"]: row["figures"] for row in table["rows"]}
    return {row: {name: round(cell["value"], 1) for name, cell in cells.items()} for row, cells in rows.items()}


def test_places_and_comments_are_found_again(evaluation: Command, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shown = evaluation("eval", "whole_paper", tmp_path / "papers.jsonl", "--out", run)
    assert shown.exit_code == 0, shown.output
    rows = figures(run)
    # 1. One call has as many comments as a screening has paragraphs; the second quotes nothing, and is left out.
    names = ("within 3", "exact", "judged", "comments")
    assert [rows["one-call"][name] for name in names] == [33.3, 33.3, 33.3, 11]
    # 2. The screener suspects a neighbour of the twentieth trial, of which the team makes a comment.
    for row in ("screener", "review"):
        assert [rows[row][name] for name in names] == [33.3, 0, 0, 1]
    calls = {each["system"]: len(each["output"]["calls"]) for each in read_json_lines(run / "outputs.jsonl")}
    assert calls["one-call"] == 1
    assert calls["screener"] == 1 < calls["review"], "as long a paper as is screened in one call"
    # 3. What 12 of 60 drawn by lot find: the exact expectation, and a draw.
    assert [rows["longest"][name] for name in ("exact", "exact by lot")] == [33.3, 20]
    missed = sum(comb(60 - near, 12) / comb(60, 12) for near in (6, 7, 7)) / 3
    assert rows["longest"]["within 3 by lot"] == pytest.approx(100 * (1 - missed), abs=0.1)
    [drawn] = [each for each in read_json_lines(run / "outputs.jsonl") if each["system"] == "by-lot"]
    assert len(drawn["output"]["targets"]) == len(drawn["output"]["reviews"]) == 12
    told = [
        text for name in ("WholePaperReview", "ProposedPlan", "Review") for text in prompts(evaluation.endpoint, name)
    ]
    assert not any("Is there no control?" in text for text in told)


def test_a_judge_that_failed_is_asked_again_alone(evaluation: Command, tmp_path: Path) -> None:
    run, team, endpoint = tmp_path / "run", evaluation.endpoint.answer, evaluation.endpoint
    endpoint.answer = lambda request: Status(503) if request.schema_name == "Matches" else team(request)
    evaluation("eval", "whole_paper", tmp_path / "papers.jsonl", "--rows", "one-call", "--out", run)
    endpoint.answer = team
    shown = evaluation("eval", "resume", run)
    assert shown.exit_code == 0, shown.output
    assert figures(run)["one-call"]["judged"] == 33.3
    assert len(prompts(endpoint, "WholePaperReview")) == 1


def test_paragraphs_are_counted_as_the_benchmark_counts_them(evaluation: Command, tmp_path: Path) -> None:
    """Headings and formulas belong to the next block, and papers that are kept for measuring are left out."""
    text = f"# Tea\n\n$$ a_{{1}} = b $$\n\n{BODY}\n\n## Results\n\n{BODY.replace('conclude', 'infer')}\n\nEnd."
    comment = {"title": "Why?", "quote": "$a_{1}$", "message": "Nothing shows it.", "paragraph_index": 1}
    record = {"title": "Tea", "document_content": text, "comments": [comment]}
    slugs = ("chaotic-balanced-state", "coset-codes")
    write_lines(tmp_path / "benchmark.jsonl", [{"slug": slug, **record} for slug in slugs])
    evaluation("eval", "whole_paper", tmp_path / "benchmark.jsonl", "--rows", "longest", "--out", tmp_path / "run")
    [sample] = read_json_lines(tmp_path / "run" / "samples.jsonl")
    assert (sample["id"], sample["corpus"], sample["expected"][0]["place"]) == (slugs[0], "OpenAIReview", 1)
    assert [*sample["places"].values()] == [0, 1, 1]
