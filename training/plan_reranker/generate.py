"""Write the training plans of the re-ranker with a model (SWIF2T, "Training the plan re-ranker").

    python -m training.plan_reranker.generate PAIRS.jsonl --log LOG.jsonl --plans PLANS.jsonl.gz

PAIRS.jsonl has an object on each line with `id`, `paper_id`, `paragraph`, `feedback` (a human reviewer's criticism of
the paragraph) and `aspect`, one of the five types of weakness. Pairs without the last two are skipped.

The model is that of the role `planner` in the settings. Each plan is appended to the log as soon as it is written, and
plans in the log are not written again. Paragraphs with all four plans go into PLANS.jsonl.gz, which refers to them by
id.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from langgraph.func import entrypoint
from langgraph.runtime import RunControl
from rich.console import Console

from runs.jobs import Key, Record, RowWork, Workers, iterate_results, read_json_lines, run_rows
from state.errors import DraftroomError, InputError
from state.feedback import Weakness
from state.model_settings import Limits, ModelSettings
from tools.configuration import load_settings
from tools.models.ask import Caller, MarkdownAnswer, ask_model
from tools.models.endpoint import close_clients
from tools.models.prompts import load_prompt
from tools.text import has_words
from training.plan_reranker.plans import FOUR_KINDS, PlanKind, WrittenPlans, compute_fold, write_written_plans

# Comments that general plans lead to, by the type of the human reviewer's comment.
GENERIC_COMMENTS: dict[Weakness, str] = {
    "Replicability": "The methods should be described in more detail, because a reader could not repeat the work from "
    "what is given.",
    "Originality": "It does not become clear what is new, and how far the work goes beyond what is known already.",
    "Empirical and Theoretical Soundness": "The conclusions are not fully supported by the evidence, and other "
    "explanations remain open.",
    "Meaningful Comparison": "There should be a comparison with other work, so that a reader can judge the results.",
    "Substance": "Too little was done to make the point; more evidence and more analyses would be needed.",
}

_PROMPTS = Path(__file__).parent / "prompts"
_STEP = re.compile(r"\d+[.)] ((?:Investigator|Reviewer): .+)")


def select_prompt(kind: PlanKind) -> Path:
    """Return the path of the prompt that writes a kind of plan."""
    # All structured plans share a prompt, so that they differ only by the comment.
    return _PROMPTS / ("plan_freely.md" if kind == "unstructured" else "plan_towards_comment.md")


def select_comment(kind: PlanKind, pair: Record, elsewhere: Record) -> str:
    """Return the comment that a kind of plan leads to: the pair's, that of the pair `elsewhere`, or a generic one."""
    if kind == "general":
        return GENERIC_COMMENTS[pair["aspect"]]
    return str((elsewhere if kind == "incoherent" else pair)["feedback"])


def choose_other_pairs(pairs: Sequence[Record]) -> dict[str, Record]:
    """Return for each pair, by its id, a random pair of another paper in its fold; the same in every run."""
    found = {}
    for pair in pairs:
        # Within the fold, so that training on the other folds sees no comment on a paper that is left out.
        fold = [each for each in pairs if compute_fold(each["paper_id"]) == compute_fold(pair["paper_id"])]
        others = [each for each in fold if each["paper_id"] != pair["paper_id"]]
        if not others:
            raise InputError(f"There are too few papers to give {pair['id']} another paper's comment; add pairs.")
        found[pair["id"]] = random.Random(pair["id"]).choice(others)  # noqa: S311 - no secret
    return found


