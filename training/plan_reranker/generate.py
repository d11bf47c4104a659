"""Writes the training plans of the re-ranker with a model (SWIF2T, "Training the plan re-ranker").

    python -m training.plan_reranker.generate PAIRS.jsonl --log LOG.jsonl

The input has one JSON object a line. A pair has `id`, `paper_id`, `paragraph` and `feedback`: what a human reviewer
criticised in the paragraph. Pairs without feedback are passed over.

The model is that of the role `planner` in the settings. Each plan is appended to the log as soon as it is written, with
every attempt at it. What is usable goes from the log into the file of plans (`--plans`, by default the one that comes
with the project), at the beginning and at the end of each call; what the file or the log has is not written again. The
file refers to paragraphs by their ids alone.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast, get_args

from rich.console import Console

from runs.many import Job, Key, Record, read_records, read_results, run_jobs
from state.errors import DraftroomError
from tools.checks.fidelity import stems
from tools.configuration import load_settings
from tools.models import close_clients
from training.plan_reranker.plans import PLANS, WrittenLine, read_written, subjects, write_written
from training.plan_reranker.writing import Assignment, Written, WrittenPlan, assignment_of, write_plan

ATTEMPTS = 2
"""At a plan, until it is what it should be; after that, the paragraph has none of this kind."""


def flaw(plan: str, written: Written, *, paragraph: str, review: str) -> str | None:
    """What keeps a plan from being used; None if it can be.

    Args:
        plan: As the re-ranker reads it.
        written: What it is to be.
        paragraph: What it plans the review of.
        review: What the human reviewer said of the paragraph.
    """
    asked = subjects(plan)
    if not asked & stems(paragraph):
        return "asks about nothing in the paragraph"  # the planner's own are dropped for that, so no ranking meets them
    if written == "optimal" and not asked & stems(review):
        return "asks about nothing in the review"
    return None


def in_order(pairs: Sequence[Record]) -> list[Record]:
    """Those with feedback. A paper's stand together, because its plans serve each other; papers by lot, "dev" first."""
    criticised = [pair for pair in pairs if pair["feedback"]]
    papers = sorted({(pair["split"], pair["paper_id"]) for pair in criticised})
    random.Random(0).shuffle(papers)  # noqa: S311 - no secret
    order = {paper: place for place, (_, paper) in enumerate(sorted(papers, key=lambda each: each[0]))}
    return sorted(criticised, key=lambda pair: order[pair["paper_id"]])


async def main() -> None:
    """Write the plans that are not there yet."""
    arguments = _arguments()
    console = Console(stderr=True)
    tell = partial(console.print, highlight=False, markup=False, soft_wrap=True)
    pairs = in_order(read_records(arguments.pairs))
    there = _collect(arguments.plans, arguments.log)
    model = load_settings().model_for("planner")
    # A paragraph is of no use without the first two, so all have those before any has the third.
    wanted: list[tuple[Record, Written]] = [(pair, each) for pair in pairs for each in ("optimal", "generic")]
    wanted += [(pair, "sampled") for pair in pairs]
    jobs: dict[Key, Job] = {
        (pair["id"], each): partial(write, assignment_of(pair, each, model), each, pair)
        for pair, each in wanted
        if (pair["id"], each) not in there
    }
    await run_jobs(
        dict(list(jobs.items())[: arguments.most]),
        arguments.log,
        arguments.concurrency,
        fields=["id", "written"],
        tell=tell,
    )
    await close_clients()
    _collect(arguments.plans, arguments.log)
    counts = Counter(line.written for line in read_written(arguments.plans))
    tell(f"{len(pairs)} paragraphs; plans: " + ", ".join(f"{counts[each]} {each}" for each in get_args(Written)))


def _collect(plans: Path, log: Path) -> set[Key]:
    """Take the usable plans of a log into the file of plans; the keys of all that need no writing any more."""
    lines = {line.key: line for line in read_written(plans)} if plans.exists() else {}
    logged = {(line["id"], line["written"]): line for line in read_results(log) if "attempts" in line}
    found = {key: WrittenLine.model_validate(line) for key, line in logged.items() if line["plan"]}
    write_written(plans, {**lines, **found}.values())
    return {*lines, *logged}


async def write(assignment: Assignment, written: Written, pair: Record) -> Record:
    """Write a plan until it is what it should be, and keep every attempt."""
    attempts: list[Record] = []
    seed = assignment["model"].seed
    for number in range(ATTEMPTS):
        if seed is not None:
            model = assignment["model"].model_copy(update={"seed": seed + number})
            assignment = {**assignment, "model": model}
        answer = cast("WrittenPlan", await write_plan.ainvoke(assignment))
        problem = flaw(answer["plan"], written, paragraph=pair["paragraph"], review=pair["feedback"])
        attempts.append({**answer, "flaw": problem})
        if not problem:
            break
    plan = None if attempts[-1]["flaw"] else attempts[-1]["plan"]
    return {
        "plan": plan,
        "comment": assignment["comment"],
        "literature": assignment["literature"],
        "model": assignment["model"].model,
        "attempts": attempts,
    }


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--plans", type=Path, default=PLANS)
    parser.add_argument("--most", type=int, help="plans to write in this call; 0 only takes up what the log has")
    parser.add_argument("--concurrency", type=int, default=32)
    return parser.parse_args()


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except DraftroomError as error:
        raise SystemExit(str(error)) from None
