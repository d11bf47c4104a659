"""An evaluation that is killed in the middle of a sample goes on there, and repeats no finished call."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

from tests.fake_endpoint import FakeEndpoint
from tests.graphs.society import ABSTRACT, Society
from tools.jobs import read_records

ROOT = Path(__file__).parents[2]
FINISHED = 3
"""Calls before the kill."""


def begin(folder: Path, endpoint: FakeEndpoint) -> subprocess.Popen[bytes]:
    sample = {"id": "one", "source": ABSTRACT, "target": "Use your inhaler every day."}
    (folder / "corpus.jsonl").write_text(json.dumps(sample) + "\n", encoding="utf-8")
    environment = {
        **os.environ,
        "DRAFTROOM_MODELS__DEFAULT__BASE_URL": endpoint.base_url,
        "DRAFTROOM_MODELS__DEFAULT__MODEL": "large",
        "DRAFTROOM_HOME": str(folder / "home"),
    }
    command = [sys.executable, "-m", "evals.medical_simplification", str(folder / "corpus.jsonl")]
    command += ["--rows", "layperson", "--out", str(folder / "results.jsonl")]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)


def test_it_goes_on_in_the_middle_of_a_sample(tmp_path: Path) -> None:
    with FakeEndpoint(answer=Society()) as endpoint:
        endpoint.hold_after(FINISHED)
        process = begin(tmp_path, endpoint)
        endpoint.wait_for_requests(FINISHED + 1, timeout_s=60)
        os.kill(process.pid, signal.SIGKILL)
        process.wait(30)
        endpoint.release()
        assert begin(tmp_path, endpoint).wait(120) == 0
        answered = Counter(request.text for request in endpoint.chat_requests if request.finished)
        assert set(answered.values()) == {1}
        (result,) = read_records(tmp_path / "results.jsonl")
        assert len(result["calls"]) == sum(answered.values())
    assert [exchange["loop"] for exchange in result["history"]] == ["layperson"] * 3
