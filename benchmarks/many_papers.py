"""Measure batches in one process and on 1, 2 and 4 Ray actors. Needs the extra `ray`.

    python -m benchmarks.many_papers --papers 200

Papers are the shipped abstracts, repeated with a number in front. Each is explained in one round of four calls of a
second; a process or actor has 8 papers under way. Rates leave out the start of Ray and the last papers, for which some
actors idle. If the processors are more than 70 % busy, the rate measures them and not the batch.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from typing import Literal

import psutil

from benchmarks.fake_process import serve_fake_endpoint
from draftroom.batch.batch import Batch
from draftroom.batch.folder import BatchFolder
from draftroom.batch.system_runs import SystemRunWork
from draftroom.systems import RunRequest
from draftroom.systems.journalism import JOURNALISM
from evals.datasets.corpora import load_examples
from runs.jobs import EndedJob
from state.settings import Settings

PAPERS_PER_ACTOR = 8
CALL_S = 1.0


def main() -> None:
    """Measure and print the rates."""
    parser = argparse.ArgumentParser("python -m benchmarks.many_papers", description=__doc__)
    parser.add_argument("--papers", type=int, default=200)
    papers = parser.parse_args().papers
    print(f"\n{papers} papers, {CALL_S:g} s a call, {PAPERS_PER_ACTOR} papers under way a process or actor\n")
    server = serve_fake_endpoint(generation_s=CALL_S, stream_interval=200)
    with tempfile.TemporaryDirectory() as home, server as base_url:
        os.environ["DRAFTROOM_HOME"] = home
        alone, busy = _measure_rate(base_url, papers, "local", 1)
        print(f"one process  {alone:6.3f} papers/s          processors {busy:3.0f} % busy")
        for number in (1, 2, 4):
            rate, busy = _measure_rate(base_url, papers, "ray", number)
            ratio = rate / number / alone
            print(f"{number} actors     {rate:6.3f} papers/s   x {ratio:.2f} each   processors {busy:3.0f} % busy")


def _measure_rate(base_url: str, papers: int, engine: Literal["local", "ray"], number: int) -> tuple[float, float]:
    """Return the papers a second while papers wait, and the load of the processors in percent."""
    model = {"base_url": base_url, "model": "large", "concurrency": PAPERS_PER_ACTOR, "temperature": 0.0}
    settings = Settings.model_validate({"models": {"default": model}, "journalism": {"rounds": 1}})
    spans: list[tuple[float, float]] = []

    def record_span(ended: EndedJob) -> None:
        spans.append((time.monotonic() - ended.result["seconds"], time.monotonic()))

    psutil.cpu_percent()
    with _make_batch_files(papers) as (table, out):
        work = SystemRunWork(RunRequest(JOURNALISM, settings))
        folder, at_once = BatchFolder(out), PAPERS_PER_ACTOR
        batch = Batch("explain", work, [table], folder, [".json"], at_once, engine=engine, actors=number)
        batch.run(record_span, print)
    first, last = min(begin for begin, _ in spans), max(begin for begin, _ in spans)
    # Papers in part after the last start count in part.
    done = sum((min(end, last) - begin) / (end - begin) for begin, end in spans)
    return done / (last - first), psutil.cpu_percent()


@contextmanager
def _make_batch_files(papers: int) -> Iterator[tuple[str, Path]]:
    """Write a table of papers, and yield it with a folder for results."""
    with tempfile.TemporaryDirectory() as name:
        table = Path(name) / "papers.jsonl"
        with table.open("w", encoding="utf-8") as file:
            for number, sample in enumerate(islice(cycle(load_examples("journalism")), papers), start=1):
                row = {"id": str(number), "text": f"Study {number}. {sample['abstract']}"}
                file.write(json.dumps(row) + "\n")
        yield str(table), Path(name) / "out"


if __name__ == "__main__":
    main()
