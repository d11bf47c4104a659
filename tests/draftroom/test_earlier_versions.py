"""What was written for the version before gets one sentence that says what to change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import Command
from tests.fake_endpoint import Script, Status, When


def test_a_setting_that_became_an_aid(draftroom: Command, draft: Path):
    earlier = draftroom.with_variables({"DRAFTROOM_FEEDBACK__DETECT": "true"})
    refused = earlier("review", draft)
    assert refused.exit_code == EXIT_CODES["bad_settings"]
    assert "`feedback.detect` is no setting any more: it is the aid `detect` now" in " ".join(refused.stderr.split())


@pytest.mark.parametrize("flag", ["--no-verify", "--restore=nothing"])
def test_a_flag_that_became_an_aid(draftroom: Command, draft: Path, flag: str):
    refused = draftroom("review", draft, flag)
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.replace("│", " ").split())
    assert f"{flag.split('=', maxsplit=1)[0]} is no option any more: it is the aid" in said


def test_a_run_without_aids_on_record_is_shown_and_not_resumed(draftroom: Command, paper: Path):
    draftroom.endpoint.answer = Script([When(Status(503), schema="EditorReview", times=1)])
    draftroom("explain", paper)
    (record,) = draftroom.records()
    del record["settings"]["journalism"]["aids"]
    path = draftroom.home / "state" / "runs" / f"{record['id']}.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    refused = draftroom("resume", "last")
    assert refused.exit_code == EXIT_CODES["run_incompatible"]
    assert "was begun by an earlier version" in refused.stderr
    assert draftroom("show", "last").exit_code == draftroom("runs").exit_code == 0
