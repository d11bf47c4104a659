"""Writes the training plans of the re-ranker with a model (SWIF2T, "Training the plan re-ranker").

    python -m training.plan_reranker.generate PAIRS.jsonl --log LOG.jsonl --out PLANS.jsonl

The input has one JSON object a line. A pair has `id`, `paper_id`, `section`, `paragraph`, `split`, `feedback` (what
a human reviewer criticised in it) and `aspect` (which weakness that is about; `training.review_filters.label_aspects`
says so where no person has).

The model is that of the role `planner` in the settings. Each plan is appended to the log as soon as it is written,
with every attempt at it; a second call with the same log goes on where the first one stopped. The paragraphs that have
all four plans by then are written to `--out`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from functools import partial
from pathlib import Path
from typing import cast

from rich.console import Console

from evals.datasets.corpora import choose_pairs
from runs.many import Job, Key, Record, read_records, run_jobs
from state.errors import DraftroomError
from state.files import write_atomically
from tools.configuration import load_settings
from tools.models import close_clients
from training.plan_reranker.assembling import CRITERIA, assemble
from training.plan_reranker.assignments import assignment_of, in_scope
from training.plan_reranker.checks import flaw
from training.plan_reranker.writing import Assignment, Criterion, WrittenPlan, write_plan

ATTEMPTS = 3
"""At a plan, until it is what it should be; after that, the paragraph is left out."""


async def main() -> None:
    """Write the plans that are not in the log yet, then the paragraphs that have all four."""
    arguments = _arguments()
    console = Console(stderr=True)
    candidates = in_scope(read_records(arguments.pairs))
    limits = {"train": arguments.train, "dev": arguments.dev}
    pairs = [pair for split, limit in limits.items() for pair in choose_pairs(candidates, split, limit)]
    # What is measured on comes first, should the time run out; a paper's pairs together, while the server knows it.
    pairs.sort(key=lambda pair: (pair["split"], pair["paper_id"]))
    model = load_settings().model_for("planner")
    jobs: dict[Key, Job] = {
        (pair["id"], criterion): partial(write, assignment_of(pair, criterion, pairs, model), criterion, pair)
        for pair in pairs
        for criterion in CRITERIA
    }
    tell = partial(console.print, highlight=False, markup=False, soft_wrap=True)
    log = await run_jobs(jobs, arguments.log, arguments.concurrency, fields=["id", "criterion"], tell=tell)
    await close_clients()
    records, lost = assemble(pairs, log)
    write_atomically(
        arguments.out, "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records).encode()
    )
    tell(f"{len(records)} of {len(pairs)} paragraphs have all plans; lost: {dict(lost)}")


async def write(assignment: Assignment, criterion: Criterion, pair: Record) -> Record:
    """Write a plan until it is what it should be, and keep every attempt.

    An optimal one that broke a golden rule each time is taken as code has mended it, as the planner's own are.
    """
    attempts: list[Record] = []
    seed = assignment["model"].seed
    for number in range(ATTEMPTS):
        if seed is not None:
            model = assignment["model"].model_copy(update={"seed": seed + number})
            assignment = {**assignment, "model": model}
        written = cast("WrittenPlan", await write_plan.ainvoke(assignment))
        problem = flaw(
            written,
            criterion,
            paragraph=pair["paragraph"],
            review=pair["feedback"],
            comment=assignment["comment"],
            fewest=assignment["questions"],
        )
        attempts.append({**written, "flaw": problem})
        if not problem:
            break
    usable = [each for each in attempts if each["flaw"] in (None, *each["repairs"])]
    plan = usable[-1]["plan"] if usable else None
    return {"plan": plan, "comment": assignment["comment"], "model": assignment["model"].model, "attempts": attempts}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--train", type=int, default=600, help="most pairs of this split (SWIF2T: 600)")
    parser.add_argument("--dev", type=int, default=100)
    parser.add_argument("--concurrency", type=int, default=32)
    return parser.parse_args()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except DraftroomError as error:
        raise SystemExit(str(error)) from None
