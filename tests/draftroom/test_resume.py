from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES, PAUSED
from tests.draftroom.conftest import Command
from tests.draftroom.review_command import TwoMinds, result_of
from tests.fake_endpoint import Script, Status, Text, When
from tests.support.steps import asks, step_of


def test_a_finished_run_prints_its_result_again_without_a_call(draftroom: Command, paper: Path):
    first = draftroom("explain", paper)
    calls = len(draftroom.endpoint.requests)
    again = draftroom("resume", "last", "-o", paper.with_suffix(".html"))
    assert again.exit_code == 0
    assert again.stdout == first.stdout
    assert len(draftroom.endpoint.requests) == calls
    assert paper.with_suffix(".html").exists()
    assert draftroom.records()[0]["resumed"] == 0


def test_a_failed_run_goes_on_where_it_failed(draftroom: Command, paper: Path):
    draftroom.endpoint.answer = Script([When(Status(503), where=asks("advise"), times=1)])
    failed = draftroom("explain", paper)
    assert failed.exit_code == EXIT_CODES["endpoint_down"]
    assert draftroom.records()[0]["results"]["rounds"] == 0

    resumed = draftroom("resume", draftroom.records()[0]["id"])
    assert resumed.exit_code == 0
    steps = [step_of(request) for request in draftroom.endpoint.chat_requests]
    assert steps == ["write_draft", "take_notes", "advise", "advise", "revise_draft"]
    (record,) = draftroom.records()
    assert (record["status"], record["resumed"]) == ("done", 1)
    assert [failure["kind"] for failure in record["failures"]] == ["endpoint_down"]


def test_tokens_of_unusable_answers_are_accounted_for(draftroom: Command, paper: Path):
    draftroom.endpoint.answer = Script([When(Text("?"), where=asks("take_notes"), times=2)])
    failed = draftroom("explain", paper)
    assert failed.exit_code == EXIT_CODES["model_output"]
    assert "The reader (large) gave no usable answer in two tries" in " ".join(failed.stderr.split())
    reader = next(part for part in draftroom.records()[0]["usage"] if part["role"] == "reader")
    assert (reader["calls"], reader["reasks"]) == (2, 1)

    # The first answer is in the checkpoint, so only the re-ask is asked again: three answered calls in all.
    assert draftroom("resume", "last").exit_code == 0
    reader = next(part for part in draftroom.records()[0]["usage"] if part["role"] == "reader")
    assert (reader["calls"], reader["reasks"]) == (3, 2)
    asked = [request for request in draftroom.endpoint.chat_requests if step_of(request) == "take_notes"]
    assert len(asked) == 3


def test_with_a_seed_a_resumed_run_asks_for_another_answer(draftroom: Command, paper: Path):
    unusable, usable = Text("?"), draftroom.endpoint.answer
    draftroom.endpoint.answer = lambda request: unusable if request.body["seed"] == 7 else usable(request)
    assert draftroom.with_variables({"DRAFTROOM_MODELS__DEFAULT__SEED": "7"})("explain", paper).exit_code != 0
    assert draftroom("resume", "last").exit_code == 0
    first, reask, next_reask = (request.body["seed"] for request in draftroom.endpoint.chat_requests[:3])
    assert (first, reask, next_reask) == (7, 7, 8)


def test_settings_of_a_resumed_run_are_those_it_began_with(draftroom: Command, paper: Path):
    draftroom.endpoint.answer = Script([When(Status(503), times=1)])
    assert draftroom("explain", paper, "--audience", "teenager").exit_code == EXIT_CODES["endpoint_down"]
    other = draftroom.with_variables({"DRAFTROOM_JOURNALISM__AUDIENCE": "patient"})
    assert other("resume", "last").exit_code == 0
    assert draftroom.records()[0]["settings"]["journalism"]["audience"] == "teenager"
    assert "fifteen-year-old" in draftroom.endpoint.chat_requests[-1].text


