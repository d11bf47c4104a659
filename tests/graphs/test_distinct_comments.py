"""Comments on one paper that say the same are said once, with the extension `distinct_comments`."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphs.focused_feedback import builder, graph
from state.errors import ModelUnavailableError
from state.settings import EmbeddingSettings
from tests.fake_endpoint import FakeEndpoint, Json, Status, Text
from tests.support.review_room import METHODS, PAPER, REVIEW, Room, context, prompts

THIRD = (
    "In the three trays with cold tea the leaves were darker than in the others on every day of the last week, which "
    "two of us noticed independently of each other."
)
THREE = PAPER.replace("## References", f"{THIRD}\n\n## References")

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


async def review(
    endpoint: FakeEndpoint,
    of_methods: dict[str, Any],
    *comparison: Any,
    of_results: dict[str, Any] = ON_TRAYS,
    paper: str = PAPER,
    run: Any = graph,
    config: Any = None,
    retries: int = 4,
    **choices: Any,
) -> Any:
    """Review the paragraphs, with a comment on the methods and another on each of the others, compared as scripted."""
    room = Room(PlainAnswer=[{"answer": "Six trays."}], Repetition=list(comparison))

    def answer(request: Any) -> Any:
        if request.schema_name != "Review":
            return room(request)
        paragraph = request.text.split("# The paragraph")[1]
        third = {**of_results, "quote": "the leaves were darker"}
        return Json(of_methods if METHODS[:20] in paragraph else third if THIRD[:20] in paragraph else of_results)

    endpoint.answer = answer
    here = {"embedding": EmbeddingSettings().model_dump(), "min_words": 20, "extensions": "anchors, distinct_comments"}
    chosen = context(endpoint, **{**here, **choices})
    chosen["models"]["default"]["retries"] = retries
    return await run.ainvoke({"paper": paper}, config, context=chosen)


def compared(endpoint: FakeEndpoint) -> list[str]:
    """The prompts of comparisons, without what looks whether the endpoint still answers."""
    return [prompt for prompt in prompts(endpoint, "Repetition") if "# The new comment" in prompt]


def paragraphs(result: Any) -> list[str]:
    return [comment["paragraph"] for comment in result["comments"]]


async def test_a_comment_that_says_what_a_better_one_says_is_left_out(fake_endpoint: FakeEndpoint) -> None:
    result = await review(fake_endpoint, ALIKE, SAME)
    assert paragraphs(result) == ["p2"]
    assert [item["outcome"] for item in result["reviews"]] == ["comment", "comment"], "what was written stays on record"
    [prompt] = prompts(fake_endpoint, "Repetition")
    earlier, new = prompt.split("# The new comment")
    assert f"[c-p2] “{ALIKE['quote']}” {ALIKE['review']} {ALIKE['suggestion']}" in earlier
    assert new.startswith(f"\n\n{ON_TRAYS['review']}"), "it quotes the words itself"
    assert [(call["role"], call["step"]) for call in result["calls"]][-1] == ("verifier", "compare_comments")


async def test_comments_that_are_far_from_each_other_are_not_compared(fake_endpoint: FakeEndpoint) -> None:
    assert paragraphs(await review(fake_endpoint, FAR, SAME)) == ["p2", "p3"]
    assert prompts(fake_endpoint, "Repetition") == []


@pytest.mark.parametrize("nonsense", [Text("I would rather not."), {**SAME, "same_as": "c-p9"}], ids=["prose", "id"])
async def test_a_comparison_that_fails_costs_no_comment(fake_endpoint: FakeEndpoint, nonsense: Any) -> None:
    result = await review(fake_endpoint, ALIKE, nonsense)
    assert paragraphs(result) == ["p2", "p3"]
    assert len(prompts(fake_endpoint, "Repetition")) == 2, "one second try"
    _, second = result["comments"]
    assert second["verification"]["notes"] == ["Whether an earlier comment says the same could not be asked."]
    assert len([call for call in result["calls"] if call["step"] == "compare_comments"]) == 2, "both tries are paid for"


async def test_the_better_supported_one_is_kept(fake_endpoint: FakeEndpoint) -> None:
    with_evidence = {**ON_TRAYS, "evidence": ["e1"]}
    result = await review(fake_endpoint, ALIKE, {**SAME, "same_as": "c-p3"}, of_results=with_evidence)
    assert paragraphs(result) == ["p3"]


async def test_without_an_embedding_model_nothing_is_compared_and_a_note_says_so(fake_endpoint: FakeEndpoint) -> None:
    dead = {"model": "large", "base_url": "http://127.0.0.1:9/v1"}
    result = await review(fake_endpoint, ALIKE, SAME, retrieval="bm25", embedding=dead)
    assert paragraphs(result) == ["p2", "p3"]
    assert prompts(fake_endpoint, "Repetition") == []
    [note] = result["comments"][1]["verification"]["notes"]
    assert "was not asked: The embedding endpoint http://127.0.0.1:9/v1 cannot be reached" in note


async def test_one_that_was_left_out_is_compared_with_no_more(fake_endpoint: FakeEndpoint) -> None:
    result = await review(fake_endpoint, ALIKE, SAME, OTHER, paper=THREE)
    assert paragraphs(result) == ["p2", "p4"]
    second, third = prompts(fake_endpoint, "Repetition")
    assert "[c-p2]" in second
    assert "[c-p2]" in third
    assert "[c-p3]" not in third


async def test_when_there_are_enough_comments_the_rest_is_not_compared(fake_endpoint: FakeEndpoint) -> None:
    result = await review(fake_endpoint, ALIKE, OTHER, paper=THREE, max_comments=2)
    assert paragraphs(result) == ["p2", "p3"]
    assert len(prompts(fake_endpoint, "Repetition")) == 1


async def test_a_run_that_stops_between_comparisons_asks_none_again(fake_endpoint: FakeEndpoint) -> None:
    run = builder.compile(checkpointer=InMemorySaver())
    config: Any = {"configurable": {"thread_id": "stopped"}}
    with pytest.raises(ModelUnavailableError):
        await review(fake_endpoint, ALIKE, OTHER, Status(500), paper=THREE, run=run, config=config, retries=0)
    before = compared(fake_endpoint)
    assert len(before) == 2
    fake_endpoint.answer = Room(Repetition=[OTHER])
    result = await run.ainvoke(None, config)
    assert paragraphs(result) == ["p2", "p3", "p4"]
    assert compared(fake_endpoint) == [*before, before[-1]], "only the one that had no answer"
