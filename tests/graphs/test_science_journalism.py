"""The loop of LLM-CLBR and its variants, against the fake endpoint."""

from __future__ import annotations

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graphs.science_journalism import builder, graph
from state.errors import BadInput, SettingsError
from tests.fake_endpoint import FakeEndpoint, Script, Text, When
from tests.graphs.support import DRAFT, EASY, HARD, PAPER, Newsroom, article, context, run, steps

ROUND = {
    "full": ["ReadingNotes", "EditorReview", "RevisedArticle"],
    "large-reader": ["ReadingNotes", "EditorReview", "RevisedArticle"],
    "no-notes": ["EditorReview", "RevisedArticle"],
    "no-suggestions": ["ReadingNotes", "RevisedArticle"],
    "no-collaboration": ["RevisedArticle"],
}


@pytest.mark.parametrize("variant", ROUND)
@pytest.mark.parametrize("rounds", [0, 1, 3])
async def test_each_variant_asks_its_agents_in_the_papers_order(
    fake_endpoint: FakeEndpoint, variant: str, rounds: int
) -> None:
    result = await run(fake_endpoint, variant=variant, rounds=rounds)
    assert steps(fake_endpoint) == ["Article", *ROUND[variant] * rounds]
    assert [draft["round"] for draft in result["drafts"]] == list(range(rounds + 1))
    assert len(result["assessments"]) == rounds + 1
    assert result["stop_reason"] == "rounds done"


async def test_single_model_writes_one_draft_whatever_the_rounds(fake_endpoint: FakeEndpoint) -> None:
    result = await run(fake_endpoint, variant="single", rounds=5)
    assert steps(fake_endpoint) == ["Article"]
    assert result["stop_reason"] == "single draft"


async def test_the_reader_is_the_small_model_and_never_sees_the_paper(fake_endpoint: FakeEndpoint) -> None:
    await run(fake_endpoint, rounds=1)
    (reader,) = [request for request in fake_endpoint.chat_requests if request.schema_name == "ReadingNotes"]
    others = [request for request in fake_endpoint.chat_requests if request is not reader]
    assert reader.model == "small"
    assert "zoledronate" not in reader.text
    assert all(request.model == "large" and PAPER in request.text for request in others)


async def test_large_reader_uses_the_journalists_model(fake_endpoint: FakeEndpoint) -> None:
    await run(fake_endpoint, variant="large-reader", rounds=1)
    assert {request.model for request in fake_endpoint.chat_requests} == {"large"}


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


async def test_notes_reach_the_editor_and_advice_reaches_the_journalist(fake_endpoint: FakeEndpoint) -> None:
    note = {"term": "bones", "where": "looked at the bones", "explanation": "NOTE-7", "basis": "article"}
    made_up = {"term": "quasar", "where": "near", "explanation": "a star", "basis": "general knowledge"}
    fake_endpoint.answer = Newsroom(
        Article=[article()],
        ReadingNotes=[{"terms": [note, made_up]}],
        EditorReview=[review("Say ADVICE-9 in everyday words.")],
    )
    result = await run(fake_endpoint, rounds=1)
    editor, journalist = fake_endpoint.chat_requests[2:4]
    assert "NOTE-7" in editor.text
    assert "quasar" not in editor.text
    assert "named 1 terms that the article does not contain" in editor.text
    assert "ADVICE-9" in journalist.text
    assert "NOTE-7" not in journalist.text
    assert [term["in_article"] for term in result["notes"][0]["terms"]] == [True, False]


async def test_without_an_editor_the_journalist_gets_the_notes(fake_endpoint: FakeEndpoint) -> None:
    note = {"term": "bones", "where": "the bones", "explanation": "NOTE-7", "basis": "article"}
    fake_endpoint.answer = Newsroom(Article=[article()], ReadingNotes=[{"terms": [note]}])
    await run(fake_endpoint, variant="no-suggestions", rounds=1)
    assert "NOTE-7" in fake_endpoint.chat_requests[-1].text


async def test_unsupported_details_reach_editor_journalist_and_result(fake_endpoint: FakeEndpoint) -> None:
    wrong = article("Doctors in Oslo looked at the bones of 212 adults.", "A drug made the bones 47% denser.")
    fake_endpoint.answer = Newsroom(Article=[wrong], RevisedArticle=[article()])
    result = await run(fake_endpoint, rounds=1, select="last")
    _, _, editor, journalist = fake_endpoint.chat_requests
    assert [fact["text"] for fact in result["assessments"][0]["unsupported"]] == ["47%"]
    assert '"47%" in' in editor.text
    assert 'The paper does not say "47%"' in journalist.text
    assert result["reviews"][0]["advice"][0]["origin"] == "guard"
    assert result["assessments"][1]["unsupported"] == []


