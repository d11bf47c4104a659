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
from tools.reranking.plan_reranker import EncodedText
from training.fitting import fit
from training.plan_reranker.config import RerankerRun
from training.plan_reranker.model import RerankerModel
from training.plan_reranker.plans import CRITERIA, PlanName, PlannedParagraph, PlanSplit, sha256_of
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

    An adapter is in the joined layers alone.

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
        layers_to_transform=list(range(reranker.below, len(reranker.encoder.encoder.layer))),
        layers_pattern="layer",
    )
    try:
        inject_adapter_in_model(config, reranker.encoder)  # by their number, so not in the pooler
    except ValueError as error:
        raise SettingsError(
            f"The encoder has no layers named {', '.join(run.adapter_modules)}; set `adapter_modules` to some of "
            "query, key, value and dense."
        ) from error
    reranker.adapter = run.adapter


CHOSEN_BY = "pairs"
"""The measure that chooses run and epoch: Recall@1 of a few dozen paragraphs leaps from one epoch to the next."""

_TOGETHER = 16
"""Pairs that go through the model at once."""


class TrainedReranker(NamedTuple):
    """A re-ranker and how it came about."""

    reranker: RerankerModel
    record: TrainingRecord


def train(
    run: RerankerRun,
    split: PlanSplit,
    out: Path,
    *,
    metric: str = CHOSEN_BY,
    known: dict[EncodedText, Tensor] | None = None,
) -> TrainedReranker:
    """Train a re-ranker, or take up or just return the same run in `out`; see `training.fitting.fit`.

    Args:
        run: The settings.
        split: Paragraphs to learn from, and those to measure on after each epoch.
        out: Folder of the run.
        metric: Which of the measures chooses the epoch; `training.fitting.LAST` keeps the last.
        known: As `RerankerModel` takes it.

    Raises:
        SettingsError: The encoder cannot be had, or does not have the parts; `out` holds another run.
        StateError: `out` cannot be written, or another process trains in it.
    """
    set_seed(run.seed)
    reranker = RerankerModel(
        run.encoder, dropout=run.dropout, max_length=run.max_length, joined_layers=run.joined_layers, known=known
    )
    choose_parts(reranker, run)

    def loss(model: RerankerModel, batch: Mapping[str, Any]) -> Tensor:
        return loss_of(model, batch["paragraphs"])

    def measures(model: RerankerModel) -> dict[str, float]:
        return measure(model, split.validation)

    fitted = fit(
        reranker,
        split.train,
        split.validation,
        config=run,
        out=out,
        collate=collate,
        compute_loss=loss,
        measure=measures,
        metric=metric,
        data=hashes(split),
    )
    return TrainedReranker(reranker.eval(), fitted.record)


def hashes(split: PlanSplit) -> dict[str, str]:
    """Of the data of a run."""
    return {"train_sha256": sha256_of(split.train), "validation_sha256": sha256_of(split.validation)}


def collate(paragraphs: list[PlannedParagraph]) -> dict[str, Any]:
    """A batch: the model makes tokens of it, on its own device."""
    return {"paragraphs": paragraphs}


def loss_of(reranker: RerankerModel, paragraphs: Sequence[PlannedParagraph]) -> Tensor:
    """The pairwise loss over all plans of some paragraphs, of which each counts the same."""
    pairs = [(each.paragraph, text) for each in paragraphs for text in each.texts.values()]
    scores = torch.split(_scores(reranker, pairs), [len(each.texts) for each in paragraphs])
    return torch.stack([pairwise_loss(each[:1], each[None, 1:]) for each in scores]).mean()


def measure(reranker: RerankerModel, paragraphs: Sequence[PlannedParagraph]) -> dict[str, float]:
    """Recall@1 among all plans of a paragraph, and the share of pairs in the right order, over what each plan lacks."""
    firsts, pairs = [], []
    for each in paragraphs:
        scores = dict(zip(each.texts, reranker.score(each.paragraph, list(each.texts.values())), strict=True))
        optimal = scores.pop("optimal")
        firsts.append(recall_at_1(optimal, list(scores.values())))
        pairs.append(fmean(share_above(optimal, scores).values()))
    return {"recall_at_1": fmean(firsts), CHOSEN_BY: fmean(pairs)}


def share_above(optimal: float, others: Mapping[PlanName, float]) -> dict[str, float]:
    """By what the other plans lack, the share of them that the optimal one is above."""
    found = {}
    for criterion, kinds in CRITERIA.items():
        above = [outranks(optimal, others[kind]) for kind in kinds if kind in others]
        if above:
            found[criterion] = fmean(above)
    return found


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
    parts = [
        reranker([pairs[place] for place in order[start : start + _TOGETHER]])
        for start in range(0, len(pairs), _TOGETHER)
    ]
    return torch.cat(parts)[torch.tensor(order).argsort()]
