"""What the agents of journalism hand to each other, pauses, forks and warm starts; the rows of Table 1 stand in
`test_journalism_of_the_paper.py`."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graphs.science_journalism import builder, graph
from state.errors import BadInput, SettingsError
from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import DRAFT, PAPER, Newsroom, advice, article, context, note, review, run, steps

ROUND = ["ReadingNotes", "EditorReview", "RevisedArticle"]


async def test_a_fine_tuned_model_writes_the_warm_start_and_nothing_else() -> None:
    with FakeEndpoint(models={"large": 8192, "small": 4096, "tuned": 8192}, answer=Newsroom()) as endpoint:
        chosen = context(endpoint, rounds=1, warm_start=True)
        result = await graph.ainvoke(
            {"paper": PAPER}, context={**chosen, "models": {**chosen["models"], "warm_start": {"model": "tuned"}}}
        )
        assert [request.model for request in endpoint.chat_requests] == ["tuned", "small", "large", "large"]
    assert next((call["role"], call["model"]) for call in result["calls"]) == ("journalist", "tuned")


async def test_a_warm_start_without_its_model_is_refused_before_any_model_is_asked(fake_endpoint: FakeEndpoint) -> None:
    with pytest.raises(SettingsError, match=r"models\.warm_start"):
        await run(fake_endpoint, warm_start=True)
    assert not fake_endpoint.chat_requests


async def test_the_editor_reads_all_notes_as_the_reader_wrote_them(fake_endpoint: FakeEndpoint) -> None:
    notes = [note("bones", "first"), note("quasar", "a star"), note("Bones", "again")]
    fake_endpoint.answer = Newsroom(Article=[article()], ReadingNotes=[{"terms": notes}])
    result = await run(fake_endpoint, rounds=1)
    editor = fake_endpoint.chat_requests[2].text
    assert all(f"{number}. {each['term']} (in" in editor for number, each in enumerate(notes, start=1))
    assert [term["explanation"] for term in result["notes"][0]["terms"]] == ["first", "a star", "again"]
    assert [term["in_article"] for term in result["notes"][0]["terms"]] == [True, False, True]


async def test_an_article_without_technical_terms_is_no_fault_of_the_reader(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(Article=[article()], ReadingNotes=[{"terms": []}])
    result = await run(fake_endpoint, rounds=1)
    assert steps(fake_endpoint) == ["Article", *ROUND]
    assert "The reader found no technical term in the article." in fake_endpoint.chat_requests[2].text
    assert result["notes"] == [{"round": 0, "terms": []}]


async def test_an_editor_without_advice_is_not_taken_for_no_editor(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(Article=[article()], EditorReview=[review()])
    await run(fake_endpoint, rounds=1)
    assert "The editor has no advice." in fake_endpoint.chat_requests[-1].text


@pytest.mark.parametrize(
    "text",
    [
        "Explain the link between sleep and memory, and show how the table of results supports it.",
        DRAFT[1],
        "Add a diagram of the bone.",
    ],
    ids=["words of figures", "words of the article", "what the rules forbid"],
)
async def test_advice_reaches_the_journalist_as_the_editor_gave_it(fake_endpoint: FakeEndpoint, text: str) -> None:
    fake_endpoint.answer = Newsroom(Article=[article()], EditorReview=[review(advice(text))])
    result = await run(fake_endpoint, rounds=1)
    assert [each["text"] for each in result["reviews"][0]["advice"]] == [text]
    assert f"1. {text}" in fake_endpoint.chat_requests[-1].text


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (advice("Name the drug.", quote="a Drug\nmade"), 'On "a Drug made": Name the drug.'),
        (
            advice("Name the drug.", quote="a drug made", replacement="Zoledronate made"),
            'On "a drug made": Name the drug. Proposed wording: "Zoledronate made"',
        ),
        (advice("Name the drug.", quote="a quasar"), 'On "a quasar": Name the drug.'),
        (advice("", quote="a drug made", replacement="It made"), 'On "a drug made": Proposed wording: "It made"'),
    ],
    ids=["a quote", "a quote and a replacement", "a quote that is not verbatim", "no words of its own"],
)
async def test_advice_comes_with_the_quote_and_the_wording_that_the_editor_gave(
    fake_endpoint: FakeEndpoint, given: dict[str, Any], read: str
) -> None:
    fake_endpoint.answer = Newsroom(Article=[article()], EditorReview=[review(given)])
    await run(fake_endpoint, rounds=1)
    assert f"1. {read}\n" in fake_endpoint.chat_requests[-1].text


async def test_the_audience_reaches_every_prompt(fake_endpoint: FakeEndpoint) -> None:
    await run(fake_endpoint, rounds=1, audience="teenager")
    assert all("fifteen-year-old" in request.text for request in fake_endpoint.chat_requests)


async def test_bad_input_and_bad_settings_call_no_model(fake_endpoint: FakeEndpoint) -> None:
    with pytest.raises(BadInput):
        await run(fake_endpoint, paper="   ")
    with pytest.raises(SettingsError, match="temperature"):
        await graph.ainvoke({"paper": PAPER}, context={"models": {"editor": {"temperature": 9}}})
    assert fake_endpoint.requests == []


async def test_every_call_is_in_the_account(fake_endpoint: FakeEndpoint) -> None:
    result = await run(fake_endpoint, rounds=1)
    account = [(call["role"], call["round"], call["model"]) for call in result["calls"]]
    assert account == [
        ("journalist", 0, "large"),
        ("reader", 1, "small"),
        ("editor", 1, "large"),
        ("journalist", 1, "large"),
    ]
    assert all(call["input_tokens"] > 0 and call["output_tokens"] > 0 for call in result["calls"])


async def test_a_person_can_replace_the_advice(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    paused = await checkpointed.ainvoke({"paper": PAPER}, config, context=context(fake_endpoint, rounds=1, pause=True))
    (question,) = paused["__interrupt__"]
    assert question.value["advice"]
    result = await checkpointed.ainvoke(Command(resume={"advice": ["Say MINE-5."]}), config)
    assert "MINE-5" in fake_endpoint.chat_requests[-1].text
    assert [advice["origin"] for advice in result["reviews"][-1]["advice"]] == ["person"]
    assert steps(fake_endpoint) == ["Article", *ROUND]


async def test_a_person_can_keep_the_advice(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    fake_endpoint.answer = Newsroom(EditorReview=[review(advice("Say KEPT-3 in a clause."))])
    await checkpointed.ainvoke({"paper": PAPER}, config, context=context(fake_endpoint, rounds=1, pause=True))
    await checkpointed.ainvoke(Command(resume={"advice": None}), config)
    assert "KEPT-3" in fake_endpoint.chat_requests[-1].text


async def test_new_input_on_an_old_thread_starts_from_nothing(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    for _ in range(2):
        result = await checkpointed.ainvoke({"paper": PAPER}, config, context=context(fake_endpoint, rounds=1))
    assert len(result["drafts"]) == 2
    assert len(result["calls"]) == 4


async def test_a_fork_from_an_earlier_checkpoint_goes_on_from_there(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    await checkpointed.ainvoke({"paper": PAPER}, config, context=context(fake_endpoint, rounds=2))
    history = [snapshot async for snapshot in checkpointed.aget_state_history(config)]
    first_revision = next(snapshot for snapshot in reversed(history) if snapshot.next == ("revise_draft",))
    result = await checkpointed.ainvoke(None, first_revision.config)
    assert [draft["round"] for draft in result["drafts"]] == [0, 1, 2]
