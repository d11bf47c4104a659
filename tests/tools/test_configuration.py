"""Settings come from a preset, a file, the environment and overrides, in that order, and mistakes are told by name."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from state.errors import SettingsError
from state.settings import Settings
from tools.configuration import load_settings, locate_preset


@pytest.fixture(autouse=True)
def nothing_configured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in list(os.environ):
        if variable.startswith("DRAFTROOM_"):
            monkeypatch.delenv(variable)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "draftroom.toml"


def error(overrides: dict[str, Any] | None = None) -> str:
    with pytest.raises(SettingsError) as caught:
        load_settings(overrides)
    assert caught.value.kind == "bad_settings"
    return str(caught.value)


def test_with_nothing_configured_the_models_of_models_up_are_used_as_they_need_to_be() -> None:
    assert load_settings() == load_settings({"preset": "laptop"}).model_copy(update={"preset": None})
    assert load_settings({"preset": "fast"}).resolve_model_settings("reader").frequency_penalty == 0.5


def test_the_sampling_of_models_up_is_not_sent_to_another_model() -> None:
    settings = load_settings({"models": {"reader": {"model": "mine"}}})
    assert settings.resolve_model_settings("journalist").frequency_penalty is None
    assert settings.resolve_model_settings("reader").temperature is None


def test_each_source_overrides_the_one_before(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    preset = tmp_path / "mine.toml"
    preset.write_text('[journalism]\nrounds = 1\nmax_words = 101\naudience = "patient"\nstop = "converged"\n')
    file.write_text('preset = "mine.toml"\n[journalism]\nrounds = 2\nmax_words = 102\naudience = "teenager"\n')
    monkeypatch.setenv("DRAFTROOM_JOURNALISM__ROUNDS", "3")
    monkeypatch.setenv("DRAFTROOM_JOURNALISM__MAX_WORDS", "103")
    journalism = load_settings({"journalism": {"rounds": 4}}).journalism
    assert (journalism.rounds, journalism.max_words) == (4, 103)
    assert (journalism.audience, journalism.stop) == ("teenager", "converged")


def test_the_preset_itself_is_chosen_in_the_same_order(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('preset = "paper"\n')
    assert load_settings().journalism.rounds == 5
    monkeypatch.setenv("DRAFTROOM_PRESET", "fast")
    assert load_settings().journalism.rounds == 1
    assert load_settings({"preset": "paper"}).journalism.rounds == 5


CONTRARY = """
[journalism]
extensions = "all"
audience = "patient"
rounds = 1
select = "last"
stop = "converged"
variant = "single"
warm_start = true
max_words = 80
sequence_to_sequence = "/bart"
max_pages = 5
pause = true
[simplification]
extensions = "all"
loops = ["layperson"]
entries = 9
stop = "adaptive"
variant = "single"
revision_rounds = 9
accuracy_check = false
target_grade = 6
max_words = 100
max_pages = 6
[feedback]
extensions = "all"
plans = 1
plan_temperature = 0.6
rerank = false
execution = "parallel"
max_questions = 1
max_rewrites = 5
retrieval = "bm25"
passages = 1
segment_characters = 300
segment_overlap = 0
reranker = "/weights"
max_pages = 7
min_words = 3
pause = true
max_comments = 2
[feedback.literature]
folder = "/papers"
blocked_hosts = ["example.org"]
results = 9
[limits]
terms = 1
[models.default]
base_url = "http://127.0.0.1:9/v1"
model = "mine"
temperature = 0.1
top_p = 0.9
max_tokens = 99
timeout_s = 7
[models.reader]
repetition_penalty = 1.5
concurrency = 2
"""


def test_a_whole_preset_that_is_chosen_for_a_run_comes_over_file_and_environment(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = load_settings({"preset": "paper"})
    file.write_text(CONTRARY)
    for name, value in {"JOURNALISM__ROUNDS": "7", "FEEDBACK__PLANS": "8", "SIMPLIFICATION__ENTRIES": "7"}.items():
        monkeypatch.setenv(f"DRAFTROOM_{name}", value)
    monkeypatch.setenv("DRAFTROOM_MODELS__EDITOR__TOP_P", "0.8")
    chosen = load_settings({"preset": "paper"})
    places = {"sequence_to_sequence", "reranker", "literature", "max_pages", "min_words", "pause"}
    for table in ("journalism", "simplification", "feedback"):
        ours, papers = (getattr(settings, table).model_dump(exclude=places) for settings in (chosen, alone))
        assert ours == papers
    assert chosen.limits == alone.limits
    sampling = ("temperature", "top_p", "frequency_penalty", "repetition_penalty", "max_tokens")
    for role in ("journalist", "reader", "editor", "warm_start"):
        ours, papers = (
            settings.resolve_model_settings(role).model_dump(include={*sampling}) for settings in (chosen, alone)
        )
        assert ours == papers
        assert papers == dict(zip(sampling, (None, 0.4, 1, 1, 4096), strict=True))


def test_under_a_whole_preset_file_and_environment_say_where_things_are_and_what_is_read(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(CONTRARY)
    monkeypatch.setenv("DRAFTROOM_MODELS__READER__MODEL", "smaller")
    chosen = load_settings({"preset": "paper"})
    journalist, reader = chosen.resolve_model_settings("journalist"), chosen.resolve_model_settings("reader")
    assert (journalist.base_url, journalist.model, journalist.timeout_s) == ("http://127.0.0.1:9/v1", "mine", 7)
    assert (reader.base_url, reader.model, reader.concurrency) == ("http://127.0.0.1:9/v1", "smaller", 2)
    assert chosen.resolve_model_settings("reviewer").temperature == 0.1, (
        "the preset does not say how reviewers are sampled"
    )
    assert (chosen.journalism.sequence_to_sequence, chosen.feedback.reranker) == ("/bart", "/weights")
    assert (chosen.feedback.literature.folder, chosen.feedback.literature.results) == ("/papers", 3)
    assert [getattr(chosen, table).max_pages for table in ("journalism", "simplification", "feedback")] == [5, 6, 7]
    assert (chosen.journalism.pause, chosen.feedback.pause, chosen.feedback.min_words) == (True, True, 3)
    assert chosen.feedback.literature.blocked_hosts == ["example.org"]
    chosen = load_settings({"preset": "paper", "journalism": {"rounds": 2}, "models": {"editor": {"top_p": 0.5}}})
    assert (chosen.journalism.rounds, chosen.resolve_model_settings("editor").top_p) == (2, 0.5), (
        "what is chosen beside it wins"
    )


@pytest.mark.parametrize("name", ["fast", "debug", "laptop"])
def test_any_other_preset_that_is_chosen_comes_over_file_and_environment_field_by_field(
    name: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text(CONTRARY)
    monkeypatch.setenv("DRAFTROOM_SIMPLIFICATION__ENTRIES", "7")
    mine, chosen = load_settings().model_dump(mode="json"), load_settings({"preset": name}).model_dump(mode="json")
    named = tomllib.loads(locate_preset(name).read_text(encoding="utf-8"))
    preset = Settings(**named).model_dump(mode="json")
    for table in ("journalism", "simplification", "feedback", "limits"):
        own = {field: preset[table][field] for field in named.get(table, {})}
        assert chosen[table] == mine[table] | own
    assert (chosen["journalism"]["audience"], chosen["journalism"]["rounds"]) == (
        "patient",
        named["journalism"]["rounds"],
    )
    assert chosen["simplification"]["entries"] == 1


def test_whether_a_preset_is_whole_is_said_with_true_or_false(file: Path) -> None:
    file.write_text(CONTRARY)
    mine = file.with_name("mine.toml")
    for whole, audience in (("true", "general public"), ("false", "patient")):
        mine.write_text(f"whole = {whole}\n[journalism]\nrounds = 3\n")
        chosen = load_settings({"preset": str(mine)})
        assert (chosen.journalism.rounds, chosen.journalism.audience) == (3, audience)
        assert chosen.simplification.entries == 9, "a table that it does not have"
    mine.write_text('whole = "yes"\n')
    assert "`whole` must be true or false" in error({"preset": str(mine)})


def test_a_preset_leaves_what_it_does_not_speak_of(file: Path) -> None:
    file.write_text(CONTRARY)
    mine = file.with_name("mine.toml")
    mine.write_text("[models.default]\ntop_p = 0.5\n[models.editor]\ntemperature = 0.7\n")
    chosen, without = load_settings({"preset": str(mine)}), load_settings()
    assert (chosen.journalism, chosen.limits) == (without.journalism, without.limits)
    sampled = [chosen.resolve_model_settings(role) for role in ("default", "reader", "editor")]
    assert [(each.temperature, each.top_p, each.repetition_penalty) for each in sampled] == [
        (None, 0.5, None),
        (None, 0.5, None),
        (0.7, 0.5, None),
    ]
    assert {each.max_tokens for each in sampled} == {99}


def test_a_preset_keeps_the_limits_that_a_model_needs(file: Path) -> None:
    file.write_text("[limits]\nterms = 3\n[models.default]\nmodel = 'small'\nschema_limits = true\n")
    assert load_settings({"preset": "paper"}).limits.terms == 3


def test_a_mistake_in_what_a_preset_replaces_is_told(file: Path) -> None:
    file.write_text("[feedback]\nverify = true\n")
    assert "`feedback.verify`: extra inputs are not permitted" in error({"preset": "paper"})


def test_a_model_for_all_roles_is_asked_for_each_role_of_a_preset(file: Path) -> None:
    file.write_text('preset = "paper"\n[models.default]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "mine"\n')
    assert load_settings().resolve_model_settings("reader").base_url == "http://127.0.0.1:9/v1"
    assert load_settings({"preset": "paper"}).resolve_model_settings("reader").model == "mine"
    assert load_settings({"models": {"reader": {"model": "small"}}}).resolve_model_settings("reader").model == "small"


def test_a_role_takes_from_default_what_it_leaves_out(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file.write_text('[models.default]\nmodel = "large"\ntemperature = 0.5\n[models.reader]\ntemperature = 0.1\n')
    monkeypatch.setenv("DRAFTROOM_MODELS__READER__MODEL", "small")
    settings = load_settings({"models": {"default": {"seed": 7}}})
    reader, editor = settings.resolve_model_settings("reader"), settings.resolve_model_settings("editor")
    assert (reader.model, reader.temperature, reader.seed) == ("small", 0.1, 7)
    assert (editor.model, editor.temperature, editor.seed) == ("large", 0.5, 7)


def test_variables_hold_numbers_tables_and_names_that_look_like_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_MODELS__DEFAULT__TEMPERATURE", "0.5")
    monkeypatch.setenv("DRAFTROOM_MODELS__DEFAULT__MODEL", "7")
    monkeypatch.setenv("DRAFTROOM_MODELS__DEFAULT__EXTRA_BODY", '{"chat_template_kwargs": {"enable_thinking": false}}')
    model = load_settings().resolve_model_settings("default")
    assert (model.temperature, model.model) == (0.5, "7")
    assert model.extra_body == {"chat_template_kwargs": {"enable_thinking": False}}


def test_the_file_that_is_named_wins(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    users = tmp_path / "config" / "draftroom" / "draftroom.toml"
    users.parent.mkdir(parents=True)
    users.write_text("[journalism]\nrounds = 7\n")
    assert load_settings().journalism.rounds == 7
    file.write_text("[journalism]\nrounds = 8\n")
    assert load_settings().journalism.rounds == 8
    named = tmp_path / "named.toml"
    named.write_text("[journalism]\nrounds = 9\n")
    monkeypatch.setenv("DRAFTROOM_CONFIG", str(named))
    assert load_settings().journalism.rounds == 9


@pytest.mark.parametrize("data", [b"rounds = [", b"\xff\xfe", b"a = 1\na = 2\n"])
def test_a_file_that_is_no_toml_is_named(data: bytes, file: Path) -> None:
    file.write_bytes(data)
    assert "The settings file draftroom.toml cannot be read" in error()


@pytest.mark.parametrize(
    ("overrides", "culprit"),
    [
        ({"jornalism": {"rounds": 3}}, "`jornalism`: extra inputs are not permitted"),
        ({"journalism": {"round": 3}}, "`journalism.round`: extra inputs are not permitted"),
        ({"journalism": {"rounds": 99}}, "`journalism.rounds`: input should be less than or equal to 20"),
        ({"journalism": {"rounds": "s3cret"}}, "`journalism.rounds`: input should be a valid integer"),
        ({"models": {"raeder": {}}}, "`models.raeder.[key]`: must be one of default, journalist"),
        ({"models": {"reader": {"modle": "s3cret"}}}, "`models.reader.modle`: extra inputs are not permitted"),
        ({"models": {"reader": {"top_p": 2}}}, "`models.reader.top_p`: input should be less than or equal to 1"),
        ({"models": {"reader": {"extra_body": "{s3cret"}}}, "`models.reader.extra_body`: "),
        (
            {"models": {"reader": {"extra_body": {"a": [{"X-Api-Key": "s3cret"}]}}}},
            "extra_body`: must not hold X-Api-Key",
        ),
        ({"models": {"reader": {"extra_body": {"a": {"trust_remote_code": True}}}}}, "must not hold trust_remote_code"),
        ({"models": {"reader": {"provider": "huggingface"}}}, "the provider `huggingface` is not supported"),
        (
            {"models": {"reader": {"api_key_env": "DRAFTROOM_SERVER_TOKENS"}}},
            "api_key_env`: must name a variable with K",
        ),
        ({"feedback": {"embedding": {"api_key_env": "DATABASE_URI"}}}, "api_key_env`: must name a variable with KEY"),
        (
            {"models": {"reader": {"base_url": "http://me:s3cret@host/v1"}}},
            "`models.reader.base_url`: must not contain",
        ),
        ({"models": {"default": {"base_url": "host:8000"}}}, "`models.default.base_url`: must be an address like"),
        ({"models": {"default": "s3cret"}}, "`models.default`: input should be a valid dictionary"),
        ({"checkpoints": "postgres:s3cret"}, "`checkpoints`: string should match pattern"),
        (
            {"feedback": {"segment_characters": 300, "segment_overlap": 300}},
            "`feedback.segment_overlap`: must be less than segment_characters",
        ),
        ({"preset": "slow"}, "There is no preset 'slow'; choose one of debug, fast, laptop, paper"),
    ],
)
def test_a_mistake_is_told_by_its_name_and_without_its_value(overrides: dict[str, Any], culprit: str) -> None:
    message = error(overrides)
    assert culprit in message
    assert "s3cret" not in message
    assert "\n" not in message


@pytest.mark.parametrize("variable", ["DRAFTROOM_ROUNDS", "DRAFTROOM_JOURNALISMS__ROUNDS", "DRAFTROOM_"])
def test_an_unknown_variable_is_named(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "s3cret")
    message = error()
    assert f"The environment variable {variable} is not a setting" in message
    assert "s3cret" not in message


@pytest.mark.parametrize(
    ("variable", "value", "culprit"),
    [
        ("DRAFTROOM_JOURNALISM__ROUND", "s3cret", "`journalism.round`"),
        ("DRAFTROOM_MODELS__RAEDER__MODEL", "s3cret", "`models.raeder.[key]`"),
        ("DRAFTROOM_MODELS", "{s3cret", '"models"'),
    ],
)
def test_a_mistake_in_a_variable(variable: str, value: str, culprit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, value)
    message = error()
    assert culprit in message
    assert "s3cret" not in message


def test_a_role_with_another_provider_takes_nothing_of_the_server_of_the_others() -> None:
    local = {"base_url": "http://127.0.0.1:1/v1", "model": "large", "api_key_env": "LAB_KEY", "retries": 2}
    tables = {"default": local, "reader": {"provider": "anthropic", "model": "claude"}, "editor": {"model": "small"}}
    settings = load_settings({"models": tables})
    reader, editor = map(settings.resolve_model_settings, ("reader", "editor"))
    assert (reader.base_url, reader.api_key_env, reader.retries) == ("", "", 2)
    assert (editor.base_url, editor.api_key_env, editor.retries) == ("http://127.0.0.1:1/v1", "LAB_KEY", 2)


def test_an_address_for_one_run_takes_the_place_of_a_provider(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_MODELS__DEFAULT__PROVIDER", "anthropic")
    monkeypatch.setenv("DRAFTROOM_MODELS__DEFAULT__MODEL", "claude")
    assert load_settings().resolve_model_settings("editor").address == "anthropic"
    chosen = load_settings({"models": {"default": {"base_url": "http://127.0.0.1:1/v1"}}})
    assert chosen.resolve_model_settings("editor").address == "http://127.0.0.1:1/v1"
    monkeypatch.delenv("DRAFTROOM_MODELS__DEFAULT__MODEL")
    with pytest.raises(SettingsError, match="The provider anthropic needs the name of a model"):
        load_settings().resolve_model_settings("editor")
