"""A review that is stopped, fails, or waits for a person goes on where it was, and pays for nothing twice."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from draftroom.exit_codes import EXIT_CODES, PAUSED, STOPPED
from runs.signals import STOPPING_MESSAGE
from tests.draftroom.conftest import Command
from tests.draftroom.review_command import TwoMinds, asked, result_of, reviewed
from tests.draftroom.test_stopping import read_until
from tests.fake_endpoint import Script, Status, Text, When
from tests.support.review_room import CLAIM, METHODS, PAPER_QUESTION

ONE = ["--paragraph", "3"]


def paid(record: dict[str, Any]) -> int:
    """Calls on record."""
    return sum(part["calls"] for part in record["usage"])


def answered(draftroom: Command) -> int:
    return sum(request.finished for request in draftroom.endpoint.chat_requests)


def test_a_review_without_any_usable_answer_is_not_said_to_go_on(room: Command, draft: Path):
    room.endpoint.answer = lambda _: Text("I would rather not.")
    result = room("review", draft)
    assert result.exit_code == EXIT_CODES["model_output"]
    assert "begin a new run" in result.stderr
    assert "draftroom resume" not in result.stderr


def test_a_review_names_a_paragraph_whose_requests_fail_each_time(room: Command, draft: Path):
    room.endpoint.answer = Script([When(Status(500, "The engine died."), prompt=METHODS[:40])], otherwise=TwoMinds())
    assert room("review", draft).exit_code == 0
    assert sorted(reviewed(room)) == ["p2", "p3"]
    assert "answered with status 500: “The engine died.”, but answers other requests" in room("show", "last").stdout


def test_a_review_that_failed_asks_again_for_nothing_on_record(room: Command, draft: Path):
    """The answer to another paragraph that was on its way, or read and not stored yet, is lost and asked for again."""
    assert room("review", draft).exit_code == 0
    whole = asked(room)
    fault = When(Status(503), schema="Review", prompt=CLAIM[:40], times=1)
    room.endpoint.answer = Script([fault], otherwise=TwoMinds())
    assert room("review", draft).exit_code == EXIT_CODES["endpoint_down"]
    missing = len(whole) - paid(room.records()[-1])
    before = len(asked(room))

    result = room("resume", "last")
    assert result.exit_code == 0, result.output
    assert sorted(reviewed(room)) == ["p2", "p3"]
    assert 1 <= len(asked(room)) - before <= missing
    assert paid(room.records()[-1]) == len(whole)


def test_a_signal_lets_the_calls_of_all_paragraphs_finish(room: Command, draft: Path):
    assert room("review", draft).exit_code == 0
    whole = asked(room)
    room.endpoint.hold_after(len(whole) + 2)
    with room.start("review", draft) as process:
        room.endpoint.wait_for_requests(len(whole) + 4, timeout_s=300)  # a call of each paragraph is held
        process.send_signal(signal.SIGINT)
        read_until(process, STOPPING_MESSAGE)
        room.endpoint.release()
        _, stderr = process.communicate(timeout=120)
    record = room.records()[-1]
    assert process.returncode == STOPPED, stderr
    assert "Traceback" not in stderr
    assert record["status"] == "stopped"
    assert {part["round"] for part in record["usage"]} == {2, 3}
    assert paid(record) == answered(room) - len(whole) == 4

    assert room("resume", "last").exit_code == 0
    assert sorted(reviewed(room)) == ["p2", "p3"]
    assert Counter(asked(room)[len(whole) :]) == Counter(whole), "every call was made once"
    assert paid(room.records()[-1]) == len(whole)


def test_a_review_that_is_killed_shows_how_far_it_was(room: Command, draft: Path):
    room.endpoint.hold_after(2)
    with room.start("review", draft) as process:
        room.endpoint.wait_for_requests(4, timeout_s=300)
        process.kill()
    assert "interrupted" in room("runs").stdout
    shown = room("show", "last")
    assert shown.exit_code == 0
    assert "Paragraph 2 (Methods, p2): not reviewed yet" in shown.stdout
    assert paid(room.records()[0]) == 2
    room.endpoint.release()
    assert room("resume", "last").exit_code == 0
    assert sorted(reviewed(room)) == ["p2", "p3"]


class TestPause:
    @pytest.fixture
    def paused(self, room: Command, draft: Path) -> str:
        result = room("review", draft, *ONE, "--pause")
        assert result.exit_code == PAUSED, result.output
        return result.stderr

    def test_the_run_waits_and_tells_its_questions(self, room: Command, paused: str):
        (record,) = room.records()
        assert record["status"] == "paused"
        assert paid(record) == 1
        assert CLAIM[:40] in paused
        assert f"  1. paper: {PAPER_QUESTION}" in paused
        assert f"Paused. To accept these questions: draftroom resume {record['id']} --accept" in paused
        assert f"one question a line: draftroom resume {record['id']} --advice FILE" in paused

    def test_questions_from_a_file_replace_them(self, room: Command, paused: str, tmp_path: Path):
        own = tmp_path / "questions.txt"
        own.write_text("# mine\npaper: How was the height of the seedlings measured?\n", encoding="utf-8")
        assert room("resume", "last", "--advice", own).exit_code == 0
        (review,) = result_of(room)["reviews"]
        assert [(record["step"]["question"], record["step"]["origin"]) for record in review["log"]] == [
            ("How was the height of the seedlings measured?", "person")
        ]


@pytest.mark.parametrize("variant", ["single", "cove"])
def test_a_baseline_never_pauses(room: Command, draft: Path, variant: str):
    assert room("review", draft, "--variant", variant, "--pause").exit_code == 0
    assert room("resume", "last", "--accept").exit_code == EXIT_CODES["bad_request"]
