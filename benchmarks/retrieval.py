"""What it costs to index a paper of 30 pages, and what a question costs when it is indexed.

    python -m benchmarks.retrieval

The paper is made of the words of an example in ever new orders, about 15,000 of them. It is embedded with the packaged
model on the CPU, which is loaded before anything is timed. A paper that is embedded for each question would cost the
first row each time; the last column says how many times cheaper the others are.
"""

from __future__ import annotations

import hashlib
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from state.documents import Document, Paragraph
from state.settings import RetrievalMode
from tools.retrieval import Embedding, search
from tools.retrieval.embedders import embedder_for

WORDS = (Path(__file__).parent.parent / "examples" / "mosses.md").read_text(encoding="utf-8").split()
PARAGRAPHS, WORDS_IN_PARAGRAPH = 100, 150
QUESTIONS = ("How were the mosses sampled?", "Which statistical test was used?", "How long did they dry?")


def main() -> None:
    """Time the first question and later ones, and print the table."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["DRAFTROOM_HOME"] = home
        embedder_for(Embedding()).embed(["loads the model"])
        search([_paper(1, seed=1)], "loads the libraries", embedding=Embedding())
        before = _bytes_on_disk(Path(home))
        paper = _paper(PARAGRAPHS, seed=2)
        first = _seconds(partial(_ask, paper, QUESTIONS[0], "dense"))
        rows = {"first question, dense": first}
        modes: tuple[RetrievalMode, ...] = ("dense", "bm25", "hybrid")
        for mode in modes:
            times = [_seconds(partial(_ask, paper, question, mode)) for question in QUESTIONS]
            rows[f"later question, {mode}"] = statistics.median(times)
        for name, seconds in rows.items():
            print(f"{name:<24} {seconds * 1000:9.1f} ms   {first / seconds:7.1f}")
        print(f"index                    {_bytes_on_disk(Path(home)) - before:9,} bytes")


def _ask(paper: Document, question: str, mode: RetrievalMode) -> None:
    search([paper], question, embedding=Embedding(), mode=mode)


def _seconds(work: Callable[[], None]) -> float:
    begin = time.perf_counter()
    work()
    return time.perf_counter() - begin


def _paper(paragraphs: int, seed: int) -> Document:
    order = random.Random(seed)
    texts = [" ".join(order.choices(WORDS, k=WORDS_IN_PARAGRAPH)) for _ in range(paragraphs)]
    return Document(
        sha256=hashlib.sha256("\n".join(texts).encode()).hexdigest(),
        format="text",
        title="",
        abstract="",
        text="\n\n".join(texts),
        paragraphs=[
            Paragraph(id=f"p{number}", section="", text=text, page=0, words=[]) for number, text in enumerate(texts, 1)
        ],
        references=[],
        hidden=[],
        pages=30,
        warnings=[],
    )


def _bytes_on_disk(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


if __name__ == "__main__":
    main()
