"""The plan re-ranker: a cross-encoder that scores how well a plan suits a paragraph (SWIF2T, plan re-ranking).

It is trained with torch (`training/plan_reranker`). On a BERT it runs in numpy. To save space, the change of a matrix
by training can be stored as two factors of low rank, which are multiplied when it is loaded. On any other encoder it
runs in torch, by sentence-transformers. Its files are the weights, and `config.json`, which describes them.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError
from tokenizers import Tokenizer

from state.errors import SettingsError
from tools.bert import Array, Bert, configure_tokenizer, load_bert, map_in_parallel

if TYPE_CHECKING:
    from sentence_transformers.cross_encoder import CrossEncoder

Weights = Mapping[str, NDArray[Any]]  # Arrays of floating-point numbers by name.

WEIGHTS_FILE = "weights.safetensors"
# The weights of a re-ranker that runs in torch; the folder is in the format of sentence-transformers.
TORCH_WEIGHTS_FILE = Path("cross_encoder", "model.safetensors")
CONFIG_FILE = "config.json"


class RerankerConfig(BaseModel):
    """Description of a plan re-ranker, as in its `config.json`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    """Hash of the weights file."""
    training: dict[str, Any]
    """Settings and data of the training."""
    encoder: str
    encoder_sha256: str | None = None
    """Hash of the encoder's parameters that are not in the weights file; None if all are, and torch runs the model."""
    max_length: int
    papers: frozenset[str] = frozenset()
    """Ids of the papers of the corpus in the training set; empty if the training kept no list of them."""


def read_reranker_config(folder: Path) -> RerankerConfig:
    """Read the description of the re-ranker in a folder.

    Raises:
        SettingsError: It is missing or invalid.
    """
    try:
        return RerankerConfig.model_validate_json((folder / CONFIG_FILE).read_bytes())
    except OSError as error:
        raise _build_missing_error(folder, error) from error
    except ValidationError as error:
        raise SettingsError(
            f"{folder / CONFIG_FILE} does not describe a plan re-ranker; train it again, or name another folder."
        ) from error


