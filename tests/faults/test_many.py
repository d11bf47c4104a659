"""Many runs at once in one process, and many processes on one store: none is lost, none is locked out."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import psutil
import pytest

from tests.draftroom.conftest import Command
from tests.fake_endpoint import Answer, fill
from tests.faults.conftest import SHORT, Count
from tests.support.killing import CASES, record_of
from tests.support.newsroom import PAPER
from tests.support.review_room import PAPER as DRAFT
from tests.support.review_room import Room, plan

pytestmark = pytest.mark.faults
RUNS = 20 if SHORT else 200
PROCESSES = 6 if SHORT else 30
TEXTS: dict[str, tuple[str, Answer]] = {
    "explain": (PAPER, fill),
    "review": (DRAFT, Room(ProposedPlan=[plan("What was the water like?", "How tall were they?")])),
}


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("verb", TEXTS)
def test_many_runs_at_once_in_one_process(
    verb: str, store: str, draftroom: Command, tmp_path: Path, count: Count
) -> None:
    text, draftroom.endpoint.answer = TEXTS[verb]
    papers, out = tmp_path / "papers", tmp_path / "out"
    papers.mkdir()
    for number in range(RUNS):
        (papers / f"{number:03}.md").write_text(f"{text}\n\nThis is copy {number} of the text.\n", encoding="utf-8")
    patient = {"DRAFTROOM_FEEDBACK__PLANS": "1", "DRAFTROOM_MODELS__DEFAULT__TIMEOUT_S": "600"}
    command = draftroom.with_variables({**patient, "DRAFTROOM_CHECKPOINTS": store})
    with command.start("batch", verb, papers, "--out", out, "--at-once", str(RUNS), "--quiet") as process:
        _, stderr = process.communicate(timeout=1200)
    assert process.returncode == 0, stderr[-2000:]
    rows = [json.loads(line) for line in (out / "results.jsonl").read_text(encoding="utf-8").splitlines()]
    assert Counter(row["status"] for row in rows) == {"done": RUNS}
    assert len({row["id"] for row in rows}) == RUNS
    assert sum(row["calls"] for row in rows) == len(draftroom.endpoint.chat_requests), "none is asked twice"
    calls = len(draftroom.endpoint.chat_requests)
    count(f"{RUNS} runs at once", f"{verb}, {store.partition(':')[0]}", f"{RUNS} done, {calls} calls, none twice")


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["explain", "review at once"])
def test_many_processes_on_one_store(name: str, store: str, draftroom: Command, tmp_path: Path, count: Count) -> None:
    case = CASES[name]
    command = draftroom.with_variables({**case.settings, "DRAFTROOM_CHECKPOINTS": store})
    paper = tmp_path / record_of(case.system, tmp_path)["input"]["name"]
    draftroom.endpoint.answer = TEXTS[case.command[0]][1]
    processes = [command.start(*case.command, paper, "--quiet") for _ in range(PROCESSES)]
    outputs = [process.communicate(timeout=1200) for process in processes]
    assert [process.returncode for process in processes] == [0] * PROCESSES, {error[-500:] for _, error in outputs}
    assert Counter(record["status"] for record in command.records()) == {"done": PROCESSES}
    figures = f"{PROCESSES} done on {psutil.cpu_count()} processors, none locked out"
    count(f"{PROCESSES} processes on one store", f"{name}, {store.partition(':')[0]}", figures)
