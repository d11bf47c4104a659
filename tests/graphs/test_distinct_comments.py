"""Comments on one paper that say the same are said once, with the aid `distinct_comments`."""

from __future__ import annotations

from typing import Any

import pytest

from graphs.focused_feedback import graph
from state.settings import EmbeddingSettings
from tests.fake_endpoint import FakeEndpoint, Json, Text
from tests.support.review_room import METHODS, NOT_NEEDED, PAPER, REVIEW, Room, context, prompts

ON_TRAYS = {**REVIEW, "evidence": []}
ALIKE = {
    **ON_TRAYS,
    "quote": "six trays on one window sill",
    "review": "All trays stood on the same window sill, so differences in light could explain the growth.",
    "suggestion": "Change the places of the trays at random.",
}
FAR = {
    **ON_TRAYS,
    "quote": "measured with a ruler by the same person",
    "review": "Nobody else has repeated the readings of the ruler.",
    "suggestion": "Give the error of a second reader.",
}
SAME = {"explanation": "Both ask for other places of the trays.", "same_as": "c-p2"}
OTHER = {"explanation": "They ask for different things.", "same_as": "none"}


async def review(endpoint: FakeEndpoint, of_methods: dict[str, Any], *comparison: Any, **choices: Any) -> Any:
    """Review two paragraphs with a comment each, and compare the comments as scripted."""
    room = Room(PlainAnswer=[{"answer": "Six trays."}], Repetition=list(comparison))

    def answer(request: Any) -> Any:
        if request.schema_name != "Review":
            return room(request)
        return Json(of_methods if METHODS[:20] in request.text.split("# The paragraph")[1] else ON_TRAYS)

    endpoint.answer = answer
    here = {"embedding": EmbeddingSettings().model_dump(), "min_words": 20, "aids": "anchors, distinct_comments"}
    return await graph.ainvoke({"paper": PAPER}, context=context(endpoint, **{**here, **choices}))


def paragraphs(result: Any) -> list[str]:
    return [comment["paragraph"] for comment in result["comments"]]


async def test_a_comment_that_says_what_a_better_one_says_is_left_out(fake_endpoint: FakeEndpoint) -> None:
    result = await review(fake_endpoint, ALIKE, SAME)
    assert paragraphs(result) == ["p2"]
    assert [item["outcome"] for item in result["reviews"]] == ["comment", "comment"], "what was written stays on record"
    [prompt] = prompts(fake_endpoint, "Repetition")
    earlier, new = prompt.split("# The new comment")
    assert f"[c-p2] “{ALIKE['quote']}” {ALIKE['review']} {ALIKE['suggestion']}" in earlier
    assert f"“{ON_TRAYS['quote']}” {ON_TRAYS['review']}" in new
    assert [(call["role"], call["step"]) for call in result["calls"]][-1] == ("verifier", "compare_comments")


async def test_without_the_aid_nothing_is_left_out(fake_endpoint: FakeEndpoint) -> None:
    assert paragraphs(await review(fake_endpoint, ALIKE, SAME, aids="anchors")) == ["p2", "p3"]
    assert prompts(fake_endpoint, "Repetition") == []


async def test_two_like_comments_on_different_matters_are_both_raised(fake_endpoint: FakeEndpoint) -> None:
    assert paragraphs(await review(fake_endpoint, ALIKE, OTHER)) == ["p2", "p3"]


async def test_comments_that_are_far_from_each_other_are_not_compared(fake_endpoint: FakeEndpoint) -> None:
    assert paragraphs(await review(fake_endpoint, FAR, SAME)) == ["p2", "p3"]
    assert prompts(fake_endpoint, "Repetition") == []


async def test_a_single_comment_is_compared_with_nothing(fake_endpoint: FakeEndpoint) -> None:
    assert paragraphs(await review(fake_endpoint, NOT_NEEDED, SAME)) == ["p3"]
    assert prompts(fake_endpoint, "Repetition") == []


@pytest.mark.parametrize("nonsense", [Text("I would rather not."), {**SAME, "same_as": "c-p9"}], ids=["prose", "id"])
async def test_a_comparison_that_fails_costs_no_comment(fake_endpoint: FakeEndpoint, nonsense: Any) -> None:
    result = await review(fake_endpoint, ALIKE, nonsense)
    assert paragraphs(result) == ["p2", "p3"]
    assert len(prompts(fake_endpoint, "Repetition")) == 2, "one second try"
    _, second = result["comments"]
    assert second["verification"]["notes"] == ["Whether an earlier comment says the same could not be asked."]
    assert len([call for call in result["calls"] if call["step"] == "compare_comments"]) == 2, "both tries are paid for"


async def test_without_an_embedding_model_all_better_comments_are_compared(fake_endpoint: FakeEndpoint) -> None:
    dead = {"model": "large", "base_url": "http://127.0.0.1:9/v1"}
    assert paragraphs(await review(fake_endpoint, FAR, SAME, retrieval="bm25", embedding=dead)) == ["p2"]
