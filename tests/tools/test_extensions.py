"""Extensions: one switch a system, resolved to names wherever it comes from."""

from __future__ import annotations

import pytest

from state.extensions import JOURNALISM_EXTENSIONS
from state.settings import FeedbackSettings, JournalismContext, JournalismSettings
from tools.configuration import load_settings


def test_whole_sets() -> None:
    assert JournalismSettings(extensions="none").extensions == []
    assert JournalismSettings(extensions="all").extensions == list(JOURNALISM_EXTENSIONS)
    assert JournalismSettings().extensions == [
        name for name, extension in JOURNALISM_EXTENSIONS.items() if extension.default
    ]


def test_names_come_in_the_order_of_the_table() -> None:
    assert FeedbackSettings(extensions="verify, quotes").extensions == ["quotes", "verify"]


@pytest.mark.parametrize("value", ["rewrite_copied,unsupported_details", '["unsupported_details", "rewrite_copied"]'])
def test_the_environment_names_them(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("DRAFTROOM_JOURNALISM__EXTENSIONS", value)
    assert load_settings().journalism.extensions == ["unsupported_details", "rewrite_copied"]


def test_a_context_without_any_is_not_a_context_that_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_JOURNALISM__EXTENSIONS", "all")
    assert load_settings(JournalismContext(extensions="none").build_overrides()).journalism.extensions == []
    assert load_settings(JournalismContext().build_overrides()).journalism.extensions == list(JOURNALISM_EXTENSIONS)
