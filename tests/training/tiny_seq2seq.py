"""A BART that is fine-tuned in a second, on made-up papers of a dozen words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.tools.tiny_bart import write_bart
from training.fitting import FitRecord
from training.journalist.bart import BartConfig, train_bart

PLANTS = ("moss", "cress", "fern", "clover", "barley", "ivy", "thyme", "mint", "sage", "rye", "oat", "flax")


def write_all(folder: Path) -> Path:
    """The model and the pairs, in a folder."""
    pairs = [
        {
            "doi": f"10.1234/{plant}",
            "abstract": f"irrigation augmented elongation of {plant} considerably",
            "summary": f"rain made {plant} grow faster",
        }
        for plant in PLANTS
    ]
    words = sorted({word for pair in pairs for name in ("abstract", "summary") for word in pair[name].split()})
    write_bart(folder / "bart", words, spread=0.02)
    (folder / "pairs.jsonl").write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), encoding="utf-8")
    return folder


FOUR_SHORT_EPOCHS = {
    "learning_rate": 1e-2,
    "batch_size": 2,
    "accumulation": 2,
    "epochs": 4,
    "patience": 4,
    "dropout": 0.1,
    "dev_share": 0.25,
    "device": "cpu",
}


def configured(model: Path | str, **changes: Any) -> BartConfig:
    own = {"model": str(model), "label_smoothing": 0.1, "clip_norm": 1.0, "max_tokens": 16}
    return BartConfig.model_validate(FOUR_SHORT_EPOCHS | own | changes)


def run(folder: Path, out: Path, **changes: Any) -> FitRecord:
    """Fine-tune the model in `folder` on the pairs beside it."""
    return train_bart(configured(changes.pop("model", folder / "bart"), **changes), [folder / "pairs.jsonl"], out)
