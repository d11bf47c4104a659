"""A model of natural language inference whose answers are known: BERT's weights, set by hand.

Whatever contains the word "proved" is entailed: a pair of texts is entailed if either has it, and contradicted if
neither has. Its attention looks at all tokens alike and passes the word's embedding on; nothing else has one.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from transformers import BertConfig, BertForSequenceClassification

from tests.tools.tiny_bert import SPECIAL, write_tokenizer

WORDS = ["the", "bean", "grew", "tall", "proved", "green", "."]
LABELS = {0: "contradiction", 1: "neutral", 2: "ENTAILMENT"}


def write_nli_model(folder: Path, *, labels: Mapping[int, str] | None = None, places: int = 24) -> Path:
    """Write the checkpoint; it reads `places` tokens."""
    names = dict(labels or LABELS)
    config = BertConfig(
        vocab_size=len(SPECIAL) + len(WORDS),
        hidden_size=4,
        num_hidden_layers=1,
        num_attention_heads=1,
        intermediate_size=4,
        max_position_embeddings=places,
        id2label=names,
        label2id={name: number for number, name in names.items()},
    )
    model = BertForSequenceClassification(config)
    model.load_state_dict(_weights(model.state_dict(), len(names)))
    model.save_pretrained(folder)
    write_tokenizer(folder, WORDS)
    return folder


def _weights(shapes: Mapping[str, torch.Tensor], labels: int) -> dict[str, torch.Tensor]:
    """All zeros, but for what passes the word on from its embedding to the classifier."""
    weights = {name: torch.zeros_like(value) for name, value in shapes.items()}
    for name, value in weights.items():
        if name.endswith("LayerNorm.weight"):
            value.fill_(1.0)
        if name.endswith(("self.value.weight", "attention.output.dense.weight", "pooler.dense.weight")):
            value.copy_(torch.eye(4))
    weights["bert.embeddings.word_embeddings.weight"][len(SPECIAL) + WORDS.index("proved"), 0] = 1.0
    weights["classifier.weight"][labels - 1, 0] = 10.0
    weights["classifier.bias"][labels - 1] = -5.0
    return weights
