"""What the agents of journalism hand to each other, pauses, forks and warm starts; the rows of Table 1 stand in
`test_journalism_of_the_paper.py`."""

from __future__ import annotations

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from graphs.science_journalism import builder
from state.errors import SettingsError
from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import PAPER, Newsroom, article, context, run


async def test_a_warm_start_without_its_model_is_refused_before_any_model_is_asked(fake_endpoint: FakeEndpoint) -> None:
    with pytest.raises(SettingsError, match=r"models\.warm_start"):
        await run(fake_endpoint, warm_start=True)
    assert not fake_endpoint.chat_requests


async def test_notes_and_advice_are_handed_on_as_they_were_written(fake_endpoint: FakeEndpoint) -> None:
    noted, said = "* bones - *first*\n* a quasar?", "Name the drug.\n\nAdd a diagram of it."
    fake_endpoint.answer = Newsroom(write_draft=[article()], take_notes=[noted], advise=[said])
    result = await run(fake_endpoint, rounds=1)
    _, _, editor, journalist = fake_endpoint.chat_requests
    assert f"# The reader's notes\n\n{noted}\n" in editor.text
    assert f"# The editor's advice\n\n{said}\n" in journalist.text, "a text without labels is advice as a whole"
    assert result["notes"] == [{"round": 0, "text": noted}]
    assert result["reviews"] == [{"round": 0, "text": said, "origin": "editor"}]


async def test_the_audience_reaches_every_prompt(fake_endpoint: FakeEndpoint) -> None:
    await run(fake_endpoint, rounds=1, audience="teenager")
    assert all("fifteen-year-old" in request.text for request in fake_endpoint.chat_requests)


async def test_new_input_on_an_old_thread_starts_from_nothing(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    for _ in range(2):
        result = await checkpointed.ainvoke({"paper": PAPER}, config, context=context(fake_endpoint, rounds=1))
    assert len(result["drafts"]) == 2
    assert len(result["calls"]) == 4
