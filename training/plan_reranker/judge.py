"""A language model as a judge of plans: a baseline of the re-ranker, which ranks plans by how many others they beat."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Annotated, Literal, TypedDict

from langgraph.func import entrypoint
from pydantic import BaseModel, ConfigDict

from runs.many import Job, Key, Record, run_jobs
from state.model_settings import AtMost, ModelSettings
from tools.models import Caller, ask
from training.plan_reranker.baselines import Score
from training.plan_reranker.plans import FOUR, PlanName, PlannedParagraph

_PROMPT = Path(__file__).parent / "prompts" / "judge_plan.md"
PAIRS = list(combinations(FOUR, 2))
"""What the judge compares: it is asked of SWIF2T's four plans alone."""


class PlanPreference(BaseModel):
    """What the judge says."""

    model_config = ConfigDict(extra="forbid")

    reason: Annotated[str, AtMost("note_words")]
    better: Literal["A", "B"]


class Comparison(TypedDict):
    """What the judge is asked."""

    paragraph: str
    plan_a: str
    plan_b: str
    model: ModelSettings


@entrypoint()
async def compare(comparison: Comparison) -> Record:
    """Ask which plan is better.

    Raises:
        ModelUnavailable, ContextOverflow, SettingsError, ModelOutputError: As `tools.models.ask`.
    """
    variables: dict[str, object] = {name: comparison[name] for name in ("paragraph", "plan_a", "plan_b")}
    answer = await ask(
        Caller("judge", "judge_plan", 1), _PROMPT, variables, PlanPreference, comparison["model"], trim="paragraph"
    )
    return {**answer.value.model_dump(), "calls": answer.calls}


async def judge_plans(
    paragraphs: Sequence[PlannedParagraph],
    log: Path,
    model: ModelSettings,
    *,
    concurrency: int,
    tell: Callable[[str], None],
    seed: int = 0,
) -> list[Record]:
    """Have every two plans of each paragraph compared, in an order that is drawn by lot.

    Args:
        paragraphs: With their plans.
        log: JSON Lines; each verdict is appended at once, and a second call asks only for what is missing.
        model: The judge.
        concurrency: Comparisons under way at once.
        tell: Receives a line of progress for each.
        seed: Of the order in which two plans are shown.

    Returns:
        The verdicts, or the errors in their place.
    """
    jobs: dict[Key, Job] = {
        (each.id, *pair): partial(_judge, each, pair, model, seed)
        for each in paragraphs
        for pair in PAIRS
        if set(pair) <= each.texts.keys()
    }
    return await run_jobs(jobs, log, concurrency, fields=["id", "one", "other"], tell=tell)


def judged(verdicts: Sequence[Record]) -> Score:
    """A plan's score is the number of plans that it was preferred to; a comparison without a verdict counts half."""
    winners = {(verdict["id"], verdict["one"], verdict["other"]): verdict.get("winner") for verdict in verdicts}

    def preferred(paragraph: str, plan: PlanName, other: PlanName) -> float:
        winner = winners.get((paragraph, plan, other)) or winners.get((paragraph, other, plan))
        return 0.5 if winner is None else float(winner == plan)

    return lambda planned, names: [
        sum(preferred(planned.id, name, other) for other in names if other != name) for name in names
    ]


async def _judge(planned: PlannedParagraph, pair: tuple[PlanName, PlanName], model: ModelSettings, seed: int) -> Record:
    shown = list(pair)
    random.Random(f"{seed} {planned.id} {pair}").shuffle(shown)  # noqa: S311 - no secret
    a, b = shown
    comparison = Comparison(paragraph=planned.paragraph, plan_a=planned.texts[a], plan_b=planned.texts[b], model=model)
    answer: Record = await compare.ainvoke(comparison)
    return {"first": a, "winner": a if answer["better"] == "A" else b, "model": model.model, **answer}
