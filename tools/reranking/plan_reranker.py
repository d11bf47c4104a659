"""The plan re-ranker: a BERT cross-encoder that scores how well a plan suits a paragraph (SWIF2T, plan re-ranking).

It is trained with torch (`training/plan_reranker`) and runs in numpy. All of it is trained; to save space, what
training added to a matrix can be kept as two factors of a low rank, which are multiplied when it is loaded.

Its files are `weights.safetensors`, and `config.json`, which says what they are and checks them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError
from tokenizers import Tokenizer

from state.errors import SettingsError
from tools.bert import Array, Bert, in_parallel, load_bert, special

Weights = Mapping[str, NDArray[Any]]
"""Arrays of floating-point numbers by name."""

WEIGHTS = "weights.safetensors"
CONFIG = "config.json"
"""Name of the file that describes the weights."""


class RerankerConfig(BaseModel):
    """What `config.json` says of a plan re-ranker."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    """Of the weights file."""
    training: dict[str, Any]
    """How the weights came about."""
    encoder: str
    encoder_sha256: str
    """Of the encoder's parameters that the weights file does not hold."""
    max_length: int
    papers: frozenset[str] = frozenset()
    """Ids of the papers of the corpus that were learnt from; none for weights whose training kept no list of them."""


def read_config(folder: Path) -> RerankerConfig:
    """Read the description.

    Raises:
        SettingsError: It is missing, or describes something else.
    """
    try:
        return RerankerConfig.model_validate_json((folder / CONFIG).read_bytes())
    except OSError as error:
        raise _missing(folder, error) from error
    except ValidationError as error:
        raise SettingsError(
            f"{folder / CONFIG} does not describe a plan re-ranker; train it again, or name another folder."
        ) from error


def _read_weights(folder: Path) -> tuple[RerankerConfig, dict[str, NDArray[Any]]]:
    """Read both files.

    Raises:
        SettingsError: One is missing, or is not as it was written, or training had come to no numbers.
    """
    config = read_config(folder)
    try:
        data = (folder / WEIGHTS).read_bytes()
    except OSError as error:
        raise _missing(folder, error) from error
    if hashlib.sha256(data).hexdigest() != config.sha256:
        raise _damaged(folder)
    try:
        weights = safetensors.numpy.load(data)
    except SafetensorError as error:
        raise _damaged(folder) from error
    if not all(np.isfinite(value).all() for value in weights.values()):
        raise SettingsError(
            f"{folder / WEIGHTS} holds values that are no numbers, so what it says would be random; train it again "
            "with a lower learning rate."
        )
    return config, weights


def _missing(folder: Path, error: OSError) -> SettingsError:
    return SettingsError(
        f"There is no plan re-ranker in {folder} ({Path(error.filename).name}: {error.strerror}); name the folder of "
        "one that was trained.",
        kind="missing_file",
    )


def _damaged(folder: Path) -> SettingsError:
    return SettingsError(
        f"{folder / WEIGHTS} is damaged: it is not the file that was saved; copy the folder anew, or train it again."
    )


PARAGRAPH, PLAN = 0, 1
"""Types of tokens."""


class EncodedText(NamedTuple):
    """A text as the encoder reads it."""

    ids: tuple[int, ...]
    types: tuple[int, ...]
    """`PARAGRAPH` or `PLAN` for each token."""


def pair(tokenizer: Tokenizer, paragraph: str, plan: str, max_length: int) -> EncodedText:
    """`[CLS] paragraph [SEP] plan [SEP]`, in at most `max_length` tokens.

    What does not fit is cut from the paragraph's end, down to nothing. Only a plan that is longer than the window by
    itself is cut, at its own end.
    """
    room, sep = max_length - 3, special(tokenizer, "[SEP]")
    second = (*tokenizer.encode(plan, add_special_tokens=False).ids[:room], sep)
    shown = tokenizer.encode(paragraph, add_special_tokens=False).ids[: room + 1 - len(second)]
    first = (special(tokenizer, "[CLS]"), *shown, sep)
    return EncodedText(first + second, (PARAGRAPH,) * len(first) + (PLAN,) * len(second))


@dataclass(frozen=True)
class PlanReranker:
    """BERT with a linear head: f(paragraph, plan), one number, higher for a better plan; any thread may use it."""

    encoder_name: str
    """What it was trained on, as `load_bert` knows it."""
    bert: Bert
    """The encoder, with what was trained of it."""
    weight: Array
    """Of the head, `[hidden]`."""
    bias: float
    """Of the head."""
    max_length: int
    """Tokens of paragraph and plan together, special ones included."""

    def score(self, paragraph: str, plans: Sequence[str]) -> list[float]:
        """Scores of the plans for a paragraph, in their order."""
        texts = [pair(self.bert.tokenizer, paragraph, plan, self.max_length) for plan in plans]
        return [
            float(self.weight @ each) + self.bias for each in in_parallel(lambda text: self.bert.pooled(*text), texts)
        ]

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A re-ranker that was saved by its training.

        Raises:
            SettingsError: A file is missing or damaged, or the encoder is not the one that the weights belong to.
        """
        config, weights = _read_weights(folder)
        bert = load_bert(config.encoder)
        parameters = {f"encoder.{name}": value for name, value in bert.parameters.items()}
        whole = multiplied(weights, parameters)
        shapes = {name: value.shape for name, value in parameters.items()}
        shapes |= {"head.weight": (1, bert.config.hidden_size), "head.bias": (1,)}
        fitting = all(shapes.get(name) == value.shape for name, value in whole.items())
        if not fitting or not {"head.weight", "head.bias"} <= whole.keys():
            raise SettingsError(
                f"The weights in {folder} are not those of a plan re-ranker on {config.encoder}; train it again, or "
                "name another folder."
            )
        if fingerprint(parameters, without=weights) != config.encoder_sha256:
            raise SettingsError(
                f"The plan re-ranker in {folder} was trained on another version of {config.encoder}; install that "
                "version, or train it again."
            )
        trained = {name: value.astype(np.float32) for name, value in whole.items()}
        changed = {name: trained.get(f"encoder.{name}", value) for name, value in bert.parameters.items()}
        places = min(config.max_length, bert.config.max_position_embeddings)
        head = trained["head.weight"][0], float(trained["head.bias"][0])
        encoder = replace(bert, parameters=changed)
        return cls(config.encoder, encoder, *head, places)


def fingerprint(parameters: Weights, *, without: Collection[str]) -> str:
    """SHA-256 of the encoder's parameters but those named: of what stays with the encoder when a re-ranker is saved."""
    kept = {name: np.ascontiguousarray(value) for name, value in parameters.items() if name not in without}
    return hashlib.sha256(safetensors.numpy.save(kept)).hexdigest()


LEFT, RIGHT = ".left", ".right"
"""What the names of factors end with, after that of the parameter that their product is added to."""


def multiplied(weights: Weights, base: Weights) -> Weights:
    """Weights with each pair of factors replaced by the parameter of `base` that their product is added to.

    Returns:
        New weights; factors that fit no parameter of `base` keep their names.
    """
    whole = dict(weights)
    for name in [name.removesuffix(LEFT) for name in weights if name.endswith(LEFT)]:
        left, right, target = weights[name + LEFT], weights.get(name + RIGHT), base.get(name)
        if right is not None and target is not None and (len(left), *right.shape[1:]) == target.shape:
            del whole[name + LEFT], whole[name + RIGHT]
            whole[name] = target + left.astype(target.dtype) @ right.astype(target.dtype)
    return whole
