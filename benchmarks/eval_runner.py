"""How busy an evaluation keeps its endpoint: tokens per second of a run over those of a bare load of its requests.

    python -m benchmarks.eval_runner
    python -m benchmarks.eval_runner --base-url http://127.0.0.1:8135/v1 --model smollm2-135m-instruct

The run is `draftroom eval science_journalism` with one round, over the examples that ship, repeated; each copy has a
number in front, so that no two prompts are the same. The body of each of its requests is recorded, and all of them are
sent again in that order, as many at a time, with nothing done in between but to receive the answers. Both take turns.

Without an address the tests' fake endpoint answers in a process of its own, the same both times: each call is streamed
for two seconds, together about 1,400 tokens a second, as a model of 7B gives on one GPU. It sends each token by itself,
which costs a client most; what a call costs our processor is printed too.

On a real endpoint a prompt that was seen before costs less. Each pass therefore sends a `cache_salt` of its own, with
which vLLM shares its cache of prompts only within the pass; a server that caches prompts and does not know the field
favours the load, which comes second. Answers may differ in length, so tokens per second are compared, not times. A
short run that is not counted goes first: it builds grammars, captures graphs and opens connections. Towards the end of
a run fewer and fewer samples are left, which is part of what is measured: more `--samples` make it matter less. A
sample that fails (progress on stderr says so) asks for less; what it asked for is counted, and sent again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import httpx2
from langchain_core.callbacks import get_usage_metadata_callback

from benchmarks.fake_process import fake_process
from evals.datasets.corpora import load_examples
from evals.run import SAMPLES_A_REQUEST, RunFolder, Wanted, describe_run, run_systems
from evals.tasks.science_journalism import SCIENCE_JOURNALISM
from runs.many import Record
from state.settings import Settings
from tools.models.endpoint import client_for

GENERATION_S = 2.0
WARM_UP = 4
"""Samples of the run that is not counted."""
SAMPLING = {"temperature": 0.0, "repetition_penalty": 1.1, "max_tokens": 1024}
"""With which small models keep to the formats, and both passes get much the same answers."""
tell = partial(print, file=sys.stderr)


class Passed(NamedTuple):
    """One pass over the requests."""

    calls: int
    tokens: int
    """Of the answers."""
    seconds: float
    processor_s: float
    """Of this process."""

    @property
    def rate(self) -> float:
        """Tokens per second."""
        return self.tokens / self.seconds


async def main() -> None:
    """Time both in turn and print the table."""
    arguments = _arguments()
    fake = nullcontext(arguments.base_url) if arguments.base_url else fake_process(generation_s=GENERATION_S)
    with tempfile.TemporaryDirectory() as home, fake as base_url:
        os.environ["DRAFTROOM_HOME"] = home
        passes: list[tuple[Passed, Passed]] = []
        for turn in range(arguments.repeats + 1):
            count = arguments.samples if turn else WARM_UP
            folder, settings = RunFolder(Path(home) / str(turn)), _settings(base_url, arguments)
            run, bodies = await _evaluation(folder, settings, _samples(count), arguments.concurrency)
            if turn:
                tell(f"{run.rate:.1f} tokens per second; now the bare load of its {run.calls} requests")
                passes.append((run, await _bare_load(bodies, base_url, arguments.concurrency)))
    where = arguments.model if arguments.base_url else f"fake endpoint, {GENERATION_S:g} s a call"
    print(f"Science journalism, {arguments.samples} samples, {arguments.concurrency} at once, {where}, ", end="")
    print(f"median of {len(passes)} runs in turn\n")
    _print(passes)


async def _evaluation(
    folder: RunFolder, settings: Settings, samples: Sequence[Record], concurrency: int
) -> tuple[Passed, list[Record]]:
    """A run, and the bodies of its requests."""
    wanted = Wanted(data=[], rows=None, limit=None, seed=0, split=None)
    folder.begin(describe_run(SCIENCE_JOURNALISM, ["loop"], wanted, [], settings), samples)
    bodies: list[Record] = []

    async def record(request: httpx2.Request) -> None:
        if request.url.path.endswith("/chat/completions"):
            bodies.append(json.loads(request.content))

    connection: Any = (await client_for(settings.model_for("journalist"))).http_async_client  # the run's own
    connection.event_hooks["request"].append(record)
    begin, used = time.perf_counter(), time.process_time()
    with get_usage_metadata_callback() as usage:  # of all answers, also those of samples that failed
        await run_systems(SCIENCE_JOURNALISM, folder, concurrency=SAMPLES_A_REQUEST * concurrency, tell=tell)
    seconds, processor_s = time.perf_counter() - begin, time.process_time() - used
    tokens = sum(model["output_tokens"] for model in usage.usage_metadata.values())
    return Passed(len(bodies), tokens, seconds, processor_s), bodies


async def _bare_load(bodies: Sequence[Record], base_url: str, concurrency: int) -> Passed:
    """The same requests, each place sending its next one as soon as it has its answer."""
    salt = str(uuid4())
    waiting = iter([{**body, "cache_salt": salt} for body in bodies])
    headers = {"Authorization": f"Bearer {os.environ.get('OPENAI_API_KEY') or 'none'}"}
    async with httpx2.AsyncClient(base_url=base_url, headers=headers, timeout=300) as client:

        async def place() -> int:
            return sum([await _tokens_of(client, body) for body in waiting])

        begin, used = time.perf_counter(), time.process_time()
        tokens = sum(await asyncio.gather(*(place() for _ in range(concurrency))))
        return Passed(len(bodies), tokens, time.perf_counter() - begin, time.process_time() - used)


async def _tokens_of(client: httpx2.AsyncClient, body: Record) -> int:
    """Receives an answer whole; its number of tokens."""
    async with client.stream("POST", "chat/completions", json=body) as answer:
        answer.raise_for_status()
        events = [line.removeprefix("data: ") async for line in answer.aiter_lines() if line.startswith("data: {")]
    usage: Record = json.loads(events[-1])["usage"]  # asked for, and sent last
    return int(usage["completion_tokens"])


def _samples(count: int) -> list[Record]:
    copies = enumerate(islice(cycle(load_examples("journalism")), count), start=1)
    return [
        {**sample, "id": str(number), "abstract": f"Study {number}. {sample['abstract']}"} for number, sample in copies
    ]


def _settings(base_url: str, arguments: argparse.Namespace) -> Settings:
    default: dict[str, Any] = {
        "base_url": base_url,
        "model": arguments.model,
        "concurrency": arguments.concurrency,
        "extra_body": {"cache_salt": str(uuid4())},
        **SAMPLING,
    }
    return Settings.model_validate({"models": {"default": default}, "journalism": {"rounds": 1}})


def _print(passes: Sequence[tuple[Passed, Passed]]) -> None:
    for name, each in zip(("evaluation", "bare load"), zip(*passes, strict=True), strict=True):
        calls, tokens, seconds, processor_s = (statistics.median(values) for values in zip(*each, strict=True))
        print(
            f"{name:<10} {calls:5.0f} calls   {tokens:8,.0f} tokens   {seconds:7.2f} s   "
            f"{tokens / seconds:8,.1f} tokens/s   {1000 * processor_s / calls:6.1f} ms of processor time a call"
        )
    ratio = statistics.median(run.rate / load.rate for run, load in passes)
    print(f"\nthe evaluation reaches {ratio:.2f} of the load's tokens per second")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m benchmarks.eval_runner", description=__doc__)
    parser.add_argument("--base-url", default="", help="a real endpoint; by default the fake one")
    parser.add_argument("--model", default="large", help="name under which it serves the model")
    parser.add_argument("--concurrency", type=int, default=16, help="requests at once")
    parser.add_argument("--samples", type=int, default=64)
    parser.add_argument("--repeats", type=int, default=2)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
