"""Trains a plan re-ranker on the plans of some paragraphs. Importing this module loads torch and transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch
from torch import Tensor
from transformers import set_seed

from tools.reranking.plan_reranker import PlanReranker
from training.fitting import fit
from training.plan_reranker.config import Lacking, RerankerRun
from training.plan_reranker.data import PlanName, PlannedParagraph, PlanSplit, sha256_of
from training.plan_reranker.loss import pairwise_loss
from training.plan_reranker.parts import choose_parts
from training.plan_reranker.recall import outranks, recall_at_1
from training.run_record import TrainingRecord

CHOSEN_BY = "recall, then pairs"
"""The measure that chooses: Recall@1; of epochs or runs that have the same, the share of pairs in the right order."""

_TOGETHER = 8
"""Pairs that go through the model at once."""

SHOWN: dict[Lacking, tuple[PlanName, ...]] = {
    "as written": ("optimal", "coherence", "specificity", "structure"),
    "normalised": ("optimal", "coherence", "specificity", "structure, normalised"),
    "both": ("optimal", "coherence", "specificity", "structure", "structure, normalised"),
}
"""The plans of a paragraph that a run sees, the optimal one first."""


class TrainedReranker(NamedTuple):
    """A re-ranker and how it came about."""

    reranker: PlanReranker
    record: TrainingRecord


def train(run: RerankerRun, split: PlanSplit, out: Path) -> TrainedReranker:
    """Train a re-ranker, or take up or just return the same run in `out`; see `training.fitting.fit`.

    Raises:
        SettingsError: The encoder cannot be had, or does not have the parts; `out` holds another run.
        StateError: `out` cannot be written, or another process trains in it.
    """
    set_seed(run.seed)
    reranker = PlanReranker(run.encoder, dropout=run.dropout, max_length=run.max_length)
    choose_parts(reranker, run)
    names = SHOWN[run.structure]

    def loss(model: PlanReranker, batch: Mapping[str, Any]) -> Tensor:
        return loss_of(model, batch["paragraphs"], names)

    def measures(model: PlanReranker) -> dict[str, float]:
        return measure(model, split.validation, names)

    fitted = fit(
        reranker,
        split.train,
        split.validation,
        config=run,
        out=out,
        collate=collate,
        compute_loss=loss,
        measure=measures,
        metric=CHOSEN_BY,
        data=hashes(split),
    )
    return TrainedReranker(reranker.eval(), fitted.record)


def hashes(split: PlanSplit) -> dict[str, str]:
    """Of the data of a run."""
    return {"train_sha256": sha256_of(split.train), "validation_sha256": sha256_of(split.validation)}


def collate(paragraphs: list[PlannedParagraph]) -> dict[str, Any]:
    """A batch: the model makes tokens of it, on its own device."""
    return {"paragraphs": paragraphs}


def loss_of(reranker: PlanReranker, paragraphs: Sequence[PlannedParagraph], names: Sequence[PlanName]) -> Tensor:
    """The pairwise loss over the plans of some paragraphs, the optimal one named first."""
    pairs = [(each.paragraph, each.texts[name]) for each in paragraphs for name in names]
    scores = _scores(reranker, pairs).view(len(paragraphs), len(names))
    return pairwise_loss(scores[:, 0], scores[:, 1:])


def measure(
    reranker: PlanReranker, paragraphs: Sequence[PlannedParagraph], names: Sequence[PlanName]
) -> dict[str, float]:
    """Recall@1 and the share of pairs in the right order, over the plans named, the optimal one first."""
    scores = [reranker.score(each.paragraph, [each.texts[name] for name in names]) for each in paragraphs]
    recall = fmean(recall_at_1(optimal, others) for optimal, *others in scores)
    pairs = fmean(outranks(optimal, other) for optimal, *others in scores for other in others)
    return {"recall_at_1": recall, "pairs": pairs, CHOSEN_BY: recall + pairs / (1000 * len(paragraphs))}


def _scores(reranker: PlanReranker, pairs: Sequence[tuple[str, str]]) -> Tensor:
    """Scores of paragraphs with plans; those of like length go together, because else padding is most of the work."""
    order = sorted(range(len(pairs)), key=lambda place: sum(map(len, pairs[place])))
    parts = []
    for start in range(0, len(pairs), _TOGETHER):
        paragraphs, plans = zip(*(pairs[place] for place in order[start : start + _TOGETHER]), strict=True)
        parts.append(reranker(**reranker.encode(paragraphs, plans)))
    return torch.cat(parts)[torch.tensor(order).argsort()]
