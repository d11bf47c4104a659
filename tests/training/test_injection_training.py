"""The regression of hidden instructions is fitted, bounded by papers of its own, and measured on others."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from training.injection import read_training_papers, train_injection_detector


def by_words(sentences: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of a sentence's words, in place of the encoder's."""
    rows = np.zeros((len(sentences), 256), dtype=np.float32)
    for row, sentence in zip(rows, sentences, strict=True):
        np.add.at(row, [zlib.crc32(word.encode()) % 256 for word in sentence.lower().split()], 1)
    return rows


def paper(number: int) -> dict[str, object]:
    text = f"We measured the yield of {number} plants in fields. The cells of plot {number} were washed and stained."
    sections = [{"heading": "Results", "paragraphs": [{"text": text}]}] if number % 2 else []
    return {"id": f"paper-{number}", "abstract": "The yield of barley rose in the second year.", "sections": sections}


def test_the_bound_lets_no_calibrating_paper_raise_an_alarm(tmp_path: Path) -> None:
    corpus = tmp_path / "papers.jsonl"
    corpus.write_text("".join(json.dumps(paper(number)) + "\n" for number in range(60)), encoding="utf-8")

    report = train_injection_detector([corpus], tmp_path / "out", embed=by_words)

    with np.load(tmp_path / "out" / "injection.npz") as kept:
        weights, bias = kept["weights"], float(kept["bias"])
    papers = list(read_training_papers(corpus))
    highest = [float((by_words(each.sentences) @ weights).max()) + bias for each in papers if each.part == "calibrate"]
    assert len(highest) > 10
    assert max(highest) == pytest.approx(0, abs=1e-4)
    assert "| instruction, held_out | 120 |" in report
    assert (tmp_path / "out" / "injection.md").read_text(encoding="utf-8") == report