class PlanText(MarkdownAnswer):
    """A plan as the re-ranker reads it: steps numbered like the planner's, or any other text unchanged."""

    text: str

    @classmethod
    def from_markdown(cls, text: str) -> PlanText:
        """Return the plan in an answer, its steps numbered from 1 if all lines are steps; ValueError without words."""
        if not has_words(text):
            raise ValueError("it holds no plan")
        steps = [_STEP.fullmatch(line.strip()) for line in text.splitlines() if line.strip()]
        numbered = [f"{number}. {step[1]}" for number, step in enumerate(steps, start=1) if step]
        return cls(text="\n".join(numbered) if len(numbered) == len(steps) else text)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return the most words of a plan: enough for six questions, or for the 120 words of a free plan."""
        return 6 * limits.note_words


@entrypoint()
async def generate_plan(arguments: tuple[PlanKind, str, str, ModelSettings]) -> str:
    """Ask a model for a plan and return its text, given (kind, paragraph, comment to lead to, model settings)."""
    kind, paragraph, comment, model = arguments
    prompt = await asyncio.to_thread(load_prompt, select_prompt(kind))
    caller = Caller("planner", prompt.name, 1)
    variables: dict[str, object] = {"paragraph": paragraph, "comment": comment}
    answer = await ask_model(caller, prompt, variables, PlanText, model, trim="comment")
    return answer.value.text


@dataclass
class PlanWork(RowWork):
    """Work that asks a model for the plan of a kind that leads to a comment on a paragraph."""

    model: ModelSettings

    async def run_row(self, row: Record) -> Record:
        """Return the plan of a row of the arguments of `generate_plan` as `plan`."""
        return {"plan": await generate_plan.ainvoke((row["kind"], row["paragraph"], row["comment"], self.model))}


async def generate_plans(
    pairs: Sequence[Record],
    log: Path,
    plans: Path,
    model: ModelSettings,
    most: int | None = None,
) -> str:
    """Ask a model for the plans that the log lacks, write the file of plans, and return a sentence with their number.

    The file of plans is overwritten. `most` is the number of plans after the run; all by default.
    """
    # 1. List the plans as rows.
    pairs = [each for each in pairs if each.get("feedback") and each.get("aspect") in GENERIC_COMMENTS]
    elsewhere = choose_other_pairs(pairs)
    rows: dict[Key, Record] = {
        (pair["id"], kind): {
            "kind": kind,
            "paragraph": pair["paragraph"],
            "comment": select_comment(kind, pair, elsewhere[pair["id"]]),
        }
        for pair in pairs
        for kind in FOUR_KINDS
    }
    # Shuffled, so that the first `most` plans are of many papers and kinds.
    mixed = random.Random(0).sample(sorted(rows), len(rows))  # noqa: S311 - no secret
    chosen = {key: rows[key] for key in mixed[:most]}
    # 2. Write those that the log lacks.
    print_line = partial(Console(stderr=True).print, highlight=False, markup=False, soft_wrap=True)
    await run_rows(
        chosen.items(),
        PlanWork(model),
        log,
        Workers(model.concurrency),
        keys=chosen,
        fields=["id", "kind"],
        on_end=lambda ended: print_line(str(ended)),
        control=RunControl(),
    )
    # 3. Write the paragraphs that have all four plans; some may have failed.
    written = defaultdict[str, dict[PlanKind, str]](dict)
    for result in await asyncio.to_thread(list, iterate_results(log)):
        if "plan" in result and (result["id"], result["kind"]) in chosen:
            written[result["id"]][result["kind"]] = result["plan"]
    whole = [
        WrittenPlans(id=id_, type=pair["aspect"], elsewhere=elsewhere[id_]["id"], plans=written[id_])
        for pair in pairs
        if len(written[id_ := pair["id"]]) == len(FOUR_KINDS)
    ]
    write_written_plans(plans, whole)
    return f"{len(whole)} of {len(pairs)} paragraphs have their four plans, in {plans}."


async def main() -> None:
    """Generate plans by the command line, with the settings' planner model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--plans", type=Path, required=True)
    parser.add_argument("--most", type=int, help="plans to write, including those in the log")
    given = vars(parser.parse_args())
    model = load_settings().resolve_model_settings("planner")
    summary = await generate_plans(read_json_lines(given.pop("pairs")), model=model, **given)
    await close_clients()
    sys.stderr.write(f"{summary}\n")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except DraftroomError as error:
        raise SystemExit(str(error)) from None