async def test_hard_sentences_reach_editor_and_journalist(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(Article=[article(EASY, HARD)])
    result = await run(fake_endpoint, rounds=1)
    assert result["assessments"][0]["hard_sentences"] == [HARD]
    _, _, editor, journalist = fake_endpoint.chat_requests
    assert f"1. {HARD}" in editor.text
    assert f'Too hard: "{HARD}"' in journalist.text


async def test_the_journalist_decides_on_improvements_before_it_writes(fake_endpoint: FakeEndpoint) -> None:
    await run(fake_endpoint, rounds=1)
    assert fake_endpoint.chat_requests[-1].schema is not None
    assert next(iter(fake_endpoint.chat_requests[-1].schema["properties"])) == "improvements"


async def test_advice_that_asks_for_a_picture_or_a_link_is_left_out(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(
        EditorReview=[
            review("Add a diagram of the bone.", "Include links to the study.", "Explain density in a clause.")
        ]
    )
    result = await run(fake_endpoint, rounds=1)
    kept = [advice["text"] for advice in result["reviews"][0]["advice"] if advice["origin"] == "editor"]
    assert kept == ["Explain density in a clause."]
    assert len(result["reviews"][0]["dropped"]) == 2
    assert "diagram" not in fake_endpoint.chat_requests[-1].text


async def test_advice_names_the_words_to_change_and_what_changes_nothing_is_left_out(
    fake_endpoint: FakeEndpoint,
) -> None:
    good = {"aspect": "accessibility", "quote": "a drug made", "change": "Doctors gave a drug that made"}
    elsewhere = {"aspect": "accuracy", "quote": "a quasar", "change": "Name the drug at its first mention."}
    idle = {"aspect": "accuracy", "quote": DRAFT[1], "change": DRAFT[1]}
    fake_endpoint.answer = Newsroom(
        Article=[article()], EditorReview=[{**review("-"), "advice": [good, elsewhere, idle]}]
    )
    result = await run(fake_endpoint, rounds=1)
    kept = [advice["text"] for advice in result["reviews"][0]["advice"] if advice["origin"] == "editor"]
    assert kept == ['Instead of "a drug made", say: Doctors gave a drug that made', elsewhere["change"]]
    assert len(result["reviews"][0]["dropped"]) == 1


async def test_a_hard_sentence_that_is_copied_is_sent_back_by_itself(fake_endpoint: FakeEndpoint) -> None:
    easier = "Doctors gave zoledronate. It made the bones take up substantial minerals."
    fake_endpoint.answer = Newsroom(
        Article=[article(EASY, HARD)],
        RevisedArticle=[article(EASY, HARD)],
        RewrittenSentences=[{"rewrites": [{"number": 1, "point": "what it is", "rewritten": easier}]}],
    )
    result = await run(fake_endpoint, rounds=1, select="last")
    assert steps(fake_endpoint) == ["Article", *ROUND["full"], "RewrittenSentences"]
    assert f"1. {HARD}" in fake_endpoint.chat_requests[-1].text
    assert result["article"] == f"# Stronger bones\n\n{EASY}\n\n{easier}\n"
    assert [draft["round"] for draft in result["drafts"]] == [0, 1]


@pytest.mark.parametrize(
    "worse",
    [
        f"Notwithstanding uncertainties, {HARD[:-1]} and immunological interrelationships.",
        "This is good for us. We like it a lot. It is fun.",
        "Zoledronate gave substantial mineralisation to 999 adults.",
    ],
    ids=["harder", "about something else", "not in the paper"],
)
async def test_a_rewritten_sentence_that_is_no_better_is_left_out(fake_endpoint: FakeEndpoint, worse: str) -> None:
    fake_endpoint.answer = Newsroom(
        Article=[article(EASY, HARD)],
        RevisedArticle=[article(EASY, HARD)],
        RewrittenSentences=[{"rewrites": [{"number": 1, "point": "what it is", "rewritten": worse}]}],
    )
    result = await run(fake_endpoint, rounds=1, select="last")
    assert HARD in result["article"]


async def test_nonsense_instead_of_rewritten_sentences_leaves_the_revision(fake_endpoint: FakeEndpoint) -> None:
    scripted = Newsroom(Article=[article(EASY, HARD)], RevisedArticle=[article(EASY, HARD)])
    fake_endpoint.answer = Script([When(Text("No."), schema="RewrittenSentences")], otherwise=scripted)
    result = await run(fake_endpoint, rounds=1, select="last")
    assert HARD in result["article"]
    assert sum(call["step"] == "rewrite_copied" for call in result["calls"]) == 2


async def test_a_term_is_noted_once(fake_endpoint: FakeEndpoint) -> None:
    notes = [
        {"term": term, "where": "there", "explanation": said, "basis": "article"}
        for term, said in (("Bones", "first"), ("drug", "other"), ("bones", "again"))
    ]
    fake_endpoint.answer = Newsroom(Article=[article()], ReadingNotes=[{"terms": notes}])
    result = await run(fake_endpoint, rounds=1)
    assert [term["explanation"] for term in result["notes"][0]["terms"]] == ["first", "other"]


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
    assert steps(fake_endpoint) == ["Article", *ROUND["full"]]


async def test_a_person_can_keep_the_advice(fake_endpoint: FakeEndpoint) -> None:
    checkpointed = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": "t"}}
    fake_endpoint.answer = Newsroom(EditorReview=[review("Say KEPT-3 in a clause.")])
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


def test_the_wiring_is_the_papers_figure() -> None:
    drawn = graph.get_graph()
    edges = {(edge.source, edge.target) for edge in drawn.edges}
    assert edges == {
        ("__start__", "initialise"),
        ("initialise", "write_draft"),
        ("write_draft", "assess_draft"),
        ("assess_draft", "take_notes"),
        ("assess_draft", "advise"),
        ("assess_draft", "revise_draft"),
        ("assess_draft", "choose_draft"),
        ("take_notes", "advise"),
        ("take_notes", "revise_draft"),
        ("advise", "edit_advice"),
        ("advise", "revise_draft"),
        ("edit_advice", "revise_draft"),
        ("revise_draft", "assess_draft"),
        ("revise_draft", "rewrite_copied"),
        ("rewrite_copied", "assess_draft"),
        ("choose_draft", "__end__"),
    }


def review(*texts: str) -> dict[str, Any]:
    judged = {"accuracy": "good", "complexity": "fair", "information": "good"}
    return {
        "evaluation": judged,
        "advice": [{"aspect": "accessibility", "quote": "", "change": text} for text in texts],
    }