@pytest.mark.parametrize(
    ("flags", "set_since"),
    [
        (["explain", "--audience", "teenager"], {"JOURNALISM__SEQUENCE_TO_SEQUENCE": "/bart"}),
        (["simplify", "--entries", "1"], {"SIMPLIFICATION__TARGET_GRADE": "8", "SIMPLIFICATION__MAX_WORDS": "90"}),
        (["review", "--paragraph", "3"], {"FEEDBACK__RERANKER": "/weights", "FEEDBACK__LITERATURE__FOLDER": "/papers"}),
    ],
    ids=["explain", "simplify", "review"],
)
def test_a_run_that_was_killed_before_its_first_step_begins_with_its_settings_also_those_set_to_nothing(
    room: Command, draft: Path, flags: list[str], set_since: dict[str, str]
):
    room.endpoint.answer = Script([When(Status(503), times=1)], otherwise=TwoMinds())
    assert room(*flags, draft).exit_code == EXIT_CODES["endpoint_down"]
    (room.home / "state" / "checkpoints.sqlite").unlink()
    since = {**set_since, "MODELS__DEFAULT__SEED": "7", "MODELS__DEFAULT__TOP_P": "0.5", "LIMITS__TERMS": "1"}
    other = room.with_variables({f"DRAFTROOM_{name}": value for name, value in since.items()})
    assert other("resume", "last").exit_code == 0
    assert result_of(room)["settings"] == room.records()[0]["settings"]
    assert not {"seed", "top_p"} & set(room.endpoint.chat_requests[-1].body)


def test_a_run_whose_checkpoints_are_gone_is_not_paid_for_twice(draftroom: Command, paper: Path):
    draftroom.endpoint.answer = Script([When(Status(503), where=asks("advise"), times=1)])
    draftroom("explain", paper)
    calls = len(draftroom.endpoint.chat_requests)
    (draftroom.home / "state" / "checkpoints.sqlite").unlink()
    assert draftroom("resume", "last").exit_code == EXIT_CODES["run_incompatible"]
    assert len(draftroom.endpoint.chat_requests) == calls


def test_a_checkpoint_whose_next_node_is_gone_is_told_and_not_taken_for_the_end(draftroom: Command, paper: Path):
    """LangGraph ends such a run silently. Renaming the pending node in the file stands for another version's graph."""
    draftroom.endpoint.answer = Script([When(Status(503), where=asks("advise"), times=1)])
    draftroom("explain", paper)
    rename_in_checkpoints(draftroom, b"branch:to:advise", b"branch:to:adwise")
    assert_misfit(draftroom)


def test_a_checkpoint_without_a_key_of_this_version_is_told_before_a_call(room: Command, draft: Path):
    room.endpoint.answer = Script([When(Status(503), schema="Review", times=1)], otherwise=TwoMinds())
    room("review", draft)
    calls = len(room.endpoint.chat_requests)
    rename_in_checkpoints(room, b"parts", b"party")
    assert_misfit(room)
    assert len(room.endpoint.chat_requests) == calls


def test_a_run_whose_settings_this_version_does_not_have_is_left_to_its_own(draftroom: Command, paper: Path):
    draftroom.endpoint.answer = Script([When(Status(503), where=asks("advise"), times=1)])
    draftroom("explain", paper)
    draftroom("runs")  # brings the record up to the checkpoints
    calls = len(draftroom.endpoint.chat_requests)
    path = next((draftroom.home / "state" / "runs").glob("*.json"))
    record = json.loads(path.read_text(encoding="utf-8"))
    record["settings"]["journalism"]["extensions"] = ["of_tomorrow"]
    path.write_text(json.dumps({**record, "version": "9.9"}), encoding="utf-8")
    assert_misfit(draftroom, "9.9")
    assert len(draftroom.endpoint.chat_requests) == calls
    assert draftroom("show", "last").exit_code == 0


def rename_in_checkpoints(draftroom: Command, name: bytes, other: bytes) -> None:
    """Give what the checkpoints call by a name another of the same length, as another version might."""
    with sqlite3.connect(draftroom.home / "state" / "checkpoints.sqlite") as connection:
        connection.create_function("renamed", 1, lambda blob: blob.replace(name, other))
        connection.execute("UPDATE checkpoints SET checkpoint = renamed(checkpoint)")
    connection.close()


