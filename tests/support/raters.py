"""Texts of four made-up systems, and raters that answer in a made-up Label Studio."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from evals.task import Item

SYSTEMS = ("Vermilion-9B", "Ochre Loop", "Cobalt", "Umber")
SAMPLES = ("specimen-1", "specimen-2", "specimen-3")
LINK = "https://example.org/cress?page=2&part=1"
BEGUN = datetime(2026, 3, 1, 9, tzinfo=UTC)


def text_of(sample: str, system: str) -> str:
    """What a system wrote for a sample; tells a test, and nobody else, which ones they are."""
    return f"Remark {SAMPLES.index(sample)}.{SYSTEMS.index(system)}: six trays are too few."


def paper_of(sample: str) -> str:
    """The original that the texts of a sample are about."""
    return f"Abstract {SAMPLES.index(sample)}: cress was watered with tea for 6 weeks."


WRITTEN = {text_of(sample, system): (sample, system) for sample in SAMPLES for system in SYSTEMS}
"""Sample and system by their text."""


def candidates(samples: Sequence[str] = SAMPLES, **fields: str) -> dict[str, dict[str, Item]]:
    """The texts of all systems, by sample and system."""
    return {
        name: {
            system: Item(
                sample={
                    "title": f"Cress and tea {SAMPLES.index(name)}",
                    "paragraph": f"Tray {SAMPLES.index(name)} was watered with tea.",
                    "abstract": paper_of(name),
                    "paper": paper_of(name),
                    "link": LINK,
                    **fields,
                },
                text=text_of(name, system),
                output={},
            )
            for system in SYSTEMS
        }
        for name in samples
    }


class Sheet(NamedTuple):
    """What a rater of Label Studio has submitted for a task."""

    task: Mapping[str, Any]
    rater: int
    answers: Mapping[str, str]
    """Values by question."""


def as_json(sheets: Iterable[Sheet], **annotation: Any) -> list[dict[str, Any]]:
    """What Label Studio exports as JSON: here a task for each sheet, one minute after the other."""
    return [
        {
            "id": number,
            "data": sheet.task["data"],
            "annotations": [
                {
                    "id": 100 + number,
                    "completed_by": sheet.rater,
                    "result": [_result(question, value) for question, value in sheet.answers.items()],
                    "was_cancelled": False,
                    "ground_truth": False,
                    "created_at": _time(0),
                    "updated_at": _time(number),
                    "lead_time": 12.5,
                    **annotation,
                }
            ],
            "predictions": [],
            "total_annotations": 1,
        }
        for number, sheet in enumerate(sheets, start=1)
    ]


def write_json(path: Path, value: Any) -> Path:
    """Write a file."""
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def _result(question: str, value: str) -> dict[str, Any]:
    return {
        "id": f"r-{question}",
        "type": "choices",
        "from_name": question,
        "to_name": "text",
        "origin": "manual",
        "value": {"choices": [value]},
    }


def _time(minutes: int) -> str:
    return (BEGUN + timedelta(minutes=minutes)).isoformat().replace("+00:00", "Z")
