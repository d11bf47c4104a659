"""One paragraph with six questions: asked one after the other (as in the paper), and all at once.

    python -m benchmarks.focused_feedback
    python -m benchmarks.focused_feedback --base-url http://127.0.0.1:8135/v1 --model smollm2-135m-instruct

Without an address the tests' fake endpoint answers, each call after 100 ms. Both ways are given the same six questions,
as a person who edits the plan would give them, and take turns; medians and their ratio are printed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from contextlib import nullcontext
from typing import Any, NamedTuple

from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from graphs.focused_feedback import builder
from state.settings import Execution
from tests.fake_endpoint import FakeEndpoint
from tests.support.review_room import CLAIM, PAPER, Room
from tools.models import close_clients

QUESTIONS = [
    "How many seedlings were raised?",
    "How many trays were watered with cold tea?",
    "With what was the height of the seedlings measured?",
    "How often was the height measured?",
    "Where did the trays stand?",
    "Who measured the seedlings?",
]
WAYS: tuple[Execution, ...] = ("sequential", "parallel")


class Timed(NamedTuple):
    """One run."""

    seconds: float
    calls: int
    answered: int


async def main() -> None:
    """Time both ways in turn and print the table."""
    parser = argparse.ArgumentParser("python -m benchmarks.focused_feedback", description=__doc__)
    parser.add_argument("--base-url", default="", help="a real endpoint; by default the fake one")
    parser.add_argument("--model", default="large", help="name under which it serves the model")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    fake = FakeEndpoint(answer=Room(), latency_s=0.1) if not arguments.base_url else nullcontext()
    with tempfile.TemporaryDirectory() as home, fake as endpoint:
        os.environ["DRAFTROOM_HOME"] = home
        base_url = endpoint.base_url if endpoint else arguments.base_url
        runs: dict[Execution, list[Timed]] = {way: [] for way in WAYS}
        for turn in range(arguments.repeats + 1):
            for way in WAYS:
                timed = await _run(way, base_url, arguments.model, turn)
                if turn:  # the first turn embeds the paper and warms caches
                    runs[way].append(timed)
        await close_clients()
    where = "fake endpoint, 100 ms a call" if endpoint else arguments.model
    print(f"One paragraph, {len(QUESTIONS)} questions, {where}, median of {arguments.repeats} runs in turn\n")
    medians = {way: statistics.median(run.seconds for run in runs[way]) for way in WAYS}
    for way in WAYS:
        last = runs[way][-1]
        ratio = f"   x {medians['sequential'] / medians[way]:.2f} faster" if way == "parallel" else ""
        print(f"{way:<10} {medians[way]:7.2f} s   {last.calls:>3} calls   {last.answered} answered{ratio}")


async def _run(way: Execution, base_url: str, model: str, turn: int) -> Timed:
    chosen = {
        "models": {"default": {"base_url": base_url, "model": model, "temperature": 0, "max_tokens": 400}},
        "execution": way,
        "plans": 1,
        "pause": True,
    }
    graph: Any = builder.compile(checkpointer=InMemorySaver())
    config = {"configurable": {"thread_id": f"{way}-{turn}"}}
    begin = time.perf_counter()
    await graph.ainvoke({"paper": PAPER, "text": CLAIM}, config, context=chosen)
    result = await graph.ainvoke(Command(resume={"advice": QUESTIONS}), config, context=chosen)
    answered = len(result["reviews"][0]["evidence"])
    return Timed(time.perf_counter() - begin, len(result["calls"]), answered)


if __name__ == "__main__":
    asyncio.run(main())
