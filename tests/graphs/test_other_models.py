"""Each system with a chat model of LangChain's in place of an endpoint."""

from __future__ import annotations

from typing import Any

import pytest

from graphs.focused_feedback import graph as focused_feedback
from graphs.medical_simplification import graph as medical_simplification
from graphs.science_journalism import graph as science_journalism
from state.errors import SettingsError
from tests.fake_endpoint import FakeEndpoint
from tests.support import newsroom, review_room, society

MADE_UP: Any = {"models": {"default": {"use": "tests.support.chat_models:MadeUp", "model": "made-up"}}}


@pytest.fixture(autouse=True)
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_ALLOWED_CODE", "tests.support.chat_models:MadeUp")


async def test_an_article(fake_endpoint: FakeEndpoint) -> None:
    result = await science_journalism.ainvoke({"paper": newsroom.PAPER}, context={**MADE_UP, "rounds": 1})
    assert result["article"].startswith("#")
    assert {call["model"] for call in result["calls"]} == {"made-up"}
    assert all(call["output_tokens"] and call["tokens_estimated"] for call in result["calls"])


async def test_a_plain_text(fake_endpoint: FakeEndpoint) -> None:
    result = await medical_simplification.ainvoke({"abstract": society.ABSTRACT}, context=MADE_UP)
    assert result["simplified"]
    assert len(result["calls"]) > 3


async def test_a_review(fake_endpoint: FakeEndpoint) -> None:
    context = {**MADE_UP, "retrieval": "bm25", "plans": 2}
    asked = {"paper": review_room.PAPER, "text": review_room.CLAIM}
    (review,) = (await focused_feedback.ainvoke(asked, context=context))["reviews"]
    assert review["comment"]


async def test_a_missing_package_is_told_before_any_model_is_asked(fake_endpoint: FakeEndpoint) -> None:
    models = {**newsroom.context(fake_endpoint)["models"], "editor": {"provider": "cohere", "model": "command"}}
    with pytest.raises(SettingsError, match=r"needs a package that is not installed; pip install langchain-cohere"):
        await science_journalism.ainvoke({"paper": newsroom.PAPER}, context={"models": models})
    assert not fake_endpoint.chat_requests
