"""Two runs beside each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from evals.reports.tables import render_comparison
from state.errors import SettingsError
from tests.support.report_files import lines, part, points
from tests.support.tea_task import CALL, SAMPLES, Texts, run, sample, tea, usual_texts

CHOICES = "What differs in how they were run"


def compared(folder: Path, a: Texts, b: Texts, **choices: Any) -> str:
    """Two runs of the same samples; the choices are those of the second."""
    return render_comparison(run(folder / "a", a), run(folder / "b", b, **choices))


def rows(text: str, corpus: str = "Tea") -> dict[tuple[str, str], list[str]]:
    return {(line[0], line[1]): line[2:] for line in lines(text, f"Scores, {corpus}")}


def test_every_row_and_measure_that_both_have_is_compared(tmp_path: Path) -> None:
    text = compared(tmp_path, usual_texts(), {"clever": [[tea(3)]] * 8, "plain": [[tea(6)]] * 8})
    found = rows(text)
    assert found["clever", "words ↓"] == ["8", "4.0", "3.0", "-1.0 [-1.0, -1.0], p = 0.016"]
    assert found["plain × 1", "words ↓"] == ["8", "6.0", "6.0", "+0.0 [0.0, 0.0], p = 1.000"]
    assert {row for row, _ in found} == {"plain × 1", "clever"}
    assert points(text, "Scores, Tea") == [
        "plain × 1: not beyond chance: words, leaves, calls.",
        "clever: better in words; not beyond chance: leaves, calls.",
    ]


def test_only_samples_that_both_have_count(tmp_path: Path) -> None:
    texts = {"clever": [[tea(count)] for count in (2, 4, 6)]}
    others = [SAMPLES[1], sample("s2", source="another text"), sample("new")]
    text = render_comparison(
        run(tmp_path / "a", texts, samples=SAMPLES[:3]), run(tmp_path / "b", texts, samples=others)
    )
    assert "Samples in both runs: 1." in text
    assert rows(text)["clever", "words ↓"] == ["1", "4.0", "2.0", "-2.0, p = 1.000"]


def test_runs_without_a_row_in_common_say_only_how_they_differ(tmp_path: Path) -> None:
    text = compared(tmp_path, {"clever": [[tea(4)]] * 8}, {"plain": [[tea(4)]] * 8})
    assert "Scores" not in text
    assert CHOICES in text


def test_choices_that_differ_are_named_with_both_values(tmp_path: Path) -> None:
    models = {"simplifier": {"model": "small", "base_url": "http://127.0.0.1/v1"}}
    call = {**CALL, "prompt_sha256": "fedcba9876543210"}
    settings = {"entries": 3, "target_grade": 7.0, "extensions": ["apply_edits"]}
    text = compared(
        tmp_path, usual_texts(), usual_texts(), models=models, settings=settings, version="0.2.0", calls=[call]
    )
    assert lines(text, CHOICES) == [
        ["version", "0.1.0", "0.2.0"],
        ["models.simplifier.model", "large", "small"],
        ["models.simplifier.temperature", "0.7", "-"],
        ["settings.extensions", "['lost_details', 'apply_edits']", "['apply_edits']"],
        ["prompt simplify", "0123456789ab", "fedcba987654"],
    ]


def test_the_same_choices_are_said_to_be_the_same(tmp_path: Path) -> None:
    text = compared(tmp_path, usual_texts(), usual_texts(), begun="2026-05-06T00:00:00+00:00")
    assert "the same choices, prompts and versions" in part(text, CHOICES)
    assert "| A | B |" not in part(text, CHOICES)


def test_each_corpus_is_compared_alone(tmp_path: Path) -> None:
    samples = [sample("t"), sample("m", corpus="Mate")]
    runs = [
        run(tmp_path / name, {"clever": [[tea(4)], [tea(words)]]}, samples=samples)
        for name, words in (("a", 4), ("b", 7))
    ]
    text = render_comparison(*runs)
    assert rows(text, "Tea")["clever", "words ↓"][3].startswith("+0.0")
    assert rows(text, "Mate")["clever", "words ↓"][3].startswith("+3.0")


def test_runs_without_a_common_sample_are_refused(tmp_path: Path) -> None:
    others = [sample(each["id"], source="another text") for each in SAMPLES]
    with pytest.raises(SettingsError, match="no sample in common"):
        render_comparison(run(tmp_path / "a", usual_texts()), run(tmp_path / "b", usual_texts(), samples=others))