def _load_weights(path: Path, sha256: str) -> dict[str, NDArray[Any]]:
    """Load a file of weights; raise `SettingsError` if it is missing, damaged or not finite."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise _build_missing_error(path.parent, error) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise _build_damaged_error(path)
    try:
        weights = safetensors.numpy.load(data)
    except SafetensorError as error:
        raise _build_damaged_error(path) from error
    if not all(np.isfinite(value).all() for value in weights.values()):
        raise SettingsError(
            f"{path} contains values that are not numbers, so its scores would be random; train it again with a lower "
            "learning rate."
        )
    return weights


def _build_missing_error(folder: Path, error: OSError) -> SettingsError:
    """Build the error for a file of a re-ranker that cannot be opened."""
    return SettingsError(
        f"There is no plan re-ranker in {folder} ({Path(error.filename).name}: {error.strerror}); name the folder of "
        "one that was trained.",
        kind="missing_file",
    )


def _build_damaged_error(path: Path) -> SettingsError:
    """Build the error for a file whose contents are not those that were saved."""
    return SettingsError(f"{path} is damaged: it is not the file that was saved; copy the folder or train it again.")


def load_plan_reranker(folder: Path) -> PlanReranker:
    """Load a re-ranker that was saved by its training: with numpy if it is a BERT, else with torch.

    Raises:
        SettingsError: A file is missing or damaged, the encoder has changed since the training, or torch is missing.
    """
    config = read_reranker_config(folder)
    if config.encoder_sha256 is None:
        return TorchReranker.from_folder(folder, config)
    return NumpyReranker.from_folder(folder, config)


@dataclass(frozen=True)
class NumpyReranker:
    """A BERT with a linear head: f(paragraph, plan), one number, higher for a better plan. Any thread may use it."""

    bert: Bert
    """The encoder with its trained parameters."""
    tokenizer: Tokenizer
    """Tokenizer of `[CLS] paragraph [SEP] plan [SEP]`; it cuts the end of the longer text, mostly the paragraph."""
    weight: Array
    """Weight of the head, `[hidden]`."""
    bias: float
    """Bias of the head."""

    def predict_scores(self, paragraph: str, plans: Sequence[str]) -> list[float]:
        """Score the plans for a paragraph in their order, higher for better; several texts at a time."""
        texts = [self.tokenizer.encode(paragraph, plan) for plan in plans]
        pooled = map_in_parallel(lambda text: self.bert.compute_pooled_vector(text.ids, text.type_ids), texts)
        return [float(self.weight @ each) + self.bias for each in pooled]

    @classmethod
    def from_folder(cls, folder: Path, config: RerankerConfig) -> Self:
        """Load a BERT with its trained parameters, with the errors of `load_plan_reranker`."""
        # 1. Read the weights, and check that they fit the installed encoder.
        weights = _load_weights(folder / WEIGHTS_FILE, config.sha256)
        bert = load_bert(config.encoder)
        parameters = {f"encoder.{name}": value for name, value in bert.parameters.items()}
        whole = merge_low_rank_factors(weights, parameters)
        shapes = {name: value.shape for name, value in parameters.items()}
        shapes |= {"head.weight": (1, bert.config.hidden_size), "head.bias": (1,)}
        fitting = all(shapes.get(name) == value.shape for name, value in whole.items())
        if not fitting or not {"head.weight", "head.bias"} <= whole.keys():
            raise SettingsError(
                f"The weights in {folder} are not those of a plan re-ranker on {config.encoder}; train it again, or "
                "name another folder."
            )
        if compute_fingerprint(parameters, without=weights) != config.encoder_sha256:
            raise SettingsError(
                f"The plan re-ranker in {folder} was trained on another version of {config.encoder}; install that "
                "version, or train it again."
            )
        # 2. Put the trained parameters into a copy of the encoder.
        trained = {name: value.astype(np.float32) for name, value in whole.items()}
        changed = {name: trained.get(f"encoder.{name}", value) for name, value in bert.parameters.items()}
        tokenizer = configure_tokenizer(Tokenizer.from_str(bert.tokenizer.to_str()))
        tokenizer.enable_truncation(min(config.max_length, bert.config.max_position_embeddings))
        head = trained["head.weight"][0], float(trained["head.bias"][0])
        return cls(replace(bert, parameters=changed), tokenizer, *head)


@dataclass(frozen=True)
class TorchReranker:
    """A cross-encoder of any architecture that sentence-transformers supports, on the CPU."""

    model: CrossEncoder

    def predict_scores(self, paragraph: str, plans: Sequence[str]) -> list[float]:
        """Score the plans for a paragraph in their order, higher for better; one thread at a time."""
        with _scoring_lock:  # threads cannot share the tokenizer
            return [float(each) for each in self.model.predict([(paragraph, plan) for plan in plans])]

    @classmethod
    def from_folder(cls, folder: Path, config: RerankerConfig) -> Self:
        """Load a cross-encoder by sentence-transformers, with the errors of `load_plan_reranker`."""
        path = folder / TORCH_WEIGHTS_FILE
        _load_weights(path, config.sha256)
        try:
            from sentence_transformers.cross_encoder import CrossEncoder  # noqa: PLC0415 - takes seconds
            from transformers.utils import logging  # noqa: PLC0415 - takes seconds

            logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # unused where it is missing
            model = CrossEncoder(str(path.parent), max_length=config.max_length, device="cpu", local_files_only=True)
            return cls(model)
        except ImportError as error:
            raise SettingsError(
                f"The plan re-ranker in {folder} uses {config.encoder}, which is not a BERT and needs torch: pip "
                "install 'draftroom[encoders]', or set no `reranker`: the one that ships needs no torch."
            ) from error
        except (OSError, ValueError) as error:
            raise _build_damaged_error(path.parent) from error


PlanReranker = NumpyReranker | TorchReranker
_scoring_lock = threading.Lock()


def compute_fingerprint(parameters: Weights, *, without: Collection[str]) -> str:
    """Compute the SHA-256 of the encoder's parameters except those in `without`, which a re-ranker's own file holds."""
    kept = {name: np.ascontiguousarray(value) for name, value in parameters.items() if name not in without}
    return hashlib.sha256(safetensors.numpy.save(kept)).hexdigest()


# Endings of the names of factors, after the name of the parameter to which their product is added.
LEFT, RIGHT = ".left", ".right"


def merge_low_rank_factors(weights: Weights, base: Weights) -> Weights:
    """Return a copy of weights in which each pair of factors is replaced by its product plus the base parameter.

    Factors that fit no parameter stay, so that the caller notices them.
    """
    whole = dict(weights)
    for name in [name.removesuffix(LEFT) for name in weights if name.endswith(LEFT)]:
        left, right, target = weights[name + LEFT], weights.get(name + RIGHT), base.get(name)
        if right is not None and target is not None and (len(left), *right.shape[1:]) == target.shape:
            del whole[name + LEFT], whole[name + RIGHT]
            whole[name] = target + left.astype(target.dtype) @ right.astype(target.dtype)
    return whole
