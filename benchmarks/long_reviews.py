"""What the review of a paper of 60 paragraphs costs a paragraph, beside that of one of 10.

    python -m benchmarks.long_reviews

Papers are PDFs of two columns, whose documents have the place of every word, and each review goes its whole way: the
driver, checkpoints in SQLite, the run record, retrieval. The endpoint is the tests' fake one in a process of its own,
whose agents make the same calls for every paragraph. Time is processor time of this process, but for reading the paper
before the review. Whatever is counted should be the same for a paragraph of either paper.
"""

from __future__ import annotations

import multiprocessing
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple, Self

from draftroom.systems.feedback import FOCUSED_FEEDBACK_GRAPH
from examples.build_pdf import build
from runs.driver import drive
from runs.record import RunInput, new_record, total_calls
from state.settings import Settings
from tests.fake_endpoint import FakeEndpoint
from tests.support.review_room import METHODS, Room
from tools.documents.reading import read_document

SHORT, LONG = 10, 60
REPEATS = 3
MOST = 1.15
"""What a paragraph of the long paper may cost, measured by one of the short paper."""


class Cost(NamedTuple):
    """Of a review, a paragraph of it; what is written of the record in all counts every time it was written."""

    milliseconds: float
    calls: float
    checkpoint_bytes: float
    record_bytes: float
    record_bytes_written: float


class Silent:
    """Whoever drives a review here is told nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def event(self, event: Mapping[str, Any]) -> None:
        """Nothing."""

    def step(self, node: str, update: Mapping[str, Any], values: Mapping[str, Any], tokens: int) -> None:
        """Nothing."""

    def say(self, text: str) -> None:
        """Nothing."""


class Written:
    """Counts the bytes of run records that this process moves to their place."""

    def __init__(self) -> None:
        self.bytes = 0
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event == "os.rename" and Path(arguments[1]).parent.name == "runs":
            self.bytes += Path(arguments[0]).stat().st_size


def main() -> None:
    """Review both papers in turn and print the table."""
    written = Written()
    with tempfile.TemporaryDirectory() as home, room() as base_url:
        _review(3, base_url, Path(home) / "first", written)  # loads what is loaded once
        costs: dict[int, list[Cost]] = {SHORT: [], LONG: []}
        for turn in range(REPEATS):
            for paragraphs, found in costs.items():
                found.append(_review(paragraphs, base_url, Path(home) / f"{paragraphs}-{turn}", written))
    short, long = ([statistics.median(values) for values in zip(*costs[number], strict=True)] for number in costs)
    print(f"A paragraph, median of {REPEATS} reviews in turn{'':<4} {SHORT:>10} {LONG:>10} paragraphs\n")
    for name, first, second in zip(Cost._fields, short, long, strict=True):
        print(f"{name.replace('_', ' '):<40} {first:>10,.1f} {second:>10,.1f}   x {second / first:.2f}")
    print(f"(wanted: at most x {MOST})")


@contextmanager
def room() -> Iterator[str]:
    """The agents in a process of their own; gives their address."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,))
    process.start()
    try:
        yield ours.recv()
    finally:
        ours.send("done")
        process.join()


def _serve(asked: Connection) -> None:
    with FakeEndpoint(answer=Room()) as endpoint:
        asked.send(endpoint.base_url)
        asked.recv()


def _review(paragraphs: int, base_url: str, home: Path, written: Written) -> Cost:
    os.environ["DRAFTROOM_HOME"] = str(home)
    home.mkdir()
    paper = home / "paper.pdf"
    paper.write_bytes(build(_paper(paragraphs)))
    source = read_document(str(paper), max_pages=100)
    settings = _settings(base_url)
    run_input = RunInput(name=paper.name, path=source["source"], paper=source)
    record = new_record("focused_feedback", run_input, settings.frozen("feedback"), settings.checkpoints)
    before, begin = written.bytes, time.process_time()
    outcome = drive(record, FOCUSED_FEEDBACK_GRAPH, Silent(), checkpoints=settings.checkpoints)
    seconds = time.process_time() - begin
    reviewed = len(outcome.values["reviews"])
    checkpoints = sum(file.stat().st_size for file in (home / "state").glob("checkpoints.sqlite*"))
    kept = (home / "state" / "runs" / f"{record['id']}.json").stat().st_size
    costs = (seconds * 1000, total_calls(outcome.record), checkpoints, kept, written.bytes - before)
    return Cost(*(cost / reviewed for cost in costs))


def _paper(paragraphs: int) -> str:
    body = "\n\n".join(f"In trial {number} we did as follows. {METHODS}" for number in range(1, paragraphs + 1))
    return f"# Cold tea and the growth of cress\n\nA. Greenhand\n\n## Methods\n\n{body}\n"


def _settings(base_url: str) -> Settings:
    return Settings.model_validate(
        {
            "models": {"default": {"base_url": base_url, "model": "large"}},
            "feedback": {"plans": 1, "embedding": {"model": "large", "base_url": base_url}},
        }
    )


if __name__ == "__main__":
    main()
