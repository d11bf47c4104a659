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
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from evals.checkpointed import Builder, Run, checkpointed
from evals.feedback_tables import tables
from graphs.baselines import chain_of_verification_builder, single_model_builder
from graphs.focused_feedback import builder
from state.feedback import FeedbackContext, FeedbackInput
from tools.jobs import Job, Key, Record, read_records, run_jobs
from tools.models import close_clients
from tools.paragraph_pairs import choose_pairs


class Row(NamedTuple):
    """A system that is measured."""

    system: Builder
    context: FeedbackContext


ROWS = {
    "single": Row(single_model_builder, FeedbackContext()),
    "cove": Row(chain_of_verification_builder, FeedbackContext()),
    "sequential": Row(builder, FeedbackContext(execution="sequential")),
    "parallel": Row(builder, FeedbackContext(execution="parallel")),
    "no-reranking": Row(builder, FeedbackContext(execution="parallel", rerank=False)),
}
"""What is run for each pair; `--rows` chooses among them."""

_USUAL = ["single", "cove", "sequential", "parallel"]


async def main() -> None:
    """Do the runs that are not in the results yet, then print the tables."""
    arguments = _arguments()
    pairs = choose_pairs(read_records(arguments.pairs), arguments.split, arguments.limit)
    papers = {paper["paper_id"]: paper for paper in read_records(arguments.papers)}
    if missing := {pair["paper_id"] for pair in pairs} - papers.keys():
        raise SystemExit(f"{arguments.papers} lacks papers of the pairs: {', '.join(sorted(missing))}.")
    tell = partial(print, flush=True)
    async with checkpointed(arguments.out) as run:
        jobs: dict[Key, Job] = {
            (pair["id"], row): partial(_run, run, (pair["id"], row), pair, papers[pair["paper_id"]])
            for pair in pairs
            for row in arguments.rows
        }
        results = await run_jobs(jobs, arguments.out, arguments.concurrency, fields=["id", "row"], tell=tell)
    await close_clients()
    print(tables(pairs, results))


def paper_text(paper: Record) -> str:
    """A paper as Markdown; its abstract comes first, whether it is one of the sections or not."""
    blocks = [f"# {paper['title']}"]
    if paper["abstract"] and not any(section["heading"].lower() == "abstract" for section in paper["sections"]):
        blocks += ["## Abstract", paper["abstract"]]
    for section in paper["sections"]:
        blocks += [f"## {section['heading']}", *(paragraph["text"] for paragraph in section["paragraphs"])]
    return "\n\n".join(" ".join(block.split()) for block in blocks)


async def _run(run: Run, key: Key, pair: Record, paper: Record) -> Record:
    start = perf_counter()
    row = ROWS[key[1]]
    request = FeedbackInput(paper=paper_text(paper), text=pair["paragraph"])
    output = await run(row.system, key, request, row.context)
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
