"""`draftroom eval --engine ray`: what it leaves and asks is what one process leaves and asks (`make test-faults`)."""

from __future__ import annotations

import json
import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from draftroom.exit_codes import STOPPED
from runs.signals import STOPPING_MESSAGE
from tests.draftroom.conftest import Command
from tests.draftroom.test_stopping import read_until
from tests.fake_endpoint import FakeEndpoint
from tests.support.corpus_files import write_lines
from tests.support.steps import step_of

pytestmark = [pytest.mark.faults, pytest.mark.timeout(600)]
pytest.importorskip("ray", reason="needs the extra `ray`")
RAY = ("--engine", "ray")
PLACES = ["Iceland", "Norway", "Chile", "Japan"]
SYSTEM = "full"
"""From which both rows are taken."""


def samples(tmp_path: Path) -> Path:
    abstract = "The moss of {} grew where it was wet, and did not grow where it was dry. It was measured for two years."
    texts = [{"id": place, "abstract": abstract.format(place), "summary": f"Moss of {place}."} for place in PLACES]
    return write_lines(tmp_path / "moss.jsonl", texts)


def evaluation(data: Path, out: Path, *more: str) -> tuple[str | Path, ...]:
    return ("eval", "science_journalism", data, "--rows", "single,loop", "--out", out, "--quiet", *more)


@pytest.fixture
def alone(draftroom: Command) -> Command:
    """The command with a cluster that it starts itself."""
    return draftroom.with_variables({"RAY_ADDRESS": "local"})


@pytest.fixture
def asked_here(draftroom: Command, tmp_path: Path) -> Counter[str]:
    """The calls that one process makes for the same evaluation, by what is asked for."""
    with draftroom.start(*evaluation(samples(tmp_path), tmp_path / "here")) as process:
        _, stderr = process.communicate(timeout=200)
    assert process.returncode == 0, stderr
    return asked(draftroom.endpoint)


def asked(endpoint: FakeEndpoint) -> Counter[str]:
    return Counter(step_of(request) for request in endpoint.chat_requests if request.finished)


def outputs(out: Path) -> list[dict[str, Any]]:
    lines = (out / "outputs.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def assert_whole(out: Path) -> None:
    """The system has left one output for each sample, and there are reports."""
    assert Counter((output["id"], output["system"]) for output in outputs(out)) == {
        (place, SYSTEM): 1 for place in PLACES
    }
    assert not [output for output in outputs(out) if "error" in output]
    assert (out / "report.md").exists()


def test_a_run_that_is_stopped_on_ray_goes_on_in_one_process(
    alone: Command, tmp_path: Path, asked_here: Counter[str]
) -> None:
    endpoint, out = alone.endpoint, tmp_path / "there"
    before = len(endpoint.chat_requests)
    endpoint.hold_after(before + 5)
    with alone.start(*evaluation(samples(tmp_path), out, *RAY, "--concurrency", "2")) as process:
        endpoint.wait_for_requests(before + 7, timeout_s=200)
        process.send_signal(signal.SIGTERM)
        read_until(process, STOPPING_MESSAGE)
        endpoint.release()
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == STOPPED, stderr
    assert f"draftroom eval resume {out} --engine ray" in stderr.replace("\n", " ")
    with alone.start("eval", "resume", out, "--quiet") as process:
        _, stderr = process.communicate(timeout=300)
    assert process.returncode == 0, stderr
    assert_whole(out)
    assert asked(endpoint) - asked_here == asked_here
