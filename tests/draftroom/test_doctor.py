"""`draftroom doctor`: every check in its good and its bad case."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from draftroom.exit_codes import EXIT_CODES
from tests.draftroom.conftest import Command, run_without
from tests.fake_endpoint import Json, Reasoning, Status, Text

BAD = "\x1b[31mnot a colour"


class Doctor:
    """The command, and what it said of each thing."""

    def __init__(self, draftroom: Command, *arguments: str, **variables: str) -> None:
        command = draftroom.with_variables({"OPENAI_API_KEY": "", **variables})
        self.result: Result = command("doctor", "--json", *arguments)
        assert self.result.exception is None or isinstance(self.result.exception, SystemExit), self.result.exception
        self.found: list[dict[str, Any]] = json.loads(self.result.stdout)

    def __getitem__(self, name: str) -> dict[str, Any]:
        """The first check of this name."""
        return next(check for check in self.found if check["name"] == name)

    def names(self) -> list[str]:
        return [check["name"] for check in self.found]


def model(**settings: object) -> dict[str, str]:
    return {f"DRAFTROOM_MODELS__DEFAULT__{name.upper()}": str(value) for name, value in settings.items()}


def assert_failed(doctor: Doctor, name: str, kind: str) -> None:
    assert doctor[name]["status"] == "failed"
    assert doctor[name]["kind"] == kind
    assert doctor[name]["mend"].endswith(".")
    assert doctor.result.exit_code == EXIT_CODES[kind]  # type: ignore[index]


def test_a_house_in_order(draftroom: Command):
    doctor = Doctor(draftroom)
    assert doctor.result.exit_code == 0
    assert {check["status"] for check in doctor.found} == {"ok"}
    assert all(check["mend"] == "" for check in doctor.found if check["status"] == "ok")
    model_checks = ["endpoint", "key", "model", "context", "token counting", "structured output"]
    assert doctor.names() == [
        *("settings", "state folder", "checkpoints"),
        *model_checks,
        *("review", "embedding model", "literature"),
    ]


def test_the_table_says_the_same(draftroom: Command):
    result = draftroom.with_variables(model(model="huge"))("doctor")
    assert result.exit_code == EXIT_CODES["wrong_model"]
    row = next(line for line in result.stdout.splitlines() if line.startswith("│ model "))
    assert "failed" in row
    assert "does not serve" in row
    assert "Set `model` to a name that it serves." in row
    assert f"all agents: huge at {draftroom.endpoint.base_url}" in result.stdout


def test_each_endpoint_and_model_once(draftroom: Command):
    assert Doctor(draftroom)["model"]["subject"] == f"all agents: large at {draftroom.endpoint.base_url}"
    two = Doctor(draftroom, DRAFTROOM_MODELS__READER__MODEL="small")
    subjects = dict.fromkeys(check["subject"] for check in two.found if check["subject"])
    others, reader = (subject.partition(" at ")[0] for subject in subjects)
    assert reader == "reader: small"
    assert others.startswith("journalist, editor, agent selector, ")
    assert others.endswith(": large")


def test_where_the_settings_come_from(draftroom: Command, tmp_path: Path):
    file = tmp_path / "settings.toml"
    file.write_text("[journalism]\nrounds = 2\n", encoding="utf-8")
    found = Doctor(draftroom, "--preset", "fast", DRAFTROOM_CONFIG=str(file))["settings"]["found"]
    assert "the preset fast" in found
    assert str(file) in found
    assert "DRAFTROOM_MODELS__DEFAULT__MODEL" in found


@pytest.mark.parametrize(
    ("variables", "named"),
    [
        ({"DRAFTROOM_JOURNALISM__ROUNDS": "ninety"}, "journalism.rounds"),
        ({"DRAFTROOM_CONFIG": "/no/such/settings.toml"}, "/no/such/settings.toml"),
    ],
)
def test_settings_that_cannot_be_used(draftroom: Command, variables: dict[str, str], named: str):
    doctor = Doctor(draftroom, **variables)
    assert_failed(doctor, "settings", "bad_settings")
    assert named in doctor["settings"]["found"]
    assert "endpoint" not in doctor.names()
    assert draftroom.endpoint.requests == []


def test_a_state_folder_that_cannot_be_written(draftroom: Command, tmp_path: Path):
    (tmp_path / "file").touch()
    doctor = Doctor(draftroom, DRAFTROOM_HOME=str(tmp_path / "file"))
    assert_failed(doctor, "state folder", "state_unwritable")
    assert "DRAFTROOM_HOME" in doctor["state folder"]["mend"]


def test_checkpoints_that_cannot_be_opened(draftroom: Command, tmp_path: Path):
    broken = tmp_path / "checkpoints.sqlite"
    broken.write_text("this is no database, but it is long enough to be taken for one " * 20, encoding="utf-8")
    doctor = Doctor(draftroom, DRAFTROOM_CHECKPOINTS=f"sqlite:///{broken}")
    assert_failed(doctor, "checkpoints", "state_unwritable")


def test_an_endpoint_that_is_down(draftroom: Command):
    draftroom.endpoint.close()
    doctor = Doctor(draftroom)
    assert_failed(doctor, "endpoint", "endpoint_down")
    assert draftroom.endpoint.base_url in doctor["endpoint"]["found"]
    assert "draftroom models up" in doctor["endpoint"]["mend"]
    assert "model" not in doctor.names()


def test_a_key_that_is_accepted(draftroom: Command):
    draftroom.endpoint.api_key = "sesame"
    doctor = Doctor(draftroom, OPENAI_API_KEY="sesame")
    assert doctor["key"]["status"] == "ok"
    assert "OPENAI_API_KEY" in doctor["key"]["found"]
    assert doctor["structured output"]["status"] == "ok"
    assert "sesame" not in doctor.result.output


@pytest.mark.parametrize("key", ["", "wrong sesame"])
def test_a_key_that_is_refused(draftroom: Command, key: str):
    draftroom.endpoint.api_key = "sesame"
    doctor = Doctor(draftroom, MY_KEY=key, **model(api_key_env="MY_KEY"))
    assert doctor["endpoint"]["status"] == "ok"
    assert_failed(doctor, "key", "endpoint_refused")
    assert "MY_KEY" in doctor["key"]["mend"]
    assert "sesame" not in doctor.result.output


def test_a_model_that_is_not_served(draftroom: Command):
    doctor = Doctor(draftroom, **model(model="huge"))
    assert [doctor[name]["status"] for name in ("endpoint", "key")] == ["ok", "ok"]
    assert_failed(doctor, "model", "wrong_model")
    assert "large, small" in doctor["model"]["found"]
    assert draftroom.endpoint.chat_requests == []


def test_a_context_that_is_too_short(draftroom: Command):
    draftroom.endpoint.models = {"large": 4095}
    doctor = Doctor(draftroom)
    assert_failed(doctor, "context", "context_overflow")
    assert "4095" in doctor["context"]["found"]
    draftroom.endpoint.models = {"large": 4096}
    assert Doctor(draftroom)["context"]["status"] == "ok"


def test_a_context_that_the_server_does_not_tell(draftroom: Command):
    draftroom.endpoint.reports_context = False
    doctor = Doctor(draftroom)
    assert doctor["context"]["status"] == "warning"
    assert "`context_length`" in doctor["context"]["mend"]
    assert doctor.result.exit_code == 0
    assert "6000" in Doctor(draftroom, **model(context_length=6000))["context"]["found"]


def test_a_server_that_cuts_long_prompts_in_silence(draftroom: Command):
    draftroom.endpoint.reports_context = False
    assert Doctor(draftroom)["long prompts"]["status"] == "ok"
    usage = {"prompt_tokens": 4096, "completion_tokens": 9, "total_tokens": 4105}
    draftroom.endpoint.answer = lambda _: Text('{"colour": "red"}', usage=usage)
    doctor = Doctor(draftroom)
    assert doctor["long prompts"]["status"] == "warning"
    assert "`num_ctx`" in doctor["long prompts"]["mend"]
    assert doctor.result.exit_code == 0
    assert Doctor(draftroom, **model(context_length=4096))["long prompts"]["status"] == "ok", "it is asked for no more"


def test_an_answer_that_is_all_thoughts(draftroom: Command):
    draftroom.endpoint.answer = lambda _: Reasoning("It is blue.", "", field="reasoning_content")
    check = Doctor(draftroom)["structured output"]
    assert check["status"] == "warning"
    assert "`reasoning_content`" in check["found"]
    assert "reasoning parser" in check["mend"]


def test_a_context_that_the_server_does_not_have(draftroom: Command):
    doctor = Doctor(draftroom, **model(context_length=9000))
    assert_failed(doctor, "context", "context_overflow")
    assert "8192" in doctor["context"]["mend"]


def test_tokens_that_must_be_estimated(draftroom: Command):
    draftroom.endpoint.tokenizes = False
    doctor = Doctor(draftroom)
    assert doctor["token counting"]["status"] == "warning"
    assert doctor["token counting"]["mend"] != ""
    assert doctor.result.exit_code == 0


def test_a_schema_is_sent_and_the_prompt_does_not_help(draftroom: Command):
    Doctor(draftroom)
    (request,) = draftroom.endpoint.chat_requests
    assert request.schema is not None
    assert request.schema["properties"]["colour"]["enum"] == ["red", "green", "blue"]
    assert "json" not in request.text.lower()
    assert "colour" not in request.text


@pytest.mark.parametrize("answer", [Text("The sea is wide."), Json({"colour": BAD}), Json({"colour": "red", "x": 1})])
def test_a_schema_that_is_not_kept_to(draftroom: Command, answer: Text):
    draftroom.endpoint.answer = lambda _: answer
    doctor = Doctor(draftroom)
    assert doctor["structured output"]["status"] == "warning"
    assert 'structured_output = "prompt"' in doctor["structured output"]["mend"]
    assert doctor.result.exit_code == 0


def test_structure_by_the_prompt_alone(draftroom: Command):
    draftroom.endpoint.answer = lambda _: Text('Here it is: {"colour": "red"}')
    doctor = Doctor(draftroom, **model(structured_output="prompt"))
    assert doctor["structured output"]["status"] == "ok"
    (request,) = draftroom.endpoint.chat_requests
    assert request.schema is None
    assert "JSON" in request.text


def test_a_model_that_cannot_do_it_by_the_prompt(draftroom: Command):
    draftroom.endpoint.answer = lambda _: Text("The sea is wide.")
    doctor = Doctor(draftroom, **model(structured_output="prompt"))
    assert doctor["structured output"]["status"] == "warning"
    assert "stronger model" in doctor["structured output"]["mend"]


def test_an_endpoint_that_lists_models_but_does_not_run_them(draftroom: Command):
    draftroom.endpoint.answer = lambda _: Status(503)
    doctor = Doctor(draftroom, **model(retries=4, retry_wait_s=60))
    assert_failed(doctor, "structured output", "endpoint_down")
    assert len(draftroom.endpoint.chat_requests) == 1


def test_without_the_packages_of_reviews_the_rest_is_in_order(draftroom: Command):
    result = run_without("chromadb", draftroom, "doctor", "--json")
    assert result.returncode == 0
    (check,) = [check for check in json.loads(result.stdout) if check["status"] != "ok"]
    assert (check["name"], check["status"]) == ("review", "warning")
    assert "chromadb" in check["found"]
    assert "pip install 'draftroom[review]'" in check["mend"]


def test_an_embedding_model_that_cannot_be_used(draftroom: Command):
    doctor = Doctor(draftroom, DRAFTROOM_FEEDBACK__EMBEDDING__MODEL="huge")
    assert_failed(doctor, "embedding model", "retrieval_failed")
    assert "'huge'" in doctor["embedding model"]["found"]


def test_passages_that_are_found_by_their_words_need_no_embeddings(draftroom: Command):
    doctor = Doctor(draftroom, DRAFTROOM_FEEDBACK__RETRIEVAL="bm25", DRAFTROOM_FEEDBACK__EMBEDDING__MODEL="huge")
    assert doctor.result.exit_code == 0
    assert "embedding model" not in doctor.names()


def test_the_folder_of_literature(draftroom: Command, tmp_path: Path):
    assert "No folder" in Doctor(draftroom)["literature"]["found"]
    folder = tmp_path / "studies"
    variables = {"DRAFTROOM_FEEDBACK__LITERATURE__FOLDER": str(folder)}
    assert_failed(Doctor(draftroom, **variables), "literature", "missing_file")
    folder.mkdir()
    (folder / "study.md").write_text("# A study\n", encoding="utf-8")
    assert "holds 1 files. Nothing is looked up on the web." in Doctor(draftroom, **variables)["literature"]["found"]


def test_a_model_of_a_provider(draftroom: Command):
    own = {
        "DRAFTROOM_MODELS__READER__USE": "tests.support.chat_models:MadeUp",
        "DRAFTROOM_MODELS__READER__MODEL": "own",
    }
    doctor = Doctor(draftroom, **own)
    assert doctor.result.exit_code == 0
    reader = [check for check in doctor.found if check["subject"].startswith("reader: own at tests.support")]
    names = ["provider", "context", "token counting", "long prompts", "structured output"]
    assert [check["name"] for check in reader] == names


def test_a_provider_whose_package_is_missing(draftroom: Command):
    doctor = Doctor(draftroom, DRAFTROOM_MODELS__READER__PROVIDER="cohere", DRAFTROOM_MODELS__READER__MODEL="command")
    assert_failed(doctor, "provider", "bad_settings")
    assert doctor["provider"]["mend"] == "Install it with `pip install langchain-cohere`."
