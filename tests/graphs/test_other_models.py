"""Each system with a chat model of LangChain's in place of an endpoint."""

from __future__ import annotations

from typing import Any

import pytest

from graphs.focused_feedback import graph as focused_feedback
from graphs.medical_simplification import graph as medical_simplification
from graphs.science_journalism import graph as science_journalism
from state.errors import RetrievalUnavailableError, SettingsError
from tests.fake_endpoint import FakeEndpoint
from tests.support import newsroom, review_room, society

MADE_UP: Any = {"models": {"default": {"use": "tests.support.chat_models:MadeUp", "model": "made-up"}}}
REVIEWED = {"paper": review_room.PAPER, "text": review_room.CLAIM}


@pytest.fixture(autouse=True)
def allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_ALLOWED_CODE", "tests.support.chat_models:MadeUp")


@pytest.mark.parametrize(
    ("system", "given", "context", "made"),
    [
        (science_journalism, {"paper": newsroom.PAPER}, {"rounds": 1}, "article"),
        (medical_simplification, {"abstract": society.ABSTRACT}, {}, "simplified"),
        (focused_feedback, REVIEWED, {"retrieval": "bm25", "plans": 2}, "reviews"),
    ],
)
async def test_each_system_is_played_by_it(system: Any, given: Any, context: Any, made: str) -> None:
    result = await system.ainvoke(given, context={**MADE_UP, **context})
    assert result[made]
    assert {call["model"] for call in result["calls"]} == {"made-up"}
    assert all(call["output_tokens"] and call["tokens_estimated"] for call in result["calls"])


async def test_a_missing_package_is_told_before_any_model_is_asked(fake_endpoint: FakeEndpoint) -> None:
    models = {**newsroom.context(fake_endpoint)["models"], "editor": {"provider": "cohere", "model": "command"}}
    with pytest.raises(
        SettingsError, match=r"needs a package that is not installed; install it with `pip install langchain-cohere`"
    ):
        await science_journalism.ainvoke({"paper": newsroom.PAPER}, context={"models": models})
    assert not fake_endpoint.chat_requests


async def test_a_missing_package_of_an_embedding_model_is_told_as_early(fake_endpoint: FakeEndpoint) -> None:
    with pytest.raises(RetrievalUnavailableError, match=r"'moss' of cohere needs a package .*pip install langchain-co"):
        await review_room.review(fake_endpoint, retrieval="dense", embedding={"provider": "cohere", "model": "moss"})
    assert not fake_endpoint.chat_requests
