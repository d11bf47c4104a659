"""A budget stops a run at a safe point, counts all resumes together, and loses nothing."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from draftroom.exit_codes import STOPPED
from tests.draftroom.conftest import Command
from tests.draftroom.test_stopping import ROUND, asked


def test_a_run_stops_once_its_calls_are_used_up_and_goes_on_with_more(draftroom: Command, paper: Path):
    stopped = draftroom("explain", paper, "--max-calls", "2")
    (record,) = draftroom.records()
    assert (stopped.exit_code, record["status"]) == (STOPPED, "stopped")
    assert asked(draftroom) == ROUND[:2]
    sentence = (
        "The run has used 2 calls of the 2 that --max-calls allows; "
        f"to go on: draftroom resume {record['id']} --max-calls MORE"
    )
    assert sentence in " ".join(stopped.stderr.split())
    assert "Stopped." not in stopped.stderr

    again = draftroom("resume", "last", "--max-calls", "2")
    assert (again.exit_code, asked(draftroom)) == (STOPPED, ROUND[:2]), "all resumes count together"
    assert draftroom("resume", "last", "--max-calls", "3").exit_code == STOPPED
    assert draftroom("resume", "last").exit_code == 0
    assert asked(draftroom) == ROUND, "every call was made once"


def test_a_run_stops_once_its_tokens_are_used_up(draftroom: Command, paper: Path):
    stopped = draftroom("explain", paper, "--max-tokens", "1")
    assert stopped.exit_code == STOPPED
    assert "--max-tokens allows" in " ".join(stopped.stderr.split())
    assert len(asked(draftroom)) < len(ROUND)


@pytest.fixture
def short(room: Command) -> Command:
    """The command whose simplifications go through each loop once."""
    return room.with_variables({"DRAFTROOM_SIMPLIFICATION__ENTRIES": "1"})


@pytest.mark.parametrize("command", ["explain", "simplify", "review"])
def test_every_system_stops_before_the_first_call_too_many_and_loses_no_answer(
    short: Command, draft: Path, command: str
):
    assert short(command, draft).exit_code == 0
    whole = asked(short)
    stopped = short(command, draft, "--max-calls", str(len(whole) // 2))
    assert (stopped.exit_code, short.records()[-1]["status"]) == (STOPPED, "stopped")
    assert "--max-calls allows" in " ".join(stopped.stderr.split())
    assert len(asked(short)) - len(whole) == len(whole) // 2

    assert short("resume", "last", "--max-calls", str(len(whole))).exit_code == 0
    assert Counter(asked(short)[len(whole) :]) == Counter(whole), "every call was made once"
