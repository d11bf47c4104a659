"""Comments on paragraphs of real papers beside those of human reviewers: rows of SWIF2T's tables, and what each costs.

    python -m evals.focused_feedback PAIRS.jsonl --papers PAPERS.jsonl --limit 30 --out results.jsonl

Both files have one JSON object a line. A pair has `id`, `paper_id`, `paragraph`, `split` and `feedback`, what a human
reviewer criticised in the paragraph; pairs without feedback are left out. A paper has `paper_id`, `title`, `abstract`
and `sections` of a `heading` and `paragraphs`. As many papers as possible are used: the first pair of each, then the
second of each, and so on.

Models, literature and embeddings come from the settings, as everywhere. Each finished run is appended to `--out` at
once, with its plan, questions and answers; a second call with the same file goes on where the first one stopped, and
runs that failed are run again. `no-reranking` is `parallel` without its re-ranker.
"""

from __future__ import annotations

import argparse
import asyncio
from argparse import ArgumentTypeError
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from langgraph.graph.state import CompiledStateGraph

from evals.feedback_tables import tables
from evals.jobs import Job, Key, Record, read_records, run_jobs
from graphs.baselines import chain_of_verification, single_model
from graphs.focused_feedback import graph
from state.feedback import FeedbackContext, FeedbackInput
from tools.models import close_clients


class Row(NamedTuple):
    """A system that is measured."""

    system: CompiledStateGraph[Any, Any, Any, Any]
    context: FeedbackContext


ROWS = {
    "single": Row(single_model, FeedbackContext()),
    "cove": Row(chain_of_verification, FeedbackContext()),
    "sequential": Row(graph, FeedbackContext(execution="sequential")),
    "parallel": Row(graph, FeedbackContext(execution="parallel")),
    "no-reranking": Row(graph, FeedbackContext(execution="parallel", rerank=False)),
}
"""What is run for each pair; `--rows` chooses among them."""

_USUAL = ["single", "cove", "sequential", "parallel"]


async def main() -> None:
    """Do the runs that are not in the results yet, then print the tables."""
    arguments = _arguments()
    pairs = choose(read_records(arguments.pairs), arguments.split, arguments.limit)
    papers = {paper["paper_id"]: paper for paper in read_records(arguments.papers)}
    if missing := {pair["paper_id"] for pair in pairs} - papers.keys():
        raise SystemExit(f"{arguments.papers} lacks papers of the pairs: {', '.join(sorted(missing))}.")
    jobs: dict[Key, Job] = {
        (pair["id"], row): partial(_run, pair, papers[pair["paper_id"]], ROWS[row])
        for pair in pairs
        for row in arguments.rows
    }
    results = await run_jobs(jobs, arguments.out, arguments.concurrency, fields=["id", "row"])
    await close_clients()
    print(tables(pairs, results))


def choose(pairs: Sequence[Record], split: str, limit: int) -> list[Record]:
    """Pairs of a split that have feedback, of as many papers as possible: the same ones every time."""
    usable = [pair for pair in pairs if pair["split"] == split and pair["feedback"]]
    seen = Counter[str]()
    turns = []
    for pair in usable:
        turns.append(seen[pair["paper_id"]])
        seen[pair["paper_id"]] += 1
    in_turn = sorted(zip(turns, usable, strict=True), key=lambda each: each[0])
    return [pair for _, pair in in_turn][:limit]


def paper_text(paper: Record) -> str:
    """A paper as Markdown; its abstract comes first, whether it is one of the sections or not."""
    blocks = [f"# {paper['title']}"]
    if paper["abstract"] and not any(section["heading"].lower() == "abstract" for section in paper["sections"]):
        blocks += ["## Abstract", paper["abstract"]]
    for section in paper["sections"]:
        blocks += [f"## {section['heading']}", *(paragraph["text"] for paragraph in section["paragraphs"])]
    return "\n\n".join(" ".join(block.split()) for block in blocks)


async def _run(pair: Record, paper: Record, row: Row) -> Record:
    start = perf_counter()
    request = FeedbackInput(paper=paper_text(paper), text=pair["paragraph"])
    output = await row.system.ainvoke(request, context=row.context)
    kept = {key: value for key, value in output.items() if key in {"reviews", "calls"}}
    return {**kept, "wall_s": perf_counter() - start}


def _rows(names: str) -> list[str]:
    rows = names.split(",")
    if unknown := set(rows) - ROWS.keys():
        raise ArgumentTypeError(f"{', '.join(sorted(unknown))} is none of the rows: choose from {', '.join(ROWS)}.")
    return rows


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--papers", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--split", default="dev")
    parser.add_argument("--limit", type=int, default=30)
    parser.add_argument("--rows", type=_rows, default=_USUAL, help=f"comma-separated, of {', '.join(ROWS)}")
    parser.add_argument("--concurrency", type=int, default=10)
    return parser.parse_args()


if __name__ == "__main__":
    asyncio.run(main())
