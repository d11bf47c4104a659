from __future__ import annotations

import json
import re
from pathlib import Path

from runs.record import add_failure, build_run_record, make_run_id, merge_calls
from state.errors import ModelOutputError
from state.settings import Settings
from tests.draftroom.conftest import Command
from tests.draftroom.feedback_values import call


def a_record(checkpoints: str = "sqlite"):
    settings = Settings().freeze_settings("journalism")
    return build_run_record("science_journalism", {"name": "p", "path": "/p"}, settings, checkpoints)


def test_run_ids_are_readable_and_sort_by_time():
    first = make_run_id()
    assert re.fullmatch(r"\d{8}-\d{6}-[0-9a-f]{8}", first)
    while (later := make_run_id())[:-5] == first[:-5]:  # of the same millisecond
        pass
    assert first < later


def test_a_call_told_by_both_a_failure_and_the_state_is_counted_once():
    first = call(1, "reader")
    failed, better = ({**first, "seconds": seconds, "reask": True} for seconds in (2, 3))
    record = add_failure(a_record(), ModelOutputError("No use.", problem="no JSON", spent=[first, failed]))
    assert merge_calls([first, better], record["failures"]) == [first, better, failed]


def test_a_record_never_holds_the_address_of_a_postgres_database():
    record = a_record("postgresql://someone:secret@host/db")
    assert record["checkpoints"] == "postgres"
    assert "secret" not in json.dumps(record)


def test_a_record_tells_what_a_run_was_given_and_what_it_cost(draftroom: Command, paper: Path):
    assert draftroom("explain", paper, "--rounds", "2").exit_code == 0
    (record,) = draftroom.records()
    assert record["status"] == "done"
    assert record["system"] == "science_journalism"
    assert record["input"]["name"] == "moss.md"
    assert record["input"]["paper"]["title"] == "Moss grows where it is wet"
    assert record["models"] == {"journalist": "large", "reader": "large", "editor": "large"}
    assert set(record["prompts"]) == {"write_draft", "take_notes", "advise", "revise_draft"}
    assert record["settings"]["journalism"]["rounds"] == 2
    assert [(part["round"], part["role"]) for part in record["usage"]] == [
        (0, "journalist"),
        (1, "reader"),
        (1, "editor"),
        (1, "journalist"),
        (2, "reader"),
        (2, "editor"),
        (2, "journalist"),
    ]
    assert all(part["calls"] == 1 and part["output_tokens"] > 0 for part in record["usage"])
    assert [draft["round"] for draft in record["results"]["drafts"]] == [0, 1, 2]
    assert set(record["results"]["drafts"][0]["readability"]) == {"cli", "fkgl", "dcrs", "ari", "words"}
    assert record["results"]["stop_reason"] == "rounds done"
    assert record["results"]["selected_round"] in {0, 1, 2}
