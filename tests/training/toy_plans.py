"""Plans that can be told apart by one word, and a BERT that can learn to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.tools.tiny_bert import write_encoder
from training.plan_reranker.plans import PlannedParagraph, WrittenPlans, write_written_plans
from training.plan_reranker.train import RerankerTrainingConfig

WORDS = ["the", "yield", "field", "rose", "why", "how", "paper", "literature", "answer", "from", "investigator"]
WORDS += ["reviewer", "write", "review", "did", "fall", "it", "grow", "check", "first", "then"]
WORDS += ["1", "2", "3", ":", ".", "?"]


def in_form(*questions: str) -> str:
    """A plan as the planner writes it."""
    lines = [f"{number}. Investigator: answer from the paper: {text}" for number, text in enumerate(questions, start=1)]
    return "\n".join([*lines, f"{len(lines) + 1}. Reviewer: write the review."])


def paragraph(number: int, *, paper: str | None = None) -> PlannedParagraph:
    """A paragraph whose optimal plan asks why, and whose other plans do not."""
    subject = ["yield", "field"][number % 2]
    return PlannedParagraph(
        id=f"p{number}",
        paper_id=paper or f"paper {number // 2}",
        paragraph=f"the {subject} rose {'it ' * (number % 7)}.",
        texts={
            "optimal": in_form(f"why did the {subject} rose?"),
            "incoherent": in_form("how did it fall?"),
            "general": in_form("how did the paper grow?"),
            "unstructured": f"check how the {subject} did grow. Then write the review.",
        },
    )


def toy_paragraphs() -> list[PlannedParagraph]:
    """32 paragraphs of 16 papers."""
    return [paragraph(number) for number in range(32)]


def toy_files(folder: Path) -> tuple[Path, Path]:
    """A corpus of these paragraphs, and a file with their plans."""
    pairs, plans = folder / "pairs.jsonl", folder / "plans.jsonl.gz"
    paragraphs = toy_paragraphs()
    lines = [each.model_dump(include={"id", "paper_id", "paragraph"}) for each in paragraphs]
    written = [WrittenPlans(id=each.id, type="Substance", elsewhere="p0", plans=each.texts) for each in paragraphs]
    pairs.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    write_written_plans(plans, written)
    return pairs, plans


def toy_run(folder: Path, **chosen: Any) -> RerankerTrainingConfig:
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
    return RerankerTrainingConfig.model_validate({**usual, "dropout": 0.0, "device": "cpu", **chosen})
