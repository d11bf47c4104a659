"""What the record knows of subgraphs that are under way side by side: every answered call once, at any moment."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Annotated, Any

import pytest
from langgraph.channels import DeltaChannel
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Send, interrupt
from typing_extensions import TypedDict

from draftroom.systems.feedback import FOCUSED_FEEDBACK_GRAPH
from draftroom.systems.simplification import MEDICAL_SIMPLIFICATION
from runs.graph_state import StreamState
from state.records import append_records

CONFIG: Any = {"configurable": {"thread_id": "1"}}


class Handed(TypedDict):
    reviews: Annotated[list[Any], DeltaChannel(append_records)]
    calls: Annotated[list[Any], DeltaChannel(append_records)]


class Part(Handed):
    number: int
    question: str


class Whole(Handed):
    parts: list[int]


STEPS_OF_OTHERS = 500
"""Turns of the event loop before a call fails: an answer that comes in the moment another part fails may be lost."""


@dataclass
class House:
    """A graph like that of a review, whose calls are texts, and an account of those that were answered."""

    parts: list[int] = field(default_factory=lambda: [1, 2, 3])
    paid: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)
    """Calls that fail."""
    asks: bool = False

    async def call(self, name: str) -> dict[str, Any]:
        for _ in range(STEPS_OF_OTHERS if name in self.broken else 1):
            await asyncio.sleep(0)
        if name in self.broken:
            raise RuntimeError(name)
        self.paid.append(name)
        return {"calls": [name]}

    async def initialise(self, state: Whole) -> dict[str, Any]:
        return {"parts": self.parts, "reviews": [], **await self.call("initialise")}

    async def plan(self, state: Part) -> dict[str, Any]:
        return await self.call(f"plan {state['number']}")

    async def edit(self, state: Part) -> dict[str, Any]:
        return {"question": interrupt("which?")} if self.asks else {"question": ""}

    async def answer(self, state: Part) -> dict[str, Any]:
        return await self.call(f"answer {state['number']}{state['question']}")

    async def conclude(self, state: Part) -> dict[str, Any]:
        return {"reviews": [state["number"]], **await self.call(f"conclude {state['number']}")}

    async def rank(self, state: Whole) -> dict[str, Any]:
        return await self.call("rank")

    def compile(self) -> CompiledStateGraph[Any, Any, Any, Any]:
        part = StateGraph(Part, output_schema=Handed)
        for node in (self.plan, self.edit, self.answer, self.conclude):
            part.add_node(node)
        part.add_edge(START, "plan")
        part.add_edge("plan", "edit")
        part.add_conditional_edges("edit", lambda state: [send("answer", state, name) for name in "ab"], ["answer"])
        part.add_edge("answer", "conclude")
        part.add_edge("conclude", END)
        whole = StateGraph(Whole)
        whole.add_node(self.initialise)
        whole.add_node("review", part.compile())
        whole.add_node(self.rank)
        whole.add_edge(START, "initialise")
        whole.add_conditional_edges(
            "initialise", lambda state: [send("review", {"number": n}) for n in state["parts"]], ["review"]
        )
        whole.add_edge("review", "rank")
        whole.add_edge("rank", END)
        return whole.compile(checkpointer=InMemorySaver())

    @property
    def all_calls(self) -> set[str]:
        each = {f"{call} {n}" for n in self.parts for call in ("plan", "conclude")}
        return {"initialise", "rank", *each, *(f"answer {n}{name}" for n in self.parts for name in "ab")}


def send(node: str, state: Any, question: str = "") -> Send:
    return Send(node, Part(number=state["number"], question=question, reviews=[], calls=[]))


async def follow(graph: Any, start: Any) -> AsyncIterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Each part of the stream, and the state with it taken in; first the state that the checkpoints tell."""
    newest = StreamState(await graph.aget_state(CONFIG, subgraphs=True))
    yield {"type": "none"}, newest.merge_subgraphs(FOCUSED_FEEDBACK_GRAPH)
    modes = ["values", "updates"]
    async for part in graph.astream(start, CONFIG, stream_mode=modes, subgraphs=True, version="v2", durability="sync"):
        newest.apply_stream_part(part)
        yield part, newest.merge_subgraphs(FOCUSED_FEEDBACK_GRAPH)


async def run(house: House, graph: Any, start: Any) -> list[str]:
    """Run to an end or a failure; at every moment what was known stays known, and nothing is known twice."""
    known: list[str] = []
    async for part, values in follow(graph, start):
        assert len(set(values["calls"])) == len(values["calls"])
        assert set(known) <= set(values["calls"]) <= set(house.paid)
        for update in part["data"].values() if part["type"] == "updates" and part["ns"] else ():
            if isinstance(update, dict):
                assert set(update.get("calls", [])) <= set(values["calls"]), "as soon as its node is done"
        assert len(set(values["reviews"])) == len(values["reviews"])
        known = values["calls"]
    return known


@pytest.mark.parametrize("broken", ["plan 2", "answer 2b", "conclude 2", "rank"])
async def test_a_run_that_failed_goes_on_from_all_that_was_known(broken: str) -> None:
    house = House(broken={broken})
    graph = house.compile()
    with pytest.raises(RuntimeError):
        await run(house, graph, {"parts": []})
    paid = list(house.paid)
    snapshot = await graph.aget_state(CONFIG, subgraphs=True)
    told = StreamState(snapshot).merge_subgraphs(FOCUSED_FEEDBACK_GRAPH)
    assert sorted(told["calls"]) == sorted(paid)
    house.broken = set()
    assert set(await run(house, graph, None)) == house.all_calls
    assert len(house.paid) == len(house.all_calls), "no call was paid for twice"


async def test_a_question_to_a_person_takes_nothing_back() -> None:
    house = House(parts=[1], asks=True)
    graph = house.compile()
    assert set(await run(house, graph, {"parts": []})) == {"initialise", "plan 1"}
    assert set(await run(house, graph, Command(resume="so"))) == house.all_calls


async def test_a_loop_that_is_alone_lies_over_the_state() -> None:
    house = House(parts=[1], broken={"answer 1a", "answer 1b"})
    graph = house.compile()
    with pytest.raises(RuntimeError):
        await run(house, graph, {"parts": []})
    told = StreamState(await graph.aget_state(CONFIG, subgraphs=True)).merge_subgraphs(MEDICAL_SIMPLIFICATION)
    assert (told["parts"], told["calls"], told["number"]) == ([1], ["plan 1"], 1)
