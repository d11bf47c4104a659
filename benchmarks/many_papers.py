"""Batches: Ray actors over one process, and the memory of many papers.

    python -m benchmarks.many_papers
    python -m benchmarks.many_papers --only actors --papers 200

Papers are the abstracts that ship, repeated with a number in front; each is explained in one round of four calls. The
endpoint is the tests' fake one in a process of its own.

actors  one process, then 1, 2 and 4 Ray actors, each with 8 papers under way and calls of a second. A rate is papers a
        second as long as papers wait, so the start of Ray and the last papers are not in it. How busy the processors
        were is printed: where it is over 70 %, they are what was measured. Needs the extra `ray`.
memory  the most that a process holds with 100 and with 1,000 papers.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Literal

import psutil

from benchmarks.fake_process import fake_process
from draftroom.batch.batch import Batch
from draftroom.batch.folder import BatchFolder
from draftroom.batch.system_runs import Runs
from draftroom.systems import RunRequest
from draftroom.systems.journalism import JOURNALISM
from evals.datasets.corpora import load_examples
from runs.many import Ended
from state.settings import Settings

AN_ACTOR = 8
"""Papers under way."""
CALL_S = 1.0


def main() -> None:
    """Print what is asked for."""
    parts: dict[str, Callable[[int], None]] = {"actors": actors, "memory": memory}
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


def _wanted(base_url: str, concurrency: int) -> RunRequest:
    model = {"base_url": base_url, "model": "large", "concurrency": concurrency, "temperature": 0.0}
    given = {"models": {"default": model}, "journalism": {"rounds": 1}}
    return RunRequest(JOURNALISM, Settings.model_validate(given))


if __name__ == "__main__":
    main()
