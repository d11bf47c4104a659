"""`draftroom eval judge` and `draftroom eval support`: what models find of the texts of a run that has ended."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import pytest

from runs.many import read_records
from tests.draftroom.conftest import Command
from tests.draftroom.evaluation.conftest import BEANS, ROWS, Runs
from tests.fake_endpoint import Json, RecordedRequest, Reply, Script, Status, When
from tests.support.tiny_nli import write_nli_model

GRADES = {"faithfulness": 5, "information": 3, "interest": 2}
VERDICT = Json({name: {"reason": "It says so.", "grade": grade} for name, grade in GRADES.items()})
TEXTS = {(sample["id"], row) for sample in BEANS for row in ROWS["science_journalism"].split(",")}


def marks_of(run: Path) -> dict[str, dict[str, Any]]:
    """Figures of the table of marks, by row."""
    (table,) = [
        table
        for table in json.loads((run / "scores.json").read_text(encoding="utf-8"))["tables"]
        if table["table"].startswith("What models find")
    ]
    return {row["row"]: {name: figure["value"] for name, figure in row["figures"].items()} for row in table["rows"]}


@pytest.fixture
def judge(draftroom: Command) -> Command:
    """The command with another model as the judge, who always gives the same grades."""
    draftroom.endpoint.answer = Script([When(VERDICT, schema="Verdict")])
    return draftroom.with_variables({"DRAFTROOM_MODELS__JUDGE__MODEL": "small"})


def test_a_judge_grades_every_text_once(judge: Command, runs: Runs) -> None:
    result = judge("eval", "judge", runs.journalism)

    assert result.exit_code == 0, result.output
    assert marks_of(runs.journalism) == dict.fromkeys(ROWS["science_journalism"].split(","), GRADES)
    assert "a judge's grades" in result.stdout
    assert "6/6" in result.stderr
    asked = judge.endpoint.chat_requests
    assert len(asked) == len(TEXTS)
    assert {request.model for request in asked} == {"small"}
    judgements = read_records(runs.journalism / "judgements.jsonl")
    assert {(each["id"], each["row"]) for each in judgements} == TEXTS

    assert judge("eval", "judge", runs.journalism, "--quiet").stderr.count("ok") == 0
    assert len(judge.endpoint.chat_requests) == len(asked), "no text is judged twice"


def test_what_could_not_be_judged_is_judged_by_the_next_call(judge: Command, runs: Runs) -> None:
    def answer(request: RecordedRequest) -> Reply:
        return Status(400, "no peas here") if "The pea" in request.text else VERDICT

    judge.endpoint.answer = answer
    result = judge("eval", "judge", runs.journalism)
    assert result.exit_code == 0, result.output
    assert "pea summaries endpoint_refused" in result.stderr
    asked = len(judge.endpoint.chat_requests)

    judge.endpoint.answer = Script([When(VERDICT, schema="Verdict")])
    assert judge("eval", "judge", runs.journalism).exit_code == 0
    again = judge.endpoint.chat_requests[asked:]
    assert len(again) == len(ROWS["science_journalism"].split(","))
    assert all("The pea" in request.text for request in again)


def test_the_judge_may_be_named_by_a_preset(judge: Command, runs: Runs, tmp_path: Path) -> None:
    preset = tmp_path / "judged.toml"
    preset.write_text('[models.judge]\nmodel = "small"\n', encoding="utf-8")
    del judge.variables["DRAFTROOM_MODELS__JUDGE__MODEL"]

    assert judge("eval", "judge", runs.journalism, "--preset", preset).exit_code == 0

    assert {request.model for request in judge.endpoint.chat_requests} == {"small"}


def test_ctrl_c_says_how_to_go_on_judging(judge: Command, runs: Runs) -> None:
    judge.endpoint.hold_after(1)
    with judge.start("eval", "judge", str(runs.journalism)) as process:
        judge.endpoint.wait_for_requests(2, timeout_s=120)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)

    assert process.returncode == 130, told
    assert f"To go on: draftroom eval judge {runs.journalism}" in told
    assert "Traceback" not in told


def test_support_is_measured_by_a_model_and_stands_beside_grades(judge: Command, runs: Runs, tmp_path: Path) -> None:
    # The model takes for entailed whatever has the word "proved" in it, or in the source.
    model = write_nli_model(tmp_path / "nli")

    result = judge("eval", "support", runs.journalism, model)

    assert result.exit_code == 0, result.output
    found = marks_of(runs.journalism)
    assert found["abstracts"] == {"entailed %": 50.0}
    assert found["summaries"] == {"entailed %": 75.0}
    (bean,) = [
        each
        for each in read_records(runs.journalism / "support.jsonl")
        if (each["id"], each["row"]) == ("bean", "summaries")
    ]
    assert (bean["percent"], bean["unsupported"], bean["model"]) == (50.0, ["The bean grew tall."], "nli")
    assert judge.endpoint.requests == []

    assert judge("eval", "judge", runs.journalism, "--quiet").exit_code == 0
    assert marks_of(runs.journalism)["summaries"] == {**GRADES, "entailed %": 75.0}
