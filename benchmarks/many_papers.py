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
from itertools import cycle, islice
from pathlib import Path

import psutil

from benchmarks.fake_process import serve_fake_endpoint
from draftroom.batch.batch import Batch, SystemRunWork
from draftroom.batch.files import BatchFolder
from draftroom.systems import RunRequest
from draftroom.systems.journalism import JOURNALISM
from evals.datasets.corpora import load_examples
from runs.jobs import EndedJob, Workers
from state.settings import Settings

PAPERS_PER_ACTOR = 8
CALL_S = 1.0


def compare_rates() -> None:
    """Measure and print the papers a second of one process and of 1, 2 and 4 Ray actors."""
    parser = argparse.ArgumentParser("python -m benchmarks.many_papers", description=__doc__)
    parser.add_argument("--papers", type=int, default=200)
    paper_count: int = parser.parse_args().papers
    print(f"\n{paper_count} papers, {CALL_S:g} s a call, {PAPERS_PER_ACTOR} papers under way a process or actor\n")
    server = serve_fake_endpoint(generation_s=CALL_S, stream_interval=200)
    with tempfile.TemporaryDirectory() as state_folder, server as base_url:
        os.environ["DRAFTROOM_HOME"] = state_folder
        local_rate, load_percent = _measure_rate(base_url, paper_count, 0)
        print(f"one process  {local_rate:6.3f} papers/s          processors {load_percent:3.0f} % busy")
        for actor_count in (1, 2, 4):
            rate, load_percent = _measure_rate(base_url, paper_count, actor_count)
            relative_rate = rate / actor_count / local_rate
            share = f"x {relative_rate:.2f} each"
            print(f"{actor_count} actors     {rate:6.3f} papers/s   {share}   processors {load_percent:3.0f} % busy")


def _measure_rate(base_url: str, paper_count: int, actor_count: int) -> tuple[float, float]:
    """Run a batch; return its papers a second while papers wait, and the load of the processors in percent."""
    model = {"base_url": base_url, "model": "large", "concurrency": PAPERS_PER_ACTOR, "temperature": 0.0}
    settings = Settings.model_validate({"models": {"default": model}, "journalism": {"rounds": 1}})
    run_spans: list[tuple[float, float]] = []

    def record_span(ended_job: EndedJob) -> None:
        run_spans.append((time.monotonic() - ended_job.result["seconds"], time.monotonic()))

    with tempfile.TemporaryDirectory() as folder:
        papers_file = Path(folder) / "papers.jsonl"
        samples = islice(cycle(load_examples("journalism")), paper_count)
        with papers_file.open("w", encoding="utf-8") as file:
            for number, sample in enumerate(samples, start=1):
                file.write(json.dumps({"id": str(number), "text": f"Study {number}. {sample['abstract']}"}) + "\n")
        # The first call begins the measurement of the processors' load.
        psutil.cpu_percent()
        work = SystemRunWork(RunRequest(JOURNALISM, settings))
        results, workers = BatchFolder(Path(folder) / "out"), Workers(PAPERS_PER_ACTOR, actor_count)
        batch = Batch("explain", work, [str(papers_file)], results, [".json"], workers)
        batch.run(record_span, print)
    starts = [start for start, _ in run_spans]
    first_start, last_start = min(starts), max(starts)
    # A paper that ends after the last start counts in part.
    papers_done = sum((min(end, last_start) - start) / (end - start) for start, end in run_spans)
    return papers_done / (last_start - first_start), psutil.cpu_percent()


if __name__ == "__main__":
    compare_rates()
