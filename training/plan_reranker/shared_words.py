"""What the words that a plan shares with its paragraph count in its score, beside what the encoder makes of both."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch
from scipy.optimize import minimize_scalar
from torch import Tensor

from state.files import write_atomically
from tools.reranking import FOLDS
from tools.reranking.plan_reranker import CONFIG, PlanReranker, words_shared
from training.plan_reranker.plans import PlannedParagraph, folds_of
from training.plan_reranker.train import pairwise_loss

_HIGHEST = 100.0


def weigh_shared_words(weights: Path, paragraphs: Sequence[PlannedParagraph]) -> None:
    """Fit the weight of the re-ranker in a folder, and that of each of its folds, and write it to its `config.json`.

    The encoder scores each paragraph with the fold that has not learnt from it: on paragraphs that it has learnt from,
    it would seem to need no help. The weight of a fold is fitted without the papers that the fold leaves out; the other
    folds' encoders have learnt from these. Does nothing to a re-ranker without folds.

    Args:
        weights: Folder of the re-ranker.
        paragraphs: That it has learnt from.

    Raises:
        SettingsError: The re-ranker or a fold cannot be loaded.
    """
    folds = folds_of(paragraphs)
    rows: dict[str, Tensor] = {}
    for name, split in folds.items():
        encoder = replace(PlanReranker.load(weights / FOLDS / name), shared_words=0.0)
        rows |= {each.id: _features(encoder, each) for each in split.validation}
    for name, split in folds.items():
        _write(weights / FOLDS / name, [rows[each.id] for each in split.train])
    if rows:
        _write(weights, list(rows.values()))


def _features(encoder: PlanReranker, planned: PlannedParagraph) -> Tensor:
    plans = list(planned.texts.values())
    shared = [words_shared(planned.paragraph, plan) for plan in plans]
    return torch.tensor([encoder.score(planned.paragraph, plans), shared], dtype=torch.float64)


def _write(folder: Path, rows: Sequence[Tensor]) -> None:
    def loss(weight: float) -> float:
        scores = [encoder + weight * shared for encoder, shared in rows]
        return float(torch.stack([pairwise_loss(each[:1], each[None, 1:]) for each in scores]).mean())

    best = minimize_scalar(loss, bounds=(0, _HIGHEST), method="bounded").x
    file = folder / CONFIG
    config = {**json.loads(file.read_bytes()), "shared_words": round(float(best), 3)}
    write_atomically(file, json.dumps(config, indent=2).encode() + b"\n")
