"""An endpoint that fails a fifth of its calls, in one way a run: the run completes, or stops with a sentence."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Any

import pytest

from tests.draftroom.conftest import Command
from tests.fake_endpoint import (
    Answer,
    CutStream,
    Drop,
    Hang,
    Json,
    NoChoice,
    NotJson,
    RecordedRequest,
    Reply,
    Status,
    Text,
    Truncated,
)
from tests.faults.conftest import SHORT, Count
from tests.support.killing import CASES, Case, record_of

pytestmark = pytest.mark.faults
RUNS = 1 if SHORT else 3
MOST_RESUMES = 30
LONG = 5_000


def too_long(request: RecordedRequest, proper: Reply) -> Reply:
    """The proper answer with each of its texts 5,000 characters long."""

    def longer(value: Any) -> Any:
        if isinstance(value, str):
            return (value + " ") * (LONG // (len(value) + 1) + 1)
        if isinstance(value, list):
            return [longer(each) for each in value]
        return {key: longer(each) for key, each in value.items()} if isinstance(value, dict) else value

    content = proper.content if isinstance(proper, Text) else ""
    return Json(longer(json.loads(content))) if content.startswith("{") else Text(longer(content))


FAULTS: dict[str, Callable[[RecordedRequest, Reply], Reply]] = {
    "429 with Retry-After": lambda *_: Status(429, headers={"retry-after": "0"}),
    "429 with a long Retry-After": lambda *_: Status(429, headers={"retry-after": "3600"}),
    "500": lambda *_: Status(500),
    "reset": lambda *_: Drop(),
    "reset in mid-stream": lambda *_: CutStream('{"article": "Once upon a time there', after_chunks=3),
    "ends unfinished": lambda *_: CutStream('{"article": "Once', unfinished=True),
    "silence": lambda *_: Hang(),
    "truncation": lambda *_: Truncated('{"article": "Once upon a time there was'),
    "garbage": lambda *_: Text("\x00\ufffd}{][ ½ lorem"),
    "HTML": lambda *_: NotJson(),
    "HTML with 502": lambda *_: NotJson(code=502),
    "empty choices": lambda *_: NoChoice(),
    "wrong schema": lambda *_: Json({"colour": ["blue", {"of": None}], "number": -1}),
    "5,000-character fields": too_long,
}


class Flaky:
    """Answers as another does, but for a fifth of the calls, chosen by chance."""

    def __init__(self, answer: Answer, fault: Callable[[RecordedRequest, Reply], Reply], seed: str) -> None:
        self._answer, self._fault, self._chance = answer, fault, random.Random(seed)
        self._lock = Lock()
        self.faults = 0

    def __call__(self, request: RecordedRequest) -> Reply:
        with self._lock:
            proper = self._answer(request)
            if self._chance.random() >= 0.2:
                return proper
            self.faults += 1
            return self._fault(request, proper)


def one_sentence(stderr: str) -> bool:
    """Whether a person was told what happened, and no more than that and how to go on."""
    told = " ".join(stderr.split())
    return bool(told) and "Traceback" not in told and told.count(". ") <= 4


@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", ["explain", "simplify", "review at once"])
def test_a_fifth_of_the_calls_fails(name: str, store: str, draftroom: Command, tmp_path: Path, count: Count) -> None:
    case, came = CASES[name], Counter[str]()
    patience = {"RETRIES": "2", "RETRY_WAIT_S": "0", "TIMEOUT_S": "1"}
    command = draftroom.with_variables(
        {
            **case.settings,
            "DRAFTROOM_CHECKPOINTS": store,
            **{f"DRAFTROOM_MODELS__DEFAULT__{field}": value for field, value in patience.items()},
        }
    )
    for kind, fault in FAULTS.items():
        for seed in range(RUNS):
            came += ended(case, command, Flaky(case.answer(), fault, f"{kind} {seed}"), tmp_path, kind)
    draftroom.endpoint.release()
    figures = (
        f"{came['runs']} runs, {came['faults']} faults: {came['completed']} completed at once, "
        f"{came['stopped']} stopped, {came['stops']} times with a sentence, and went on to their end"
        + (f" ({came['anew']} times begun anew, as the sentence says)" if came["anew"] else "")
    )
    count("20 % of calls fail, in 14 ways", f"{name}, {store.partition(':')[0]}", figures)


def ended(case: Case, command: Command, answer: Flaky, tmp_path: Path, kind: str) -> Counter[str]:
    """Run a case until it is done, and count what happened on the way."""
    command.endpoint.answer = answer
    begin = [*case.command, tmp_path / record_of(case.system, tmp_path)["input"]["name"], "--quiet"]
    result = command(*begin)
    stops = anew = 0
    while result.exit_code:
        assert isinstance(result.exception, SystemExit), (kind, result.exception)
        assert one_sentence(result.stderr), (kind, result.stderr)
        stops += 1
        assert stops < MOST_RESUMES, (kind, result.stderr)
        useless = "begin a new run" in result.stderr  # no answer of the run was of use, so that going on would not help
        anew += useless
        result = command(*begin) if useless else command("resume", "last", "--quiet")
    assert result.stdout.strip(), kind
    return Counter(runs=1, faults=answer.faults, completed=stops == 0, stopped=stops > 0, stops=stops, anew=anew)
