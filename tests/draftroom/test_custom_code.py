"""Settings name code that is imported only if the user's own file, the environment or a flag names it, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from state.errors import SettingsError
from tests.draftroom.conftest import Command
from tools.configuration import load_custom_object

OWN = '[models.default]\nuse = "json:loads"\n'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("DRAFTROOM_ALLOWED_CODE", "")
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path


@pytest.mark.parametrize("settings", [OWN, '[feedback.literature]\nproviders = ["openalex", "lab:search"]\n'])
def test_a_settings_file_of_the_working_folder_that_names_code_is_refused(
    settings: str, folder: Path, draftroom: Command
) -> None:
    Path("draftroom.toml").write_text(settings)
    result = draftroom("explain", "-", stdin=b"A paper.")
    assert result.exit_code == 30
    assert "The draftroom.toml of this folder, which may be anyone" in result.stderr.replace("\n", " ")
    assert "set DRAFTROOM_CONFIG=draftroom.toml, or move these settings to a file for `--preset`" in result.stderr
    assert not draftroom.endpoint.requests


def test_code_is_imported_if_the_users_own_file_names_it(folder: Path) -> None:
    with pytest.raises(SettingsError, match=r"not allowed \(json:loads\): if you trust it, name it in .*config"):
        load_custom_object("json:loads")
    own = folder / "config" / "draftroom" / "draftroom.toml"
    own.parent.mkdir(parents=True)
    own.write_text(OWN)
    assert load_custom_object("json:loads") is json.loads


def test_code_is_imported_if_a_variable_names_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_ALLOWED_CODE", "json:lods")
    monkeypatch.setenv("DRAFTROOM_FEEDBACK__RETRIEVER", "json:dumps")
    assert load_custom_object("json:dumps") is json.dumps
    with pytest.raises(SettingsError, match=r"The code json:lods cannot be imported .*; correct the name, or add"):
        load_custom_object("json:lods")


def test_a_resumed_run_that_names_code_which_is_not_allowed_any_more_asks_no_model(
    folder: Path, draftroom: Command
) -> None:
    draftroom("explain", "-", "--max-calls", "1", stdin=b"A paper on moss.")
    (path,) = (draftroom.home / "state" / "runs").glob("*.json")
    record = json.loads(path.read_text())
    record["settings"]["models"]["editor"]["use"] = "lab:Model"
    path.write_text(json.dumps(record))
    result = draftroom("resume", "last")
    assert result.exit_code == 30
    assert "name code that you have not allowed (lab:Model)" in " ".join(result.stderr.split())
    assert len(draftroom.endpoint.chat_requests) == 1


def test_code_in_a_preset_counts_if_a_flag_names_the_preset(folder: Path, room: Command, draft: Path) -> None:
    Path("lab.toml").write_text('[feedback]\nretriever = "lab:make"\n')
    room = room.with_variables({"DRAFTROOM_ALLOWED_CODE": ""})
    Path("draftroom.toml").write_text('preset = "lab.toml"\n')
    assert "not allowed (lab:make)" in " ".join(room("review", draft).stderr.split())
    assert "The code lab:make cannot be imported" in " ".join(
        room("review", draft, "--preset", "lab.toml").stderr.split()
    )
    assert not room.endpoint.chat_requests
