"""Measure the processor time that the graph adds to each agent call over a plain asyncio loop with the same calls.

    python -m benchmarks.graph_overhead

The plain loop replays the graph's requests, counts their tokens and measures each draft as the graph does, so the
difference is LangGraph, the nodes and the checkpoints. The yardstick is a graph of bare supersteps, one a call: each
makes the call in a task, whose answer goes into the checkpoint, and updates one number of the state. (The graph has one
and a half supersteps a call, because drafts are measured in their own node.)

The ways take turns, and each is compared with the plain loop of its turn; medians are printed. Other processes on the
machine are not counted. The endpoint streams eight tokens a piece: reading single tokens would take more time than all
that is compared.
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
# Takes the number of the turn.
TimedRun = Callable[[int], Awaitable[None]]
# Milliseconds a call, by the name of the way.
Timings = dict[str, list[float]]


async def main() -> None:
    """Measure all ways and print the table."""
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
        timings: Timings = {name: [] for name in ways}
        for turn in range(REPEATS + 1):
            for name, way in ways.items():
                begin = time.process_time()
                await way(turn)
                # The first turn warms caches and connections.
                if turn:
                    timings[name].append((time.process_time() - begin) * 1000 / len(requests))
        _print_times(timings)
        await close_clients()


def _print_times(timings: Timings) -> None:
    def compute_overhead(name: str) -> float:
        return statistics.median(way - plain for way, plain in zip(timings[name], timings[PLAIN], strict=True))

    print(f"{PLAIN:<30} {statistics.median(timings[PLAIN]):6.2f} ms a call")
    for name in CHECKPOINTS:
        graph, bare = compute_overhead(f"graph, {name}"), compute_overhead(f"bare, {name}")
        print(f"graph, {name:<23} +{graph:5.2f} ms   a bare superstep +{bare:5.2f} ms")
    ratio = compute_overhead(f"graph, {SQLITE}") / compute_overhead(f"bare, {SQLITE}")
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
    """State of the yardstick."""

    made: int
    """Number of calls."""


async def _run_bare_graph(requests: list[RecordedRequest], base_url: str, checkpoints: str, turn: int) -> None:
    @task
    async def call(number: int) -> Completion:
        return await _replay_request(requests[number], base_url)

    async def ask(state: BareState) -> BareState:
        await call(state["made"])
        return {"made": state["made"] + 1}

    def route_after_ask(state: BareState) -> Literal["ask", "__end__"]:
        return "ask" if state["made"] < len(requests) else "__end__"

    bare = StateGraph(BareState)
    bare.add_node(ask)
    bare.add_edge(START, "ask")
    bare.add_conditional_edges("ask", route_after_ask)
    await _invoke_graph(bare, BareState(made=0), checkpoints, f"bare-{turn}")


async def _run_plain_loop(requests: list[RecordedRequest], base_url: str) -> None:
    for request in requests:
        await _replay_request(request, base_url)


async def _replay_request(request: RecordedRequest, base_url: str) -> Completion:
    """Make a recorded call, with the work of the node around it but without a graph."""
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
