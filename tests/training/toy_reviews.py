"""A tiny corpus of papers with reviews."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from training.review_filters.papers import Paper

LIGHT = "We raised 24 seedlings of cress under white light for ten days and watered them every morning."
TEA = "Cold tea slows growth, as earlier work has shown; its “caffeine” is thought to be the self-evident cause."
SHARED = "We raised 24 seedlings of cress, and most of them died."


def paper(
    *reviews: str | Sequence[str], paper_id: str = "cress", paragraphs: Sequence[str] = (LIGHT, TEA), **fields: Any
) -> dict[str, Any]:
    """A record of the corpus; its paragraphs are p1, p2, ..., its reviews r1, r2, ..."""
    return {
        "paper_id": paper_id,
        "title": "Growing cress with nothing but tea and light",
        "sections": [
            {
                "heading": "Methods > Growing of the seedlings in light",
                "paragraphs": [{"id": f"p{number}", "text": text} for number, text in enumerate(paragraphs, start=1)],
            }
        ],
        "reviews": [
            {"review_id": f"r{number}", "paragraphs": [review] if isinstance(review, str) else list(review)}
            for number, review in enumerate(reviews, start=1)
        ],
        **fields,
    }


def parsed(*reviews: str | Sequence[str], **fields: Any) -> Paper:
    """The same, as the compiler reads it."""
    return Paper.model_validate(paper(*reviews, **fields))


def write(path: Path, records: Sequence[Mapping[str, Any] | str]) -> Path:
    """Write records, or lines as they are, and return the path."""
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    return path
