"""The graphs as LangGraph developers use them: in graphs of their own, streamed, paused and called in the wrong way."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, TypedDict

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, StateGraph
from langgraph.types import Command

from graphs import baselines, focused_feedback, medical_simplification, number_check, science_journalism
from state.errors import InputError, ModelUnavailableError, SettingsError
from state.settings import JournalismContext
from tests.fake_endpoint import FakeEndpoint, Script, Status, When
from tests.support.newsroom import PAPER, steps
from tests.support.steps import step_of

GRAPHS = [science_journalism.graph, medical_simplification.graph, focused_feedback.graph, number_check.graph]
GRAPHS += [baselines.single_model, baselines.chain_of_verification]
INPUT = {"paper": PAPER, "abstract": PAPER, "text": PAPER}
STEPS = [("journalist", "write_draft"), ("reader", "take_notes"), ("editor", "advise"), ("journalist", "revise_draft")]
THREAD: Any = {"configurable": {"thread_id": "a parent's"}}


class Results(TypedDict, total=False):
    paper: str
    abstract: str
    text: str
    settings: dict[str, Any]
    calls: list[Any]


@dataclass
class OwnContext:
    user: str


class OwnTables(TypedDict):
    user: str
    journalism: dict[str, Any]


def parent_of(node: Any, context: Any = None, saver: Any = None) -> Any:
    builder: Any = StateGraph(Results, context_schema=context)
    return builder.add_node("part", node).add_edge(START, "part").compile(checkpointer=saver)


@pytest.fixture(autouse=True)
def environment(fake_endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"BASE_URL": fake_endpoint.base_url, "MODEL": "large", "RETRIES": "0"}.items():
        monkeypatch.setenv(f"DRAFTROOM_MODELS__DEFAULT__{name}", value)
    monkeypatch.setenv("DRAFTROOM_JOURNALISM__ROUNDS", "2")


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.name)
async def test_a_parent_without_context_runs_it_with_the_settings_of_the_environment(graph: Any):
    result = await parent_of(graph).ainvoke(INPUT)
    assert {call["model"] for call in result["calls"]} == {"large"}
    with pytest.raises(InputError, match=r"async only: `await graph\.ainvoke"):
        parent_of(graph).invoke(INPUT)


@pytest.mark.parametrize(
    ("schema", "context", "rounds"),
    [
        (None, {"rounds": 1}, 1),
        (OwnContext, {"user": "anna"}, 2),
        (OwnTables, {"user": "anna", "journalism": {"rounds": 1}}, 1),
        (OwnTables, {"user": "anna", "journalism": {}}, 2),
    ],
)
async def test_a_parent_gives_settings_or_keeps_a_context_of_its_own(schema: Any, context: Any, rounds: int):
    async def call(state: Results) -> Any:
        return await science_journalism.graph.ainvoke({"paper": state["paper"]})

    for node in (science_journalism.graph, call):
        result = await parent_of(node, schema).ainvoke(INPUT, context=context)
        assert result["settings"]["journalism"]["rounds"] == rounds


@pytest.mark.parametrize("context", [{"round": 1}, {"user": "anna"}, {"journalism": {"round": 1}}])
async def test_a_mapping_with_other_fields_is_refused_in_a_sentence(context: Any, fake_endpoint: FakeEndpoint):
    with pytest.raises(SettingsError, match=r"does not know; .* under `journalism`"):
        await parent_of(science_journalism.graph).ainvoke(INPUT, context=context)
    assert not fake_endpoint.chat_requests


async def test_a_parents_thread_resumes_within_it(fake_endpoint: FakeEndpoint):
    fake_endpoint.answer = Script([When(Status(500), where=lambda request: step_of(request) == "advise", times=1)])
    parent = parent_of(science_journalism.graph, saver=InMemorySaver())
    with pytest.raises(ModelUnavailableError):
        await parent.ainvoke(INPUT, THREAD, context={"rounds": 1})
    result = await parent.ainvoke(None, THREAD)
    assert result["settings"]["journalism"]["rounds"] == 1, "they are in the state: a context is in no checkpoint"
    assert Counter(steps(fake_endpoint))["write_draft"] == Counter(steps(fake_endpoint))["take_notes"] == 1


@pytest.mark.parametrize("is_part", [False, True], ids=["alone", "in a parent"])
async def test_the_context_of_a_resume_changes_models_and_limits_only(is_part: bool, fake_endpoint: FakeEndpoint):
    saver = InMemorySaver()
    graph = parent_of(science_journalism.graph, saver=saver)
    graph = graph if is_part else science_journalism.builder.compile(checkpointer=saver)
    begun: dict[str, Any] = {"rounds": 1, "pause": True, "models": {"reader": {"model": "small"}}}
    small = {"default": {"model": "small"}}
    # Of a variant in which the reader is the journalist, the model of the reader is chosen in vain.
    others = {"models": {**small, "reader": {"model": "tiny"}}, "variant": "large-reader"}
    other: Any = begun | others if is_part else JournalismContext(**begun | others)
    await graph.ainvoke(INPUT, {"configurable": {"thread_id": "another"}}, context=other)
    assert {request.body["model"] for request in fake_endpoint.chat_requests} == {"small"}
    await graph.ainvoke(INPUT, THREAD, context=begun)
    for refused, why in ((other, "keeps journalism.variant = full;"), ({"rounds": 5}, "keeps journalism.rounds = 1;")):
        with pytest.raises(SettingsError, match=why):
            await graph.ainvoke(Command(resume={"advice": None}), THREAD, context=refused)
    asked = len(fake_endpoint.chat_requests)
    await graph.ainvoke(None, THREAD, context={"models": small})
    assert [request.body["model"] for request in fake_endpoint.chat_requests[asked:]] == ["small"]


@pytest.mark.parametrize("graph", [science_journalism.graph, focused_feedback.graph], ids=lambda graph: graph.name)
async def test_an_answer_of_another_form_to_a_pause_is_refused_and_the_run_waits_on(graph: Any, fake_endpoint):
    parent = parent_of(graph, saver=InMemorySaver())
    result = await parent.ainvoke(INPUT, THREAD, context={"pause": True, "extensions": "none"})
    (question,), asked = result["__interrupt__"], len(fake_endpoint.chat_requests)
    assert '{"advice": [' in question.value["answer"]
    assert "advice" in question.response_schema["properties"]
    forms = (
        "yes",
        ["paper: How many?"],
        {"advice": "paper: How many?"},
        {"advise": ["a"]},
        {"advice": [1]},
        {"advice": []},
    )
    unknown = (
        ({"advice": ["literatur: What is known?"]}, {"advice": ["paper: "]}) if graph is focused_feedback.graph else ()
    )
    for wrong in (*forms, *unknown):
        result = await parent.ainvoke(Command(resume=wrong), THREAD)
        (again,) = result["__interrupt__"]
        assert again.value["problem"].endswith(question.value["answer"])
        assert {**again.value, "problem": ""} == {**question.value, "problem": ""}
    assert len(fake_endpoint.chat_requests) == asked
    await parent.ainvoke(Command(resume={"advice": ["paper: How many adults were measured?"]}), THREAD)
    assert "How many adults were measured?" in fake_endpoint.chat_requests[asked].text


async def test_tokens_are_streamed_with_role_and_step():
    streamed = science_journalism.graph.astream(
        {"paper": PAPER}, context={"rounds": 1}, stream_mode=["messages", "custom"]
    )
    parts = [part async for part in streamed]
    tokens = [part for mode, part in parts if mode == "messages"]
    assert {(told["role"], told["step"]) for _, told in tokens} == set(STEPS)
    assert all({told["role"], told["step"]} == {*told["tags"]} for _, told in tokens)
    events = [part for mode, part in parts if mode == "custom"]
    assert [(each["role"], each["step"]) for each in events if each["event"] == "call"] == STEPS
    assert "".join(each.get("text", "") for each in events) == "".join(chunk.text for chunk, _ in tokens)
    assert {each["event"] for each in events} == {"call", "tokens", "ended"}
