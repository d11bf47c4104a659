"""The plan re-ranker: a BERT cross-encoder that scores how well a plan suits a paragraph (SWIF2T, plan re-ranking).

It is trained with torch (`training/plan_reranker`) and runs in numpy. The weights that ship read a paragraph once for
all its plans, and were trained by earlier code. Low-rank adapters are W' = W + (alpha / rank) B
A, kept as the factors A and B, and added to W when they are loaded (Hu et al., "LoRA: Low-Rank Adaptation of Large
Language Models", 2021, Section 4.1).

Its files are `weights.safetensors`, and `config.json`, which says what they are and checks them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple, Self

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from safetensors import SafetensorError
from tokenizers import Tokenizer

from state.errors import SettingsError
from tools.bert import Array, Bert, in_parallel, load_bert, special
from tools.checks.fidelity import stems

Weights = Mapping[str, NDArray[Any]]
"""Arrays of floating-point numbers by name."""

WEIGHTS = "weights.safetensors"
CONFIG = "config.json"
"""Name of the file that describes the weights."""


class Adapter(BaseModel):
    """What must be known of low-rank factors to add them up."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rank: int = Field(8, ge=1)
    alpha: int = Field(16, ge=1)


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
    adapter: Adapter | None = None
    """Of the low-rank factors that the weights file holds in place of whole parameters; None if it holds none."""
    joined_layers: int | None = None
    """As `PlanReranker.joined_layers`."""
    shared_words: float = 0.0
    """As `PlanReranker.shared_words`."""
    dropout: float
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


_LONG = (("Investigator: answer from the ", ""), ("Reviewer: write the review.", "review"))


def single(tokenizer: Tokenizer, text: str, kind: int, max_length: int) -> EncodedText:
    """`[CLS] text [SEP]` in at most `max_length` tokens, cut at its end; `PARAGRAPH` or `PLAN` by itself.

    What each step of a plan begins with is shortened: a quarter of its tokens, which are read for each plan.
    """
    for form, short in _LONG if kind == PLAN else ():
        text = text.replace(form, short)
    shown = tokenizer.encode(text, add_special_tokens=False).ids[: max_length - 2]
    ids = (special(tokenizer, "[CLS]"), *shown, special(tokenizer, "[SEP]"))
    return EncodedText(ids, (kind,) * len(ids))


FORM = re.compile(r"\d+\. Investigator: answer from the (?:paper|literature): |\d+\. Reviewer: write the review\.")
"""What the steps of a plan begin with."""


def words_shared(paragraph: str, plan: str) -> float:
    """Share of the content words of a question that the paragraph has, the mean over the plan's; 0 without one."""
    known = stems(paragraph)
    questions = [asked for line in plan.splitlines() if (asked := stems(FORM.sub("", line)))]
    return fmean(len(asked & known) / len(asked) for asked in questions) if questions else 0.0


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
    """Tokens of paragraph and plan together, special ones included; of each of them where they are read apart."""
    joined_layers: int | None
    """In how many of the last layers a plan attends to its paragraph, which is read by itself and once for all plans;
    below them a plan is read by itself (after MacAvaney et al., "Efficient Document Re-Ranking for Transformers by
    Precomputing Term Representations", 2020). None for a cross-encoder, in which each attends to the other."""

    shared_words: float = 0.0
    """Weight of the words that a plan shares with its paragraph, which an encoder that has learnt from few paragraphs
    overlooks (after Askari et al., "Injecting the BM25 Score as Text Improves BERT-Based Re-rankers", 2023)."""

    def score(self, paragraph: str, plans: Sequence[str]) -> list[float]:
        """Scores of the plans for a paragraph, in their order."""
        pooled = self._paired(paragraph, plans) if self.joined_layers is None else self._joined(paragraph, plans)
        return [
            float(self.weight @ each) + self.bias + self.shared_words * words_shared(paragraph, plan)
            for each, plan in zip(pooled, plans, strict=True)
        ]

    def _paired(self, paragraph: str, plans: Sequence[str]) -> list[Array]:
        texts = [pair(self.bert.tokenizer, paragraph, plan, self.max_length) for plan in plans]
        return in_parallel(lambda text: self.bert.pooled(self.bert.states(*text, 0)), texts)

    def _joined(self, paragraph: str, plans: Sequence[str]) -> list[Array]:
        read = [(paragraph, PARAGRAPH), *((plan, PLAN) for plan in plans)]
        texts = [single(self.bert.tokenizer, text, kind, self.max_length) for text, kind in read]
        layers = self.bert.config.num_hidden_layers - (self.joined_layers or 0)
        of_paragraph, *of_plans = in_parallel(lambda text: self.bert.states(*text, layers), texts)
        (memories,) = in_parallel(lambda states: self.bert.memories(states, layers), [of_paragraph])
        return in_parallel(lambda states: self.bert.pooled(states, layers, memories), of_plans)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A re-ranker that was saved by its training.

        Raises:
            SettingsError: A file is missing or damaged, or the encoder is not the one that the weights belong to.
        """
        config, weights = _read_weights(folder)
        bert = load_bert(config.encoder)
        parameters = {f"encoder.{name}": value for name, value in bert.parameters.items()}
        whole = merged(weights, parameters, config.adapter) if config.adapter else weights
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
        return cls(config.encoder, encoder, *head, places, config.joined_layers, config.shared_words)


def fingerprint(parameters: Weights, *, without: Collection[str]) -> str:
    """SHA-256 of the encoder's parameters but those named: of what stays with the encoder when a re-ranker is saved."""
    kept = {name: np.ascontiguousarray(value) for name, value in parameters.items() if name not in without}
    return hashlib.sha256(safetensors.numpy.save(kept)).hexdigest()


_A, _B = "lora_A.weight", "lora_B.weight"


def merged(weights: Weights, base: Weights, adapter: Adapter) -> Weights:
    """Weights with each pair of factors replaced by the parameter of `base` that they change.

    Args:
        weights: A is `[rank, inputs]` and named `<layer>.lora_A.weight`, B is `[outputs, rank]`; anything else is kept.
        base: Parameters by name, `<layer>.weight` among them, `[outputs, inputs]`.
        adapter: Rank and scale.

    Returns:
        New weights; factors that fit no parameter of `base` keep their names.
    """
    whole = dict(weights)
    for name in weights:
        layer = name.removesuffix(_A)
        first, second, target = weights.get(layer + _A), weights.get(layer + _B), base.get(layer + "weight")
        if first is None or second is None or target is None:
            continue
        if (first.shape, second.shape) == ((adapter.rank, target.shape[1]), (target.shape[0], adapter.rank)):
            del whole[layer + _A], whole[layer + _B]
            update = second.astype(target.dtype) @ first.astype(target.dtype)
            whole[layer + "weight"] = target + adapter.alpha / adapter.rank * update
    return whole