def assert_misfit(draftroom: Command, version: str = "") -> None:
    """A resume is refused with the version that can go on."""
    result = draftroom("resume", "last")
    assert result.exit_code == EXIT_CODES["run_incompatible"]
    version = version or draftroom.records()[0]["version"]
    assert f"do not fit this version of Draftroom; resume it with version {version}" in " ".join(result.stderr.split())


def test_a_run_that_kept_its_checkpoints_in_memory(draftroom: Command, paper: Path):
    in_memory = draftroom.with_variables({"DRAFTROOM_CHECKPOINTS": "memory"})
    assert in_memory("explain", paper, "--rounds", "0").exit_code == 0
    assert in_memory("show", "last").exit_code == EXIT_CODES["run_incompatible"]
    assert in_memory("resume", "last").exit_code == EXIT_CODES["run_incompatible"]


def test_a_run_of_an_unknown_system(draftroom: Command, paper: Path):
    draftroom("explain", paper, "--rounds", "0")
    path = next((draftroom.home / "state" / "runs").glob("*.json"))
    path.write_text(path.read_text(encoding="utf-8").replace("science_journalism", "of_tomorrow"), encoding="utf-8")
    assert draftroom("resume", "last").exit_code == EXIT_CODES["run_incompatible"]
    listed = draftroom("runs")
    assert (listed.exit_code, "of_tomorrow" in listed.stdout) == (0, True)


class TestPause:
    @pytest.fixture
    def paused(self, draftroom: Command, paper: Path) -> str:
        result = draftroom("explain", paper, "--pause")
        assert result.exit_code == PAUSED
        return result.stderr

    def test_without_a_terminal_the_run_waits_and_tells_how_to_go_on(self, draftroom: Command, paused: str):
        (record,) = draftroom.records()
        assert record["status"] == "paused"
        assert "  1. " in paused
        assert f"draftroom resume {record['id']} --accept" in paused
        assert f"draftroom resume {record['id']} --advice FILE" in paused

    def test_resuming_without_an_answer_asks_again_without_a_call(self, draftroom: Command, paused: str):
        calls = len(draftroom.endpoint.chat_requests)
        assert draftroom("resume", "last").exit_code == PAUSED
        assert len(draftroom.endpoint.chat_requests) == calls

    def test_accepting_keeps_the_advice(self, draftroom: Command, paused: str):
        assert draftroom("resume", "last", "--accept").exit_code == 0
        (review,) = result_of(draftroom)["reviews"]
        assert review["origin"] == "editor"
        assert review["text"] in draftroom.endpoint.chat_requests[-1].text

    def test_advice_from_a_file_replaces_it(self, draftroom: Command, paused: str, tmp_path: Path):
        advice = tmp_path / "advice.txt"
        advice.write_text("# mine\nCut the second paragraph.\n\n  Say what moss is.  \n", encoding="utf-8")
        assert draftroom("resume", "last", "--advice", advice).exit_code == 0
        newest = result_of(draftroom)["reviews"][-1]
        assert (newest["text"], newest["origin"]) == ("1. Cut the second paragraph.\n2. Say what moss is.", "person")
        assert newest["text"] in draftroom.endpoint.chat_requests[-1].text
        assert "advice: Say what moss is. (person)" in draftroom("show", "last").stdout

    @pytest.mark.parametrize(("content", "kind"), [(b"# nothing\n", "empty_input"), (b"\xff\xfe", "not_utf8")])
    def test_a_file_without_advice(self, draftroom: Command, paused: str, tmp_path: Path, content: bytes, kind):
        advice = tmp_path / "advice.txt"
        advice.write_bytes(content)
        assert draftroom("resume", "last", "--advice", advice).exit_code == EXIT_CODES[kind]
        assert draftroom.records()[0]["status"] == "paused"

    def test_both_answers_at_once(self, draftroom: Command, paused: str, paper: Path):
        assert draftroom("resume", "last", "--advice", paper, "--accept").exit_code == 2

    def test_an_answer_to_a_run_that_asks_nothing(self, draftroom: Command, paused: str):
        assert draftroom("resume", "last", "--accept").exit_code == 0
        result = draftroom("resume", "last", "--accept")
        assert result.exit_code == EXIT_CODES["bad_request"]
        assert draftroom.records()[0]["status"] == "done"
