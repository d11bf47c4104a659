"""Focused feedback as the paper has it (`--preset paper`), and with a model that says much and well."""

from __future__ import annotations

from pathlib import Path

from graphs.focused_feedback import graph
from tests.fake_endpoint import Choices, FakeEndpoint, Json
from tests.graphs.review_room import (
    CLAIM,
    LITERATURE_QUESTION,
    METHODS,
    PAPER,
    PAPER_QUESTION,
    REVIEW,
    Room,
    context,
    folder_of_literature,
    plan,
    prompts,
    run,
)
from tests.graphs.support import steps

ANSWER = {"answer": "There were 24 of them."}


async def test_the_paper_preset_asks_whom_the_paper_asks_in_its_order(
    fake_endpoint: FakeEndpoint, own_state: Path
) -> None:
    planned = plan(PAPER_QUESTION, literature=LITERATURE_QUESTION)
    fake_endpoint.answer = Room(ProposedPlan=[Choices([Json(planned)])], PlainAnswer=[ANSWER])
    chosen = context(fake_endpoint, preset="paper", literature=folder_of_literature(own_state))
    del chosen["plans"]
    result = await graph.ainvoke({"paper": PAPER, "text": CLAIM}, context=chosen)
    assert result["settings"]["feedback"]["aids"] == []

    order = ["ProposedPlan", "StepDecision", "PlainAnswer", "StepDecision", "PlainAnswer", "Review"]
    assert steps(fake_endpoint) == order, "the review that ends a plan leaves nothing to decide"
    planner, first, of_paper, second, of_literature, reviewer = fake_endpoint.chat_requests
    assert planner.n == 4
    assert planner.body["temperature"] >= 0.6
    assert all(request.body.get("top_p") != 0.4 for request in fake_endpoint.chat_requests)

    for request in (planner, first, second, reviewer):
        assert request.text.count(CLAIM) == 1
        assert request.text.startswith(planner.text[:1000]), "the team's words are first, for the server's cache"
        assert "Cold tea and the growth of cress" not in request.text, "they see the paragraph, not the paper"
    assert PAPER_QUESTION in first.text
    assert ANSWER["answer"] not in first.text
    assert second.text.count(ANSWER["answer"]) == 1
    assert f"The next step is: Investigator: answer from the literature: {LITERATURE_QUESTION}" in second.text
    assert first.schema
    assert list(first.schema["properties"]) == ["explanation", "actor", "action", "parameters"]
    assert first.schema["properties"]["action"]["enum"] == ["ask_paper", "ask_literature", "write_review", "skip"]

    assert METHODS in of_paper.text
    assert CLAIM not in of_literature.text
    assert "Caffeine in the soil" in of_literature.text
    for request in (of_paper, of_literature):
        assert request.schema
        assert list(request.schema["properties"]) == ["answer"]
    assert reviewer.schema
    assert list(reviewer.schema["properties"]) == ["reasoning", "label", "review"]
    for shown in (PAPER_QUESTION, LITERATURE_QUESTION, "caffeine", "# Examples"):
        assert shown.casefold() in reviewer.text.casefold()
    (found,) = result["reviews"]
    (note,) = found["notes"]
    folder = chosen["literature"]["folder"]
    assert note == f"The literature that was asked is the folder {folder}, not Google as in the paper."
    assert [item["score"] is None for item in found["plans"]] == [False] * 4
    assert found["comment"]
    assert found["comment"]["quote"] == found["comment"]["suggestion"] == ""
    assert found["comment"]["verification"] == {"verdict": "kept", "notes": []}


async def test_a_model_that_says_much_loses_nothing(fake_endpoint: FakeEndpoint) -> None:
    def words(number: int, about: str) -> str:
        return " ".join(f"{about}{place}" for place in range(number)) + "."

    questions = [f"How was tray {number} watered, {words(40, 'tray')[:-1]}?" for number in range(1, 11)]
    answer = {"quote": "We raised 24 seedlings of garden cress", "passage": 1, "answer": words(300, "found")}
    review = {
        **REVIEW,
        "reasoning": words(500, "because"),
        "review": words(400, "weak"),
        "suggestion": words(200, "mend"),
        "evidence": [f"e{number}" for number in range(1, 11)],
    }
    fake_endpoint.answer = Room(
        ProposedPlan=[Choices([Json(plan(*questions))])], PassageAnswer=[answer], Review=[review]
    )
    result = await run(fake_endpoint, plans=8, rerank=False, aids=["quotes", "anchors"])
    (found,) = result["reviews"]
    assert len(found["plans"]) == 8
    assert [step["question"] for step in found["plans"][7]["steps"]] == [*questions, ""]
    assert [item["answer"] for item in found["evidence"]] == [answer["answer"]] * 10
    assert found["comment"]
    for field in ("reasoning", "review", "suggestion"):
        assert found["comment"][field] == review[field]
    assert len(found["comment"]["evidence"]) == 10
    assert not any(call["cuts"] or call["reask"] for call in result["calls"])
    assert answer["answer"] in prompts(fake_endpoint, "Review")[0]
