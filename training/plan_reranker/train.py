"""Trains a plan re-ranker on the plans of some paragraphs. Importing this module loads torch and transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import torch
from peft import LoraConfig, inject_adapter_in_model
from torch import Tensor
from torch.nn.functional import logsigmoid
from transformers import set_seed

from state.errors import SettingsError
from training.fitting import fit
from training.plan_reranker.config import Lacking, RerankerRun
from training.plan_reranker.model import RerankerModel
from training.plan_reranker.plans import PlanName, PlannedParagraph, PlanSplit, sha256_of
from training.run_record import TrainingRecord


def pairwise_loss(optimal: Tensor, lacking: Tensor) -> Tensor:
    """The mean over all pairs of an optimal plan i and a plan j of the same paragraph p that lacks something.

    Each pair counts `-[log P(f(p, i) > f(p, j)) + log(1 - P(f(p, j) > f(p, i)))]`. The paper leaves P open; here it is
    `P(f(p, i) > f(p, j)) = sigmoid(f(p, i) - f(p, j))`, the model of Bradley and Terry. With it the two terms are
    equal, because 1 - sigmoid(-d) = sigmoid(d), so the loss is -2 log sigmoid(d), twice that of RankNet. The
    logarithm of the sigmoid is taken in one step, which does not become log 0 where the difference is large.

    Args:
        optimal: Scores f(p, i), `[paragraphs]`.
        lacking: Scores f(p, j), `[paragraphs, plans that lack something]`.

    Returns:
        One number; 2 log 2 where all scores are the same.
    """
    difference = optimal.unsqueeze(-1) - lacking
    return -2 * logsigmoid(difference).mean()


def choose_parts(reranker: RerankerModel, run: RerankerRun) -> None:
    """Freeze what is not trained. Pooler and head always are: they are what is new about the task.

    Raises:
        SettingsError: The encoder has fewer layers, or none of the modules.
    """
    if run.parts == "everything":
        return
    reranker.encoder.requires_grad_(False)
    if run.parts == "top layers":
        _thaw_top_layers(reranker, run.top_layers)
    else:
        _add_adapter(reranker, run)
    reranker.encoder.pooler.requires_grad_(True)


def _thaw_top_layers(reranker: RerankerModel, number: int) -> None:
    layers = reranker.encoder.encoder.layer
    if number > len(layers):
        raise SettingsError(f"The encoder has {len(layers)} layers; set `top_layers` to at most that.")
    for layer in layers[-number:]:
        layer.requires_grad_(True)


def _add_adapter(reranker: RerankerModel, run: RerankerRun) -> None:
    config = LoraConfig(
        r=run.adapter.rank,
        lora_alpha=run.adapter.alpha,
        lora_dropout=run.dropout,
        target_modules=list(run.adapter_modules),
    )
    try:
        inject_adapter_in_model(config, reranker.encoder.encoder)  # the layers, without the pooler
    except ValueError as error:
        raise SettingsError(
            f"The encoder has no layers named {', '.join(run.adapter_modules)}; set `adapter_modules` to some of "
            "query, key, value and dense."
        ) from error
    reranker.adapter = run.adapter


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

    reranker: RerankerModel
    record: TrainingRecord


def train(run: RerankerRun, split: PlanSplit, out: Path) -> TrainedReranker:
    """Train a re-ranker, or take up or just return the same run in `out`; see `training.fitting.fit`.

    Raises:
        SettingsError: The encoder cannot be had, or does not have the parts; `out` holds another run.
        StateError: `out` cannot be written, or another process trains in it.
    """
    set_seed(run.seed)
    reranker = RerankerModel(run.encoder, dropout=run.dropout, max_length=run.max_length)
    choose_parts(reranker, run)
    names = SHOWN[run.structure]

    def loss(model: RerankerModel, batch: Mapping[str, Any]) -> Tensor:
        return loss_of(model, batch["paragraphs"], names)

    def measures(model: RerankerModel) -> dict[str, float]:
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


def loss_of(reranker: RerankerModel, paragraphs: Sequence[PlannedParagraph], names: Sequence[PlanName]) -> Tensor:
    """The pairwise loss over the plans of some paragraphs, the optimal one named first."""
    pairs = [(each.paragraph, each.texts[name]) for each in paragraphs for name in names]
    scores = _scores(reranker, pairs).view(len(paragraphs), len(names))
    return pairwise_loss(scores[:, 0], scores[:, 1:])


def measure(
    reranker: RerankerModel, paragraphs: Sequence[PlannedParagraph], names: Sequence[PlanName]
) -> dict[str, float]:
    """Recall@1 and the share of pairs in the right order, over the plans named, the optimal one first."""
    scores = [reranker.score(each.paragraph, [each.texts[name] for name in names]) for each in paragraphs]
    recall = fmean(recall_at_1(optimal, others) for optimal, *others in scores)
    pairs = fmean(outranks(optimal, other) for optimal, *others in scores for other in others)
    return {"recall_at_1": recall, "pairs": pairs, CHOSEN_BY: recall + pairs / (1000 * len(paragraphs))}


def recall_at_1(optimal: float, others: Sequence[float]) -> float:
    """1 if the optimal plan has the highest score, 0 if another has; plans with the same score are drawn by lot."""
    best = max(others)
    if optimal == best:
        return 1 / (1 + others.count(best))
    return float(optimal > best)


def outranks(optimal: float, other: float) -> float:
    """1 if the optimal plan has the higher score, 0 if the other has, 0.5 if they have the same."""
    return recall_at_1(optimal, [other])


def _scores(reranker: RerankerModel, pairs: Sequence[tuple[str, str]]) -> Tensor:
    """Scores of paragraphs with plans; those of like length go together, because else padding is most of the work."""
    order = sorted(range(len(pairs)), key=lambda place: sum(map(len, pairs[place])))
    parts = []
    for start in range(0, len(pairs), _TOGETHER):
        paragraphs, plans = zip(*(pairs[place] for place in order[start : start + _TOGETHER]), strict=True)
        parts.append(reranker(**reranker.encode(paragraphs, plans)))
    return torch.cat(parts)[torch.tensor(order).argsort()]
