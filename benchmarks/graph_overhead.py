"""Measure the processor time that the graph adds to each agent call over a plain asyncio loop with the same calls.

    python -m benchmarks.graph_overhead

The plain loop replays the graph's requests, counts their tokens and measures each draft as the graph does, so the
difference is LangGraph, the nodes and the checkpoints. The yardstick is a graph of bare supersteps, one a call: each
makes the call in a task, whose answer goes into the checkpoint, and updates one number of the state. (The graph has one
and a half supersteps a call, because drafts are measured in their own node.)

The runs take turns, and each is compared with the plain loop of its turn; medians are printed. Other processes on the
machine are not counted. The endpoint streams eight tokens a piece: reading single tokens would take more time than all
that is compared.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.func import task
from langgraph.graph import START, StateGraph
from pandas import DataFrame

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
from tools.models.client import Completion, request_completions
from tools.models.endpoint import close_clients, count_message_tokens, fetch_endpoint

PAPER_TEXT = (Path(__file__).parent.parent / "examples" / "mosses.md").read_text(encoding="utf-8")
ROUNDS = 5
TIMED_TURNS = 9
PLAIN_LOOP = "plain asyncio loop"
SQLITE_CHECKPOINTS = "checkpoints in SQLite"
CHECKPOINT_ADDRESSES = {"no checkpoints": "", SQLITE_CHECKPOINTS: "sqlite:///{state_folder}/checkpoints.sqlite"}


async def compare_overheads() -> None:
    """Measure the processor time of the plain loop, the graph and the bare supersteps, and print the comparison."""
    with tempfile.TemporaryDirectory() as state_folder, serve_fake_endpoint(stream_interval=8) as base_url:
        os.environ["DRAFTROOM_HOME"] = state_folder
        # The requests of a run are recorded in this process, and replayed by all other runs.
        with FakeEndpoint(stream_interval=1) as endpoint:
            await _run_graph(endpoint.base_url, "", 0)
            requests = endpoint.chat_requests
        # Each takes the number of the turn.
        timed_runs: dict[str, Callable[[int], Awaitable[None]]] = {
            PLAIN_LOOP: partial(_run_plain_loop, requests, base_url)
        }
        for name, address in CHECKPOINT_ADDRESSES.items():
            timed_runs[f"graph, {name}"] = partial(_run_graph, base_url, address.format(state_folder=state_folder))
            timed_runs[f"bare, {name}"] = partial(
                _run_bare_graph, requests, base_url, address.format(state_folder=state_folder)
            )
        print(f"{len(requests)} calls a run, {ROUNDS} rounds, processor time, median of {TIMED_TURNS} runs in turn\n")
        timings: dict[str, list[float]] = {name: [] for name in timed_runs}
        for turn in range(TIMED_TURNS + 1):
            for name, run_once in timed_runs.items():
                started_at = time.process_time()
                await run_once(turn)
                # The first turn warms caches and connections.
                if turn:
                    timings[name].append((time.process_time() - started_at) * 1000 / len(requests))
        _print_times(timings)
        await close_clients()


def _print_times(timings: Mapping[str, Sequence[float]]) -> None:
    """Print the median time of the plain loop, and by how much the graph and bare supersteps exceed it."""
    times = DataFrame(timings)  # milliseconds of a call, in a row for each turn
    # Each run is compared with the plain loop of its own turn, since the load of the machine changes.
    overheads = times.sub(times[PLAIN_LOOP], axis=0).median()
    print(f"{PLAIN_LOOP:<30} {times[PLAIN_LOOP].median():6.2f} ms a call")
    for name in CHECKPOINT_ADDRESSES:
        graph_ms, bare_ms = overheads[f"graph, {name}"], overheads[f"bare, {name}"]
        print(f"graph, {name:<23} +{graph_ms:5.2f} ms   a bare superstep +{bare_ms:5.2f} ms")
    overhead_ratio = overheads[f"graph, {SQLITE_CHECKPOINTS}"] / overheads[f"bare, {SQLITE_CHECKPOINTS}"]
    print(f"with {SQLITE_CHECKPOINTS}: x {overhead_ratio:.2f} of a bare superstep (target: at most 2)")


async def _run_graph(base_url: str, checkpoint_address: str, turn: int) -> None:
    """Run the graph on the paper and discard the result, with checkpoints at an address, or none if it is empty."""
    models: dict[Role, dict[str, Any]] = {"default": {"base_url": base_url, "model": "large"}}
    context = JournalismContext(rounds=ROUNDS, models=models)
    await _run_to_end(builder, JournalismInput(paper=PAPER_TEXT), checkpoint_address, f"graph-{turn}", context)


async def _run_to_end(
    graph: StateGraph[Any, Any, Any, Any],
    graph_input: Any,
    checkpoint_address: str,
    thread_id: str,
    context: Any = None,
) -> None:
    """Run a graph and discard its result, with checkpoints at an address, or without them if it is empty."""
    if not checkpoint_address:
        await graph.compile().ainvoke(graph_input, context=context)
        return
    async with open_checkpointer(checkpoint_address) as saver:
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        await graph.compile(checkpointer=saver).ainvoke(graph_input, config, context=context, durability="sync")


class BareState(TypedDict):
    """State of the yardstick, a graph of bare supersteps."""

    calls_made: int
    """Number of calls so far."""


async def _run_bare_graph(requests: list[RecordedRequest], base_url: str, checkpoint_address: str, turn: int) -> None:
    """Replay the requests in a graph with one superstep a call; an empty address means no checkpoints."""

    # The answer of a task goes into the checkpoint, as in the graph.
    @task
    async def make_call(number: int) -> Completion:
        return await _replay_request(requests[number], base_url)

    async def ask_model(state: BareState) -> BareState:
        await make_call(state["calls_made"])
        return {"calls_made": state["calls_made"] + 1}

    def route_after_call(state: BareState) -> Literal["ask_model", "__end__"]:
        return "ask_model" if state["calls_made"] < len(requests) else "__end__"

    bare_graph = StateGraph(BareState)
    bare_graph.add_node(ask_model)
    bare_graph.add_edge(START, "ask_model")
    bare_graph.add_conditional_edges("ask_model", route_after_call)
    await _run_to_end(bare_graph, BareState(calls_made=0), checkpoint_address, f"bare-{turn}")


async def _run_plain_loop(requests: list[RecordedRequest], base_url: str, _: int) -> None:
    """Replay the requests one after the other, without a graph."""
    for request in requests:
        await _replay_request(request, base_url)


async def _replay_request(request: RecordedRequest, base_url: str) -> Completion:
    """Make a recorded call and return the completion, with the work of the node around it but without a graph."""
    settings = ModelSettings(base_url=base_url, model="large")
    endpoint = await fetch_endpoint(settings)
    await count_message_tokens(request.text, settings, endpoint)
    max_tokens = int(request.body["max_tokens"])
    (completion,) = await request_completions(request.text, settings, request.schema, max_tokens, lambda *_: None)
    if step_of(request) in {"write_draft", "revise_draft"}:
        await asyncio.to_thread(measure_draft, 0, Article.from_markdown(completion["text"]).text, PAPER_TEXT)
    return completion


if __name__ == "__main__":
    asyncio.run(compare_overheads())
