"""The surface of a plan, all of it at once: a linear model of length, steps, form and overlap.

It is trained like the re-ranker, and the fairest of the baselines: what it reaches needs no understanding of a plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from training.plan_reranker.baselines import Score, overlap_with, pointwise, questions, steps, structure, words
from training.plan_reranker.data import PlanName, PlannedParagraph
from training.plan_reranker.loss import pairwise_loss

_RIDGE = 1e-3
_STEPS = 200


def surface_model(
    train: Sequence[PlannedParagraph], shown: Sequence[PlanName], measured: Sequence[PlannedParagraph]
) -> Score:
    """Fit the model to the training plans, so that it can rank those of other paragraphs.

    Args:
        train: Paragraphs to learn from.
        shown: Their plans that it learns from, the optimal one first.
        measured: Paragraphs that will be ranked; known to BM25 only.
    """
    features = _features([*train, *measured])
    rows = torch.stack([torch.stack([features(each.paragraph, each.texts[name]) for name in shown]) for each in train])
    mean, scale = rows.mean(dim=(0, 1)), rows.std(dim=(0, 1)).clamp_min(1e-6)
    weights = _fitted((rows - mean) / scale)
    return pointwise(lambda paragraph, plan: float((features(paragraph, plan) - mean) / scale @ weights))


def _features(paragraphs: Sequence[PlannedParagraph]) -> Callable[[str, str], Tensor]:
    overlap = overlap_with(paragraphs)

    def features(paragraph: str, plan: str) -> Tensor:
        values = [words(plan), steps(plan), structure(plan), questions(plan), overlap(paragraph, plan)]
        return torch.tensor(values, dtype=torch.float64)

    return features


def _fitted(rows: Tensor) -> Tensor:
    """Weights for rows `[paragraphs, plans, features]`, the optimal plan first."""
    weights = torch.zeros(rows.shape[-1], dtype=rows.dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        scores = rows @ weights
        loss = pairwise_loss(scores[:, 0], scores[:, 1:]) + _RIDGE * weights.square().sum()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore] # torch is typed in parts only
        return loss

    optimizer.step(closure)  # type: ignore[no-untyped-call, unused-ignore]
    return weights.detach()
