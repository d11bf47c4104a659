"""The plan re-ranker: a trained BERT cross-encoder picks the plan that is followed (SWIF2T, Section 3)."""

from __future__ import annotations

import asyncio

from nodes.feedback.agent import options
from nodes.feedback.planner import plan_in_words
from state.feedback import ParagraphState, Plan
from state.settings import FeedbackSettings


async def rank_plans(state: ParagraphState) -> ParagraphState:
    """Score each plan by itself and put the best first.

    Raises:
        SettingsError: The weights are missing or damaged; plans are never ranked by chance.
    """
    plans = state["plans"]
    texts = [plan_in_words(plan) for plan in plans]
    scores = await asyncio.to_thread(_score, options(state), state["target"]["text"], texts)
    scored: list[Plan] = [{**plan, "score": score} for plan, score in zip(plans, scores, strict=True)]
    ranked = sorted(scored, key=lambda plan: -float(plan["score"]))  # type: ignore[arg-type] # just set
    return {"plans": ranked, "remaining": ranked[0]["steps"]}


def _score(chosen: FeedbackSettings, paragraph: str, plans: list[str]) -> list[float]:
    from tools.reranking import load_reranker, weights_folder  # noqa: PLC0415 - only runs that rank plans need it

    return load_reranker(weights_folder(chosen)).score(paragraph, plans)
