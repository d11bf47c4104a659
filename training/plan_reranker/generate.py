"""Writes the training plans of the re-ranker with a model (SWIF2T, "Training the plan re-ranker").

    python -m training.plan_reranker.generate PAIRS.jsonl --log LOG.jsonl --plans PLANS.jsonl.gz

The input has one JSON object a line: `id`, `paper_id`, `paragraph`, `feedback` (what a human reviewer criticised in the
paragraph) and `aspect`, one of the five types of weakness. What lacks the last two is passed over.

The model is that of the role `planner` in the settings. Each plan is appended to the log as soon as it is written; what
is there is not written again. The paragraphs that have all four go into the file of plans, which refers to them by id.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from langgraph.func import entrypoint
from rich.console import Console

from runs.jobs import Job, Key, Record, read_json_lines, run_jobs
from state.errors import DraftroomError, InputError
from state.feedback import Weakness
from state.model_settings import Limits, ModelSettings
from tools.configuration import load_settings
from tools.models import Caller, ask_model, close_clients
from tools.models.ask import MarkdownAnswer
from tools.text import has_words
from training.plan_reranker.plans import FOUR_KINDS, PlanKind, WrittenPlans, compute_fold, write_written_plans

GENERIC_COMMENTS: dict[Weakness, str] = {
    "Replicability": "The methods should be described in more detail, because a reader could not repeat the work from "
    "what is given.",
    "Originality": "It does not become clear what is new, and how far the work goes beyond what is known already.",
    "Empirical and Theoretical Soundness": "The conclusions are not fully supported by the evidence, and other "
    "explanations remain open.",
    "Meaningful Comparison": "There should be a comparison with other work, so that a reader can judge the results.",
    "Substance": "Too little was done to make the point; more evidence and more analyses would be needed.",
}
"""What a general plan leads to, by the type of the human reviewer's comment."""

_PROMPTS = Path(__file__).parent / "prompts"


def select_prompt(kind: PlanKind) -> Path:
    """One prompt for all structured plans, so that only the comment tells them apart."""
    return _PROMPTS / ("plan_freely.md" if kind == "unstructured" else "plan_towards_comment.md")


def select_comment(kind: PlanKind, pair: Record, elsewhere: Record) -> str:
    """The comment that a plan of a paragraph is to lead to."""
    if kind == "general":
        return GENERIC_COMMENTS[pair["aspect"]]
    return str((elsewhere if kind == "incoherent" else pair)["feedback"])


def choose_other_paragraphs(pairs: Sequence[Record]) -> dict[str, Record]:
    """For each paragraph one of another paper; of its own fold, so that nothing of a paper left out is learnt.

    Raises:
        BadInput: A fold has one paper only.
    """
    found = {}
    for pair in pairs:
        near = [each for each in pairs if compute_fold(each["paper_id"]) == compute_fold(pair["paper_id"])]
        others = [each for each in near if each["paper_id"] != pair["paper_id"]]
        if not others:
            raise InputError(f"There are too few papers to give {pair['id']} another paper's comment; add pairs.")
        found[pair["id"]] = random.Random(pair["id"]).choice(others)  # noqa: S311 - no secret
    return found


class PlanText(MarkdownAnswer):
    """A plan as the re-ranker reads it: steps as the planner's are numbered, or any other text as it is."""

    text: str

    @classmethod
    def from_markdown(cls, text: str) -> PlanText:
        """Take the text."""
        if not has_words(text):
            raise ValueError("it holds no plan")
        steps = [_STEP.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
        numbered = [f"{number}. {step[1]}" for number, step in enumerate(steps, start=1) if step]
        return cls(text="\n".join(numbered) if len(numbered) == len(steps) else text)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Allow for six questions, or for the 120 words of a free plan."""
        return 6 * limits.note_words


_STEP = re.compile(r"\d+[.)] ((?:Investigator|Reviewer): .+)")


@entrypoint()
async def generate_plan(asked: tuple[PlanKind, str, str, ModelSettings]) -> str:
    """Write a plan of a kind for a paragraph towards a comment.

    Raises:
        ModelUnavailable, ContextOverflow, SettingsError, ModelOutputError: As `tools.models.ask`.
    """
    kind, paragraph, comment, model = asked
    caller = Caller("planner", select_prompt(kind).stem, 1)
    variables: dict[str, object] = {"paragraph": paragraph, "comment": comment}
    answer = await ask_model(caller, select_prompt(kind), variables, PlanText, model, trim="comment")
    return answer.value.text


async def generate_log_entry(kind: PlanKind, pair: Record, elsewhere: Record, model: ModelSettings) -> Record:
    """Write a plan, as a line of the log."""
    return {
        "plan": await generate_plan.ainvoke((kind, pair["paragraph"], select_comment(kind, pair, elsewhere), model))
    }


async def generate_plans(
    pairs: Sequence[Record],
    log: Path,
    plans: Path,
    model: ModelSettings,
    most: int | None = None,
    concurrency: int = 32,
) -> str:
    """Write the plans that are not there yet.

    Args:
        pairs: Paragraphs with what human reviewers criticised in them.
        log: JSON Lines of the plans so far.
        plans: The file of plans, which is written anew.
        model: That writes.
        most: How many plans to have in the end; all by default.
        concurrency: How many are written at once.

    Returns:
        How many paragraphs have their four plans.
    """
    pairs = [each for each in pairs if each.get("feedback") and each.get("aspect") in GENERIC_COMMENTS]
    elsewhere = choose_other_paragraphs(pairs)
    jobs: dict[Key, Job] = {
        (pair["id"], kind): partial(generate_log_entry, kind, pair, elsewhere[pair["id"]], model)
        for pair in pairs
        for kind in FOUR_KINDS
    }
    mixed = random.Random(0).sample(sorted(jobs), len(jobs))  # noqa: S311 - no secret
    jobs = {key: jobs[key] for key in mixed[:most]}
    tell = partial(Console(stderr=True).print, highlight=False, markup=False, soft_wrap=True)
    results = await run_jobs(jobs, log, concurrency, fields=["id", "kind"], tell=tell)
    written = defaultdict[str, dict[PlanKind, str]](dict)
    for result in results:
        if "plan" in result:
            written[result["id"]][result["kind"]] = result["plan"]
    whole = [
        WrittenPlans(id=id_, type=pair["aspect"], elsewhere=elsewhere[id_]["id"], plans=written[id_])
        for pair in pairs
        if len(written[id_ := pair["id"]]) == len(FOUR_KINDS)
    ]
    write_written_plans(plans, whole)
    return f"{len(whole)} of {len(pairs)} paragraphs have their four plans, in {plans}."


async def main() -> None:
    """Write plans with the model of the role `planner`."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--plans", type=Path, required=True)
    parser.add_argument("--most", type=int, help="plans to write, those that are there included")
    parser.add_argument("--concurrency", type=int, default=32)
    given = vars(parser.parse_args())
    told = await generate_plans(
        read_json_lines(given.pop("pairs")), model=load_settings().resolve_model_settings("planner"), **given
    )
    await close_clients()
    sys.stderr.write(f"{told}\n")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except DraftroomError as error:
        raise SystemExit(str(error)) from None
