"""The baseline of a fine-tuned model that writes the article alone, with the output of `science_journalism`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphs.baselines import sequence_to_sequence_builder
from tests.support.newsroom import PAPER
from tests.tools.tiny_bart import POSITIONS, write_bart
from tools.sequence_to_sequence import generate_text

NOWHERE = {"default": {"base_url": "http://127.0.0.1:9/v1", "model": "none", "retries": 0}}
"""Whoever asked a server would fail."""


async def run(**choices: Any) -> dict[str, Any]:
    return await sequence_to_sequence_builder.compile().ainvoke(
        {"paper": PAPER}, context={"models": NOWHERE, "variant": "single", **choices}
    )


async def test_the_model_writes_the_only_draft(tmp_path: Path) -> None:
    folder = write_bart(tmp_path / "bart", sorted(set(PAPER.split())))
    result = await run(sequence_to_sequence=str(folder), preset="paper")
    settings, model = result["not_as_published"]
    assert settings == "These settings are not the preset's: variant = single."
    assert model.startswith("The model is ")
    written = await generate_text(folder, PAPER)
    assert result["article"].strip() == written.text
    assert [draft["text"] for draft in result["drafts"]] == [result["article"]]
    assert [assessment["round"] for assessment in result["assessments"]] == [0]
    assert (result["selected_round"], result["stop_reason"]) == (0, "single draft")
    (call,) = result["calls"]
    assert (call["model"], call["input_tokens"], call["output_tokens"]) == ("bart", POSITIONS, written.output_tokens)
    (trim,) = call["trims"]
    assert trim["words_kept"] < trim["words_before"] == len(PAPER.split())
