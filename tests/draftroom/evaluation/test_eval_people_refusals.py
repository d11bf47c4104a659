"""What `draftroom eval blind` and `judged` cannot use: their exit code and one sentence."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from state.errors import ErrorKind
from tests.draftroom.conftest import Command
from tests.draftroom.evaluation.conftest import Runs
from tests.draftroom.refusing import assert_refused
from tests.fake_endpoint import FakeEndpoint
from tests.support.raters import Sheet, as_json, write_json


@pytest.fixture(scope="module")
def blinded(finished: Runs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with blinded articles and comparisons, an answer to one, and files that are none of these."""
    folder = tmp_path_factory.mktemp("blinded")
    with FakeEndpoint() as endpoint:
        draftroom = Command(folder / "home", endpoint)
        for kind, run in (("journalism", finished.journalism), ("feedback", finished.feedback)):
            result = draftroom("eval", "blind", run, "--out", folder / kind)
            assert result.exit_code == 0, result.output
    task = json.loads((folder / "feedback" / "tasks.json").read_text(encoding="utf-8"))[0]
    for name, of in (("answers", task), ("others", {"data": {"item": "unknown"}})):
        write_json(folder / f"{name}.json", as_json([Sheet(of, 7, {"helpfulness": "first"})]))
    write_json(folder / "nobody.json", [])
    (folder / "prose").write_text("nonsense\n", encoding="utf-8")
    return folder


@pytest.fixture
def people(blinded: Path, tmp_path: Path) -> Path:
    """A copy of that folder."""
    return shutil.copytree(blinded, tmp_path / "people")


def test_texts_that_people_did_not_judge_in_the_paper(draftroom: Command, runs: Runs, tmp_path: Path) -> None:
    result = draftroom("eval", "blind", runs.simplification, "--out", tmp_path / "out")
    assert_refused(draftroom, result, "bad_request", "is a run of medical_simplification; name a run of")
    assert not (tmp_path / "out").exists()


def test_a_run_without_texts(draftroom: Command, runs: Runs, tmp_path: Path) -> None:
    (runs.feedback / "outputs.jsonl").unlink()
    result = draftroom("eval", "blind", runs.feedback, "--out", tmp_path / "out")
    assert_refused(draftroom, result, "empty_input", f"go on with it: draftroom eval resume {runs.feedback}")


@pytest.mark.parametrize(
    ("rows", "said"), [("cove,nonsense", "each of cove, nonsense"), ("single", "of one system only")]
)
def test_rows_that_cannot_be_compared(draftroom: Command, runs: Runs, tmp_path: Path, rows: str, said: str) -> None:
    flags = ("--rows", rows, "--out", tmp_path / "out")
    assert_refused(draftroom, draftroom("eval", "blind", runs.feedback, *flags), "bad_request", said)


def test_a_place_where_no_tasks_can_be_kept(draftroom: Command, people: Path, runs: Runs) -> None:
    result = draftroom("eval", "blind", runs.journalism, "--out", people / "prose")
    assert_refused(draftroom, result, "output_unwritable", "name another folder")


@pytest.mark.parametrize(
    ("answers", "key", "error", "said"),
    [
        ("answers.json", "journalism/key.json", "bad_request", "give the answers that belong to this key"),
        ("others.json", "feedback/key.json", "bad_request", "'unknown' is none of the key's comparisons"),
        ("answers.json", "feedback/tasks.json", "bad_request", "tasks.json is no key"),
        ("answers.json", "missing", "missing_file", "missing cannot be read"),
        ("missing", "feedback/key.json", "missing_file", "missing cannot be read"),
        ("prose", "feedback/key.json", "bad_request", "prose is no JSON export"),
        ("feedback/tasks.json", "feedback/key.json", "bad_request", "tasks.json is no JSON export"),
        ("nobody.json", "feedback/key.json", "empty_input", "There is no answer in"),
    ],
)
def test_nothing_is_counted(
    draftroom: Command, people: Path, answers: str, key: str, error: ErrorKind, said: str
) -> None:
    result = draftroom("eval", "judged", people / answers, "--key", people / key)
    assert_refused(draftroom, result, error, said)


def test_a_flag_that_cannot_be_used(draftroom: Command, people: Path) -> None:
    flags = ("--key", people / "feedback" / "key.json", "--within-from", "6")
    result = draftroom("eval", "judged", people / "answers.json", *flags)
    assert result.exit_code == 2
    assert "Traceback" not in result.stderr
