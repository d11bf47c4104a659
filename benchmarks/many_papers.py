"""Batches: Ray actors over one process, a batch over a bare load, the memory of many papers, and what a corpus costs.

    python -m benchmarks.many_papers
    python -m benchmarks.many_papers --only load --only actors   # the speeds, in eight minutes
    python -m benchmarks.many_papers --only actors --papers 200

Papers are the abstracts that ship, repeated with a number in front; each is explained in one round of four calls. The
endpoint is the tests' fake one in a process of its own.

actors  one process, then 1, 2 and 4 Ray actors, each with 8 papers under way and calls of a second. A rate is papers a
        second as long as papers wait, so the start of Ray and the last papers are not in it. How busy the processors
        were is printed: where it is over 70 %, they are what was measured. Needs the extra `ray`.
load    a batch over a bare load of its requests, as `benchmarks.eval_runner` has it: 8 requests at once, a second each.
        The batch's time is all of it, from the first paper that is named to the table of results.
memory  the most that a process holds with 100 and with 1,000 papers.
corpus  what 27,525 papers (PLOS, three rounds) cost at the tokens that docs/results/science_journalism.md has measured.
        Bytes are of the checkpoints of one paper with 13 calls, which a batch deletes once its result is written.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Any, Literal
from uuid import UUID

import httpx2
import psutil
from langgraph.runtime import RunControl

from benchmarks.eval_runner import Passed, _bare_load
from benchmarks.fake_process import fake_process
from draftroom.batch.batch import Batch
from draftroom.batch.folder import BatchFolder
from draftroom.batch.system_runs import Runs
from draftroom.batch.work import Session
from draftroom.systems import RunRequest
from draftroom.systems.journalism import JOURNALISM
from evals.datasets.corpora import load_examples
from runs.many import Ended
from state.settings import Settings
from tools.models.endpoint import client_for

AN_ACTOR = 8
"""Papers under way."""
LOAD = 128
"""Papers of the batch that is compared with a bare load."""
CALL_S = 1.0
CORPUS = 27_525
CALLS, READ, WRITTEN = 13.0, 9_915, 3_221
"""A paper: docs/results/science_journalism.md."""
READS, WRITES = 5_000, 1_000
"""Tokens a second, as `draftroom eval reproduce --plan` assumes."""


def main() -> None:
    """Print what is asked for."""
    parts: dict[str, Callable[[int], None]] = {"actors": actors, "load": load, "memory": memory, "corpus": corpus}
    parser = argparse.ArgumentParser("python -m benchmarks.many_papers", description=__doc__)
    parser.add_argument("--only", choices=parts, action="append")
    parser.add_argument("--papers", type=int, default=200, help="of actors; of memory five times as many")
    arguments = parser.parse_args()
    for name in arguments.only or parts:
        with tempfile.TemporaryDirectory() as home:
            os.environ["DRAFTROOM_HOME"] = home
            parts[name](arguments.papers)


def actors(papers: int) -> None:
    """One process, then Ray actors."""
    print(f"\n{papers} papers, {CALL_S:g} s a call, {AN_ACTOR} papers under way a process or actor\n")
    with fake_process(generation_s=CALL_S, stream_interval=200) as base_url:
        alone, busy = _rate(base_url, papers, "local", 1)
        print(f"one process  {alone:6.3f} papers/s          processors {busy:3.0f} % busy")
        for number in (1, 2, 4):
            rate, busy = _rate(base_url, papers, "ray", number)
            ratio = rate / number / alone
            print(f"{number} actors     {rate:6.3f} papers/s   x {ratio:.2f} each   processors {busy:3.0f} % busy")


def _rate(base_url: str, papers: int, engine: Literal["local", "ray"], number: int) -> tuple[float, float]:
    """Papers a second while papers wait, and how busy the processors were."""
    spans: list[tuple[float, float]] = []

    def tell(ended: Ended) -> None:
        spans.append((time.monotonic() - ended.result["seconds"], time.monotonic()))

    psutil.cpu_percent()
    with _folder(papers) as (table, out):
        work = Runs(_wanted(base_url, AN_ACTOR))
        batch = Batch("explain", work, [table], BatchFolder(out), [".json"], AN_ACTOR, engine=engine, actors=number)
        batch.run(tell, print)
    first, last = min(begin for begin, _ in spans), max(begin for begin, _ in spans)
    done = sum((min(end, last) - begin) / (end - begin) for begin, end in spans)
    return done / (last - first), psutil.cpu_percent()


def load(_: int) -> None:
    """A batch over a bare load."""
    with fake_process(generation_s=CALL_S) as base_url, _folder(LOAD) as (table, out):
        work = _Recorded(_wanted(base_url, AN_ACTOR))
        batch = Batch("explain", work, [table], BatchFolder(out), [".json"])
        psutil.cpu_percent()
        begun, used = time.perf_counter(), time.process_time()
        rows = batch.run(lambda _: None, print)
        seconds, processor_s = time.perf_counter() - begun, time.process_time() - used
        busy = psutil.cpu_percent()
        tokens = sum(row["output_tokens"] for row in rows)
        done = Passed(len(work.bodies), tokens, seconds, processor_s)
        bare = asyncio.run(_bare_load(work.bodies, base_url, AN_ACTOR))
    print(f"\n{LOAD} papers, {AN_ACTOR} requests at once, {CALL_S:g} s a call, {done.calls} calls\n")
    for name, passed, share in (("batch", done, busy), ("bare load", bare, psutil.cpu_percent())):
        cost = 1000 * passed.processor_s / passed.calls
        print(f"{name:<10} {passed.seconds:6.1f} s {passed.rate:8,.1f} tokens/s", end="")
        print(f"   {cost:5.1f} ms of processor time a call   processors {share:3.0f} % busy")
    print(f"the batch reaches {done.rate / bare.rate:.2f} of the load's tokens per second")


class _Recorded(Runs):
    """Keeps the bodies of its requests."""

    def __init__(self, wanted: RunRequest) -> None:
        super().__init__(wanted)
        self._model = wanted.settings.model_for("journalist")
        self.bodies: list[dict[str, Any]] = []

    @asynccontextmanager
    async def opened(
        self, folder: BatchFolder, batch: UUID, suffixes: Collection[str], control: RunControl
    ) -> AsyncIterator[Session]:
        """Open the work, and look at what it sends."""

        async def record(request: httpx2.Request) -> None:
            if request.url.path.endswith("/chat/completions"):
                self.bodies.append(json.loads(request.content))

        connection: Any = (await client_for(self._model)).http_async_client
        connection.event_hooks["request"].append(record)
        async with super().opened(folder, batch, suffixes, control) as session:
            yield session


def memory(papers: int) -> None:
    """The most that a process of the command holds."""
    with fake_process(stream_interval=200) as base_url:
        few, many = _held(base_url, papers // 2), _held(base_url, papers * 5)
    print(
        f"\nmost memory: {few / 1e6:.0f} MB with {papers // 2} papers, {many / 1e6:.0f} MB with {papers * 5}: ", end=""
    )
    print(f"x {many / few:.2f}")


def _held(base_url: str, papers: int) -> int:
    variables = {
        "DRAFTROOM_MODELS__DEFAULT__BASE_URL": base_url,
        "DRAFTROOM_MODELS__DEFAULT__MODEL": "large",
        "DRAFTROOM_JOURNALISM__ROUNDS": "1",
    }
    with _folder(papers) as (table, out):
        command = [sys.executable, "-m", "draftroom", "batch", "explain", table, "--out", str(out), "--quiet"]
        with subprocess.Popen(command, env={**os.environ, **variables}) as process:
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        return used.ru_maxrss * 1024


def corpus(_: int) -> None:
    """What a corpus costs."""
    read, written = READ * CORPUS, WRITTEN * CORPUS
    with fake_process(stream_interval=200) as base_url, _folder(1) as (table, out):
        work = _Kept(_wanted(base_url, 1, rounds=4))
        Batch("explain", work, [table], BatchFolder(out), [".json"]).run(lambda _: None, print)
        size = sum(file.stat().st_size for file in out.glob("checkpoints.sqlite*"))
        result = sum(file.stat().st_size for file in out.glob("1.*"))
    hours = (read / READS + written / WRITES) / 3600
    print(f"\n{CORPUS:,} papers, {CALLS:g} calls each\n")
    print(f"calls                      {CALLS * CORPUS:15,.0f}\ntokens read                {read:15,}")
    print(f"tokens written             {written:15,}\nGPU hours                  {hours:15,.1f}", end="")
    print(f"   at {READS:,} tokens read and {WRITES:,} written a second")
    print(f"checkpoints of a paper     {size:15,} bytes, gone when its result is written")
    print(f"checkpoints of all, if kept{size * CORPUS / 1e9:15,.1f} GB")
    print(f"results of all, as JSON    {result * CORPUS / 1e9:15,.1f} GB")


class _Kept(Runs):
    """Deletes no checkpoints."""

    @asynccontextmanager
    async def opened(
        self, folder: BatchFolder, batch: UUID, suffixes: Collection[str], control: RunControl
    ) -> AsyncIterator[Session]:
        """Open the work, and keep what it stores."""
        async with super().opened(folder, batch, suffixes, control) as session:
            yield _Forgetful(session)


class _Forgetful:
    def __init__(self, session: Session) -> None:
        self.do = session.do

    async def forget(self, row: dict[str, Any]) -> None:
        """Keep it."""


@contextmanager
def _folder(papers: int) -> Iterator[tuple[str, Path]]:
    """A table of so many papers, and a folder for their results."""
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "papers.jsonl"
        with table.open("w", encoding="utf-8") as file:
            for number, sample in enumerate(islice(cycle(load_examples("journalism")), papers), start=1):
                row = {"id": str(number), "text": f"Study {number}. {sample['abstract']}"}
                file.write(json.dumps(row) + "\n")
        yield str(table), Path(name) / "out"


def _wanted(base_url: str, concurrency: int, rounds: int = 1) -> RunRequest:
    model = {"base_url": base_url, "model": "large", "concurrency": concurrency, "temperature": 0.0}
    given = {"models": {"default": model}, "journalism": {"rounds": rounds}}
    return RunRequest(JOURNALISM, Settings.model_validate(given))


if __name__ == "__main__":
    main()
