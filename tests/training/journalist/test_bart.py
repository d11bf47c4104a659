"""BART is fine-tuned, and writes where the settings name it; that it is taken up is tested in `test_fitting.py`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from graphs.baselines import sequence_to_sequence_builder
from state.errors import SettingsError
from tests.training.tiny_seq2seq import run, write_all
from tools.sequence_to_sequence import generate_text

ABSTRACT = "irrigation augmented elongation of moss considerably"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and pairs."""
    torch.set_num_threads(1)
    return write_all(tmp_path_factory.mktemp("bart"))


async def test_it_learns_to_write_the_summary_where_the_settings_name_it(folder: Path, tmp_path: Path) -> None:
    record = run(folder, tmp_path, epochs=30, patience=30, accumulation=1)
    assert record.best < record.before
    written = await generate_text(tmp_path / "model", ABSTRACT)
    assert written.text.startswith("rain made")
    nowhere = {"default": {"base_url": "http://127.0.0.1:9/v1", "model": "none", "retries": 0}}
    context = {"models": nowhere, "variant": "single", "sequence_to_sequence": str(tmp_path / "model")}
    result = await sequence_to_sequence_builder.compile().ainvoke({"paper": ABSTRACT}, context=context)
    assert result["article"].strip() == written.text


def test_summaries_that_do_not_fit_are_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="raise `max_tokens`"):
        run(folder, tmp_path, max_tokens=7)
