"""Aids: one switch a system, resolved to names wherever it comes from."""

from __future__ import annotations

from typing import get_args

import pytest

from state.aids import (
    FEEDBACK_AIDS,
    JOURNALISM_AIDS,
    SIMPLIFICATION_AIDS,
    FeedbackAid,
    JournalismAid,
    SimplificationAid,
)
from state.errors import SettingsError
from state.settings import FeedbackSettings, JournalismContext, JournalismSettings
from tools.configuration import load_settings

SYSTEMS = [(JournalismAid, JOURNALISM_AIDS), (SimplificationAid, SIMPLIFICATION_AIDS), (FeedbackAid, FEEDBACK_AIDS)]


@pytest.mark.parametrize(("names", "aids"), SYSTEMS)
def test_every_name_is_described(names: object, aids: dict[str, object]) -> None:
    assert set(get_args(names)) == set(aids)


def test_whole_sets() -> None:
    assert JournalismSettings(aids="none").aids == []
    assert JournalismSettings(aids="all").aids == list(JOURNALISM_AIDS)
    assert JournalismSettings().aids == [name for name, aid in JOURNALISM_AIDS.items() if aid.default]


def test_names_come_in_the_order_of_the_table() -> None:
    assert FeedbackSettings(aids="verify, quotes").aids == ["quotes", "verify"]


def test_an_unknown_name_is_refused_with_those_that_exist() -> None:
    with pytest.raises(
        SettingsError, match=r"there is no aid magic; give none, default, all, or names of .*tidy_prose"
    ):
        load_settings({"journalism": {"aids": "magic"}})


@pytest.mark.parametrize("value", ["rewrite_copied,hard_sentences", '["hard_sentences", "rewrite_copied"]'])
def test_the_environment_names_them(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("DRAFTROOM_JOURNALISM__AIDS", value)
    assert load_settings().journalism.aids == ["hard_sentences", "rewrite_copied"]


def test_a_context_without_any_is_not_a_context_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_JOURNALISM__AIDS", "all")
    assert load_settings(JournalismContext(aids="none").overrides()).journalism.aids == []
    assert load_settings(JournalismContext().overrides()).journalism.aids == list(JOURNALISM_AIDS)
