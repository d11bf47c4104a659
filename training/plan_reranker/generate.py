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
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import cast, get_args

from rich.console import Console

from evals.datasets.corpora import choose_pairs
from runs.many import Job, Key, Record, read_records, run_jobs
from state.errors import DraftroomError
from state.files import write_atomically
from tools.checks.fidelity import stems
from tools.configuration import load_settings
from tools.models import close_clients
from training.plan_reranker.plans import normalised, questions_of
from training.plan_reranker.writing import Assignment, Criterion, WrittenPlan, assignment_of, in_scope, write_plan

_STEP = re.compile(r"^\s*\d+[.)]\s*(?:Investigator|Reviewer)\b", re.IGNORECASE | re.MULTILINE)
_FORM = re.compile(r"\d+\. Investigator: answer from the (?:paper|literature): |\d+\. Reviewer: write the review\.")


def flaw(
    written: WrittenPlan, criterion: Criterion, *, paragraph: str, review: str, comment: str, fewest: int
) -> str | None:
    """What keeps a plan from being used for `criterion`; None if it can be.

    That an optimal plan broke a golden rule, which code has mended, is the last thing that is found.

    Args:
        written: The plan.
        criterion: What it is to lack, or `optimal`.
        paragraph: What it plans the review of.
        review: What the human reviewer said of the paragraph.
        comment: What the plan was to lead to; the same as `review` for two of the criteria.
        fewest: Questions that it is to ask in any form, so that their number does not tell which plan is which.
    """
    if criterion == "structure" and _STEP.search(written["plan"]):
        return "has the structure that it should lack"
    if questions_of(normalised(written["plan"], most=fewest)) < fewest:
        return "says less than the other plans"
    asked = subjects(written["plan"])
    if criterion == "optimal":
        return _unsuitable(asked, stems(paragraph), stems(review)) or next(iter(written["repairs"]), None)
    if criterion == "specificity" and not asked & stems(paragraph):
        return "asks about nothing in the paragraph"  # the planner's own are dropped for that, so no ranking meets them
    if criterion == "coherence" and not asked & (stems(comment) - stems(paragraph) - stems(review)):
        return "takes nothing from the comment on another paragraph"
    return None


def subjects(plan: str) -> set[str]:
    """The content words of a plan's questions, without those of its form."""
    return stems(_FORM.sub("", plan))


def pertinence(plan: str, review: str) -> float:
    """Share of a plan's content words that the review of the paragraph has, from 0 to 1."""
    asked = subjects(plan)
    return len(asked & stems(review)) / len(asked) if asked else 0.0


def _unsuitable(asked: set[str], paragraph: set[str], review: set[str]) -> str | None:
    if not asked & paragraph:
        return "asks about nothing in the paragraph"
    if review and not asked & review:
        return "asks about nothing in the review"
    return None


CRITERIA: tuple[Criterion, ...] = get_args(Criterion)


def assemble(pairs: Sequence[Record], log: Sequence[Record]) -> tuple[list[Record], Counter[str]]:
    """The paragraphs with their four plans, and how often what was missing.

    A model that keeps to the paragraph, whatever comment it is given, writes no plan that lacks coherence. Then the
    optimal plan of a paragraph of another paper takes its place; `coherence_of` names that paragraph (ours). A plan
    that should lack specificity, but asks as much about what the review is about as the optimal one, does not count;
    words of the paragraph say nothing here, for the model sees it whatever it is to lack.
    """
    written = {(line["id"], line["criterion"]): line for line in log}
    optimal = {id_: line["plan"] for (id_, criterion), line in written.items() if criterion == "optimal"}
    records, lost = list[Record](), Counter[str]()
    for pair in pairs:
        lines = {criterion: written.get((pair["id"], criterion), {}) for criterion in CRITERIA}
        own = {criterion: str(line["plan"]) for criterion, line in lines.items() if line.get("plan")}
        borrowed = None if "coherence" in own else _elsewhere(pair, pairs, optimal)
        if borrowed:
            own["coherence"] = str(optimal[borrowed])
        if missing := [criterion for criterion in CRITERIA if criterion not in own]:
            lost.update(missing)
        elif _told_apart(own, pair["feedback"]):
            kept = {key: pair[key] for key in ("id", "paper_id", "split", "section", "paragraph", "aspect")}
            made = {"review": pair["feedback"], "model": lines["optimal"]["model"], "coherence_of": borrowed}
            records.append({**kept, **made, "plans": own})
        else:
            lost["as specific as the optimal one"] += 1
    return records, lost


def _elsewhere(pair: Record, pairs: Sequence[Record], optimal: Mapping[str, str | None]) -> str | None:
    """A paragraph of another paper whose optimal plan asks as much as that of the pair; the same one every time."""
    plan = optimal.get(pair["id"])
    others = [
        str(other["id"])
        for other in pairs
        if (other["split"], other["paper_id"] == pair["paper_id"]) == (pair["split"], False)
        and (theirs := optimal.get(other["id"]))
        and plan
        and questions_of(theirs) == questions_of(plan)
    ]
    return random.Random(pair["id"]).choice(others) if others else None  # noqa: S311 - no secret


def _told_apart(plans: Mapping[Criterion, str], review: str) -> bool:
    return pertinence(plans["specificity"], review) < pertinence(plans["optimal"], review)


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
