"""Plans that can be told apart by one word, and a BERT that can learn to."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.tools.tiny_bert import write_encoder
from training.plan_reranker.config import RerankerRun

WORDS = ["the", "yield", "field", "rose", "why", "how", "paper", "literature", "answer", "from", "investigator"]
WORDS += [
    "reviewer",
    "write",
    "review",
    "did",
    "fall",
    "it",
    "grow",
    "check",
    "first",
    "then",
    "1",
    "2",
    "3",
    ":",
    ".",
    "?",
]


def in_form(*questions: str) -> str:
    """A plan as the planner writes it."""
    lines = [f"{number}. Investigator: answer from the paper: {text}" for number, text in enumerate(questions, start=1)]
    return "\n".join([*lines, f"{len(lines) + 1}. Reviewer: write the review."])


def record(number: int, *, split: str = "train", paper: str | None = None) -> dict[str, Any]:
    """A paragraph whose optimal plan asks why, and whose other plans do not."""
    subject = ["yield", "field"][number % 2]
    return {
        "id": f"p{number}",
        "paper_id": paper or f"{split} {number // 2}",
        "split": split,
        "paragraph": f"the {subject} rose .",
        "review": f"why did the {subject} rise is not said .",
        "aspect": "Substance",
        "model": "toy",
        "plans": {
            "optimal": in_form(f"why did the {subject} rose?"),
            "coherence": in_form("how did it fall?"),
            "structure": f"**Plan:** check how the {subject} did grow. Then write the review.",
            "specificity": in_form("how did the paper grow?"),
        },
    }


def write_plans(path: Path, records: Sequence[dict[str, Any]]) -> Path:
    """A file of data."""
    path.write_text("".join(json.dumps(each) + "\n" for each in records), encoding="utf-8")
    return path


def toy_data(folder: Path) -> Path:
    """24 paragraphs to learn from and 8 to measure on."""
    records = [record(number) for number in range(24)] + [record(number, split="dev") for number in range(24, 32)]
    return write_plans(folder / "plans.jsonl", records)


def toy_run(folder: Path, **chosen: Any) -> RerankerRun:
    """A run on a tiny encoder, which is written if it is not there."""
    encoder = folder / "encoder"
    if not encoder.exists():
        write_encoder(encoder, WORDS, places=64)
    usual: dict[str, Any] = {
        "encoder": str(encoder),
        "learning_rate": 5e-3,
        "batch_size": 4,
        "epochs": 6,
        "patience": 6,
    }
    return RerankerRun.model_validate({**usual, "dropout": 0.0, "device": "cpu", **chosen})
