"""Which pairs are evaluated, and the whole evaluation against the fake endpoint."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from evals.focused_feedback import paper_text
from tests.fake_endpoint import FakeEndpoint, RecordedRequest, Reply, Status
from tests.graphs.review_room import CLAIM, METHODS, PAPER_QUESTION, REVIEW, Room
from tools.jobs import read_records

ROOT = Path(__file__).parents[2]

PAPERS: list[dict[str, Any]] = [
    {
        "paper_id": name,
        "title": f"Cold tea and the growth of {name}",
        "abstract": "It grows taller.",
        "sections": [
            {"heading": "Methods", "paragraphs": [{"id": "1", "text": METHODS}]},
            {"heading": "Results", "paragraphs": [{"id": "2", "text": CLAIM}]},
        ],
    }
    for name in ("cress", "radish")
]


CONSISTENT = {"explanation": "It is so.", "verdict": "consistent"}
UNCITED = {**REVIEW, "evidence": []}
"""A review that also the single model, which has no evidence, can give."""


def pair(name: str, paper: str, *, split: str = "dev", feedback: str | None = "Six trays are few.") -> dict[str, Any]:
    """A pair on the paragraph that claims too much."""
    return {"id": name, "paper_id": paper, "paragraph": CLAIM, "split": split, "feedback": feedback}


PAIRS = [pair("one", "cress"), pair("two", "radish"), pair("none", "radish", feedback=None)]


def test_a_paper_is_markdown_with_its_abstract_once() -> None:
    text = paper_text(PAPERS[0])
    assert text.startswith("# Cold tea and the growth of cress\n\n## Abstract\n\nIt grows taller.\n\n## Methods\n\nWe ")
    own = {"heading": "Abstract", "paragraphs": [{"text": "It\ngrows taller."}]}
    assert paper_text({**PAPERS[0], "sections": [own]}).count("It grows taller.") == 1


async def evaluate(
    folder: Path, endpoint: FakeEndpoint, *flags: str, papers: list[dict[str, Any]] = PAPERS
) -> tuple[int, str]:
    """Run the evaluation as a person does; its exit code and what it printed."""
    for name, records in (("pairs", PAIRS), ("papers", papers)):
        (folder / f"{name}.jsonl").write_text("".join(f"{json.dumps(each)}\n" for each in records), encoding="utf-8")
    settings = {
        "MODELS__DEFAULT__BASE_URL": endpoint.base_url,
        "MODELS__DEFAULT__MODEL": "large",
        "MODELS__DEFAULT__RETRY_WAIT_S": "0",
        "MODELS__DEFAULT__TIMEOUT_S": "20",
        "FEEDBACK__EMBEDDING__BASE_URL": endpoint.base_url,
        "FEEDBACK__EMBEDDING__MODEL": "large",
        "HOME": str(folder / "home"),
    }
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "evals.focused_feedback", str(folder / "pairs.jsonl")),
        *("--papers", str(folder / "papers.jsonl"), "--out", str(folder / "results.jsonl"), *flags),
        cwd=ROOT,
        env={**os.environ, **{f"DRAFTROOM_{name}": value for name, value in settings.items()}},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    printed, _ = await process.communicate()
    return process.returncode or 0, printed.decode()


async def test_every_row_runs_on_the_paragraph_of_its_paper(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Room(Review=[UNCITED], CrossCheck=[CONSISTENT])
    rows = "single,cove,sequential,parallel,no-reranking"
    code, printed = await evaluate(tmp_path, fake_endpoint, "--rows", rows, "--limit", "1")
    assert code == 0, printed
    results = {each["row"]: each for each in read_records(tmp_path / "results.jsonl")}
    assert set(results) == set(rows.split(","))
    for row, result in results.items():
        (review,) = result["reviews"]
        assert review["section"] == "Results"
        assert review["outcome"] == "comment"
        assert result["calls"]
        assert result["wall_s"] > 0
        assert f"\n| {row} | 1 | 100.00 | 1 | 0 | 0 | 0 | 100.00 |" in printed
    asked = {row: [step["step"]["question"] for step in each["reviews"][0]["log"]] for row, each in results.items()}
    assert asked["single"] == []
    assert asked["sequential"] == asked["parallel"] == asked["no-reranking"] == [PAPER_QUESTION]
    roles = {row: {call["role"] for call in each["calls"]} for row, each in results.items()}
    assert roles["single"] == {"reviewer"}
    assert "controller" in roles["sequential"]
    assert "parallel less single" in printed


class RefuseRadish(Room):
    """A fault for one paper only; the reviewer does not see the title, so the planner has to fail."""

    def __call__(self, request: RecordedRequest) -> Reply:
        return Status(400, "no radish here") if "radish" in request.text else super().__call__(request)


async def test_the_evaluation_goes_on_where_it_stopped(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = RefuseRadish(Review=[UNCITED])
    code, printed = await evaluate(tmp_path, fake_endpoint, "--rows", "single,parallel")
    assert code == 0, printed
    assert printed.count(" ok\n") == 3
    assert "failed: two parallel: bad_settings" in printed
    first = read_records(tmp_path / "results.jsonl")

    fake_endpoint.answer = Room(Review=[UNCITED])
    code, printed = await evaluate(tmp_path, fake_endpoint, "--rows", "single,parallel")
    assert code == 0, printed
    assert "failed" not in printed
    later = read_records(tmp_path / "results.jsonl")[len(first) :]
    assert [(each["id"], each["row"]) for each in later] == [("two", "parallel")]


async def test_a_paper_that_is_not_there_is_named(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    code, printed = await evaluate(tmp_path, fake_endpoint, papers=PAPERS[:1])
    assert code == 1
    assert printed == f"{tmp_path / 'papers.jsonl'} lacks papers of the pairs: radish.\n"
    assert fake_endpoint.chat_requests == []


async def test_an_unknown_row_is_refused(tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    code, printed = await evaluate(tmp_path, fake_endpoint, "--rows", "single,oracle")
    assert code == 2
    assert "oracle is none of the rows: choose from single, cove, sequential, parallel, no-reranking." in printed
    assert fake_endpoint.chat_requests == []
