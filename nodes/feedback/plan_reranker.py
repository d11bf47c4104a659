"""The plan re-ranker: a trained BERT cross-encoder picks the plan that is followed (SWIF2T, Section 3)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from nodes.feedback.agent import options
from nodes.feedback.planner import plan_in_words
from state.feedback import ParagraphState

NOT_RANKED = "Plans are not re-ranked: there are no trained weights; the first plan was followed."


async def rank_plans(state: ParagraphState) -> dict[str, Any]:
    """Score each plan by itself and put the best first; without weights the order stays, on record.

    Raises:
        SettingsError, StateError: If weights were named or shipped, but cannot be used.
    """
    plans = state["plans"]
    folder = await asyncio.to_thread(_weights, options(state).reranker)
    if folder is None:
        return {"notes": [NOT_RANKED]}
    texts = [plan_in_words(plan) for plan in plans]
    scores = await asyncio.to_thread(_score, folder, state["target"]["text"], texts)
    scored = [{**plan, "score": score} for plan, score in zip(plans, scores, strict=True)]
    ranked = sorted(scored, key=lambda plan: -float(plan["score"]))  # type: ignore[arg-type] # just set
    return {"plans": ranked, "remaining": ranked[0]["steps"]}


def _weights(named: str | None) -> Path | None:
    from tools.reranking import default_weights  # noqa: PLC0415 - only runs that rank plans need it

    return Path(named).expanduser() if named else default_weights()


def _score(folder: Path, paragraph: str, plans: list[str]) -> list[float]:
    from tools.reranking import load_reranker  # noqa: PLC0415 - loads torch

    return load_reranker(folder).score(paragraph, plans)
