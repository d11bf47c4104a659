"""What the graph adds to each agent call over a plain asyncio loop with the same calls, and what checkpoints weigh.

    python -m benchmarks.graph_overhead

The endpoint is the tests' fake one in a process of its own, so that its work is not counted as ours. The plain loop
sends the very prompts that the graph sent, counts their tokens as the graph does, and measures each draft as the graph
does; what is left is LangGraph, our nodes and the checkpoints. The ways are timed in turn and their medians compared.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig

from benchmarks.fake_process import fake_process
from graphs.science_journalism import builder
from nodes.journalism.editor import EditorReview
from nodes.journalism.journalist import Article, RevisedArticle
from nodes.journalism.reader import ReadingNotes
from runs.checkpoints import open_checkpointer
from state.contexts import JournalismContext
from state.journalism import JournalismInput
from state.settings import ModelSettings, Role
from tests.fake_endpoint import FakeEndpoint, RecordedRequest
from tools.fidelity import unsupported_facts
from tools.models import close_clients, complete, describe_endpoint
from tools.models.endpoint import count_tokens
from tools.readability import grade

PAPER = (Path(__file__).parent.parent / "examples" / "mosses.md").read_text(encoding="utf-8")
ROUNDS = 5
REPEATS = 7
SCHEMAS = {schema.__name__: schema for schema in (Article, RevisedArticle, ReadingNotes, EditorReview)}


async def main() -> None:
    """Time each way and print the table."""
    with tempfile.TemporaryDirectory() as home, fake_process() as base_url:
        os.environ["DRAFTROOM_HOME"] = home
        requests = await _recorded_calls()
        ways: dict[str, Callable[[int], Awaitable[Any]]] = {
            "plain asyncio loop": lambda _: _plain_loop(requests, base_url),
            "graph, no checkpoints": lambda _: _graph(base_url, None, 0),
            "graph, checkpoints in memory": lambda turn: _graph(base_url, "memory", turn),
            "graph, checkpoints in SQLite": lambda turn: _graph(base_url, f"sqlite:///{home}/{turn}.sqlite", turn),
        }
        print(f"{len(requests)} calls a run, {ROUNDS} rounds, median of {REPEATS} runs in turn\n")
        _print_times(await _time_in_turn(ways), len(requests))
        await _print_sizes(base_url, Path(home))
        await close_clients()


async def _time_in_turn(ways: dict[str, Callable[[int], Awaitable[Any]]]) -> dict[str, list[float]]:
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(REPEATS + 1):
        for name, way in ways.items():
            begin = time.perf_counter()
            await way(turn)
            if turn:  # the first turn warms caches and connections
                seconds[name].append(time.perf_counter() - begin)
    return seconds


def _print_times(seconds: dict[str, list[float]], calls: int) -> None:
    medians = {name: statistics.median(times) * 1000 / calls for name, times in seconds.items()}
    plain = next(iter(medians.values()))
    for name, milliseconds in medians.items():
        added = f"  +{milliseconds - plain:6.2f} ms   x {milliseconds / plain:.2f}" if milliseconds != plain else ""
        print(f"{name:<30} {milliseconds:7.2f} ms a call{added}")


async def _print_sizes(base_url: str, home: Path) -> None:
    print()
    for rounds in (1, 5, 10, 20):
        path = home / f"rounds-{rounds}.sqlite"
        await _graph(base_url, f"sqlite:///{path}", 0, rounds)
        size = _bytes_on_disk(path)
        print(f"checkpoints after {rounds:>2} rounds: {size:>9,} bytes, {size // rounds:>8,} a round")


def _bytes_on_disk(database: Path) -> int:
    """Size of an SQLite file with its journal."""
    return sum(file.stat().st_size for file in database.parent.glob(f"{database.name}*"))


async def _graph(base_url: str, checkpoints: str | None, turn: int, rounds: int = ROUNDS) -> None:
    models: dict[Role, dict[str, Any]] = {"default": {"base_url": base_url, "model": "large"}}
    context, paper = JournalismContext(rounds=rounds, models=models), JournalismInput(paper=PAPER)
    if checkpoints is None:
        await builder.compile().ainvoke(paper, context=context)
        return
    async with open_checkpointer(checkpoints) as saver:
        config: RunnableConfig = {"configurable": {"thread_id": str(turn)}}
        graph = builder.compile(checkpointer=saver)
        await graph.ainvoke(paper, config, context=context, durability="sync")


async def _plain_loop(requests: list[RecordedRequest], base_url: str) -> None:
    model = ModelSettings(base_url=base_url, model="large")
    for request in requests:
        endpoint = await describe_endpoint(model)
        await count_tokens(request.text, model, endpoint)
        schema = SCHEMAS[str(request.schema_name)]
        sent = schema.model_json_schema()
        (completion,) = await complete(request.text, model, sent, model.max_tokens, lambda _: None)
        answer = schema.model_validate_json(completion["text"])
        if isinstance(answer, Article):
            text = "\n\n".join(answer.paragraphs)
            grade(text)
            await asyncio.to_thread(unsupported_facts, text, PAPER)


async def _recorded_calls() -> list[RecordedRequest]:
    with FakeEndpoint(stream_interval=1) as endpoint:
        await _graph(endpoint.base_url, None, 0)
        return endpoint.chat_requests


if __name__ == "__main__":
    asyncio.run(main())
