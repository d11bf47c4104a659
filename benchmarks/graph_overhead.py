"""What the graph adds to each agent call over a plain asyncio loop with the same calls.

    python -m benchmarks.graph_overhead

The endpoint is the tests' fake one in a process of its own, so that its work is not counted as ours; it streams eight
tokens a piece, for the time of reading pieces is the same in all ways and would drown what is measured. The plain loop
sends the very requests that the graph sent, counts their tokens as the graph does, and measures each draft as the graph
does; what is left is LangGraph, our nodes and the checkpoints.

The yardstick is a bare LangGraph superstep: a node that makes the same call in a task, as each of our calls is one,
keeps what it gives in the checkpoint, and writes a number into a state of one key. There are as many of them as there
are calls; ours has a superstep and a half a call, for drafts are measured in a node of their own. What the bare graph
adds to the plain loop is the cost of its supersteps. The ways take turns, each is compared with the plain loop of its
turn, and medians are printed, of the processor time of this process: a neighbour's work on the machine is not in it.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.func import task
from langgraph.graph import START, StateGraph

from benchmarks.fake_process import serve_fake_endpoint
from graphs.science_journalism import builder
from nodes.journalism.assessment import measure_draft
from nodes.journalism.journalist import Article
from runs.checkpoints import open_checkpointer
from state.journalism import JournalismInput
from state.model_settings import ModelSettings
from state.settings import JournalismContext, Role
from tests.fake_endpoint import FakeEndpoint, RecordedRequest
from tests.support.steps import step_of
from tools.models import close_clients, fetch_endpoint, request_completions
from tools.models.client import Completion
from tools.models.endpoint import count_message_tokens

PAPER = (Path(__file__).parent.parent / "examples" / "mosses.md").read_text(encoding="utf-8")
ROUNDS = 5
REPEATS = 9
PLAIN = "plain asyncio loop"
SQLITE = "checkpoints in SQLite"
CHECKPOINTS = {"no checkpoints": "", SQLITE: "sqlite:///{home}/checkpoints.sqlite"}
TimedRun = Callable[[int], Awaitable[None]]
"""Given the number of the turn."""


async def main() -> None:
    """Time each way and print the table."""
    with tempfile.TemporaryDirectory() as home, serve_fake_endpoint(stream_interval=8) as base_url:
        os.environ["DRAFTROOM_HOME"] = home
        with FakeEndpoint(stream_interval=1) as endpoint:
            await _run_graph(endpoint.base_url, "", 0)
            requests = endpoint.chat_requests
        ways: dict[str, TimedRun] = {PLAIN: lambda _: _run_plain_loop(requests, base_url)}
        for name, address in CHECKPOINTS.items():
            ways[f"graph, {name}"] = partial(_run_graph, base_url, address.format(home=home))
            ways[f"bare, {name}"] = partial(_run_bare_graph, requests, base_url, address.format(home=home))
        print(f"{len(requests)} calls a run, {ROUNDS} rounds, processor time, median of {REPEATS} runs in turn\n")
        _print_times(await _measure_in_turn(ways, len(requests)))
        await close_clients()


Timings = dict[str, list[float]]
"""Milliseconds a call, by the name of the way."""


async def _measure_in_turn(ways: dict[str, TimedRun], calls: int) -> Timings:
    taken: Timings = {name: [] for name in ways}
    for turn in range(REPEATS + 1):
        for name, way in ways.items():
            begin = time.process_time()
            await way(turn)
            if turn:  # the first turn warms caches and connections
                taken[name].append((time.process_time() - begin) * 1000 / calls)
    return taken


def _print_times(taken: Timings) -> None:
    def added(name: str) -> float:
        return statistics.median(way - plain for way, plain in zip(taken[name], taken[PLAIN], strict=True))

    print(f"{PLAIN:<30} {statistics.median(taken[PLAIN]):6.2f} ms a call")
    for name in CHECKPOINTS:
        print(
            f"graph, {name:<23} +{added(f'graph, {name}'):5.2f} ms   a bare superstep +{added(f'bare, {name}'):5.2f} ms"
        )
    ratio = added(f"graph, {SQLITE}") / added(f"bare, {SQLITE}")
    print(f"with {SQLITE}: x {ratio:.2f} of a bare superstep (wanted: at most 2)")


async def _run_graph(base_url: str, checkpoints: str, turn: int) -> None:
    models: dict[Role, dict[str, Any]] = {"default": {"base_url": base_url, "model": "large"}}
    context = JournalismContext(rounds=ROUNDS, models=models)
    await _invoke_graph(builder, JournalismInput(paper=PAPER), checkpoints, f"graph-{turn}", context)


async def _invoke_graph(
    graph: StateGraph[Any, Any, Any, Any], given: Any, checkpoints: str, thread: str, context: Any = None
) -> None:
    if not checkpoints:
        await graph.compile().ainvoke(given, context=context)
        return
    async with open_checkpointer(checkpoints) as saver:
        config: RunnableConfig = {"configurable": {"thread_id": thread}}
        await graph.compile(checkpointer=saver).ainvoke(given, config, context=context, durability="sync")


class BareState(TypedDict):
    """The state of the yardstick."""

    made: int
    """How many calls."""


async def _run_bare_graph(requests: list[RecordedRequest], base_url: str, checkpoints: str, turn: int) -> None:
    @task
    async def call(number: int) -> Completion:
        return await _replay_request(requests[number], base_url)

    async def ask(state: BareState) -> BareState:
        await call(state["made"])
        return {"made": state["made"] + 1}

    def again(state: BareState) -> Literal["ask", "__end__"]:
        return "ask" if state["made"] < len(requests) else "__end__"

    bare = StateGraph(BareState)
    bare.add_node(ask)
    bare.add_edge(START, "ask")
    bare.add_conditional_edges("ask", again)
    await _invoke_graph(bare, BareState(made=0), checkpoints, f"bare-{turn}")


async def _run_plain_loop(requests: list[RecordedRequest], base_url: str) -> None:
    for request in requests:
        await _replay_request(request, base_url)


async def _replay_request(request: RecordedRequest, base_url: str) -> Completion:
    """What a call takes without a graph."""
    model = ModelSettings(base_url=base_url, model="large")
    endpoint = await fetch_endpoint(model)
    await count_message_tokens(request.text, model, endpoint)
    most = int(request.body["max_tokens"])
    (completion,) = await request_completions(request.text, model, request.schema, most, lambda *_: None)
    if step_of(request) in {"write_draft", "revise_draft"}:
        await asyncio.to_thread(measure_draft, 0, Article.from_markdown(completion["text"]).text, PAPER)
    return completion


if __name__ == "__main__":
    asyncio.run(main())
