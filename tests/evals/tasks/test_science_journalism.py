"""Rows of LLM-CLBR's table and figure, from made-up outputs of its systems."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import RunControl

from evals.evaluation import score_run, score_table
from evals.run import EvaluationRequest, prepare_run, run_systems
from evals.tasks.science_journalism import ABLATIONS, SCIENCE_JOURNALISM, SYSTEMS, TABLE_1
from runs.jobs import Workers
from state.errors import SettingsError
from state.settings import Settings
from tests.tools.tiny_bart import write_bart
from tools.checks.readability import compute_readability
from tools.sequence_to_sequence import generate_text

SAMPLE = {
    "id": "one",
    "corpus": "eLife",
    "abstract": "Mosses shelter tardigrades during desiccation in 12 gardens.",
    "summary": None,
}


def output(*texts: str, selected: int = 0) -> dict[str, Any]:
    """What a run leaves: one draft a round, and two calls for each."""
    return {
        "drafts": [{"round": number, "text": text} for number, text in enumerate(texts)],
        "calls": [{"round": number} for number in range(len(texts)) for _ in range(2)],
        "selected_round": selected,
    }


DRAFTS = ["Mosses shelter tardigrades.", "Mosses shelter small animals.", "Moss is home.", "It is 5.", "Four.", "Five."]


def texts(*drafts: str, selected: int = 0, system: str = "full") -> dict[str, str]:
    """The text of every row that there is."""
    outputs = {("one", system): output(*drafts, selected=selected)}
    rows = {
        row.name: row.item(SAMPLE, outputs["one", system]) for row in SCIENCE_JOURNALISM.rows if row.system == system
    }
    return {name: item.text for name, item in rows.items() if item}


def test_the_paper_keeps_the_third_round_and_we_the_best() -> None:
    found = texts(*DRAFTS, selected=2)
    assert found["single"] == DRAFTS[0]
    assert found["loop"] == DRAFTS[3]
    assert found["best"] == DRAFTS[2]
    assert [found[f"round{number}"] for number in range(6)] == DRAFTS


def test_a_shorter_run_keeps_its_last_round() -> None:
    found = texts(*DRAFTS[:2])
    assert found["loop"] == DRAFTS[1]
    assert "round2" not in found


def test_a_warm_start_is_measured_before_and_after_the_loop() -> None:
    found = texts(*DRAFTS, system="warm-start")
    assert (found["warm-single"], found["warm-start"]) == (DRAFTS[0], DRAFTS[3])


def test_measures_are_of_the_draft_and_its_calls_of_the_rounds_until_then() -> None:
    scores = score_table(SCIENCE_JOURNALISM, TABLE_1, "eLife", [SAMPLE], {("one", "full"): output(*DRAFTS)}, seed=0)
    loop = scores.find_row("loop")
    assert loop is not None
    cells = {name: cell.value for name, cell in loop.cells.items()}
    assert cells["FKGL"] == pytest.approx(compute_readability(DRAFTS[3])["fkgl"])
    assert cells["unsupported"] == 1  # the 5
    assert cells["calls"] == 8
    assert scores.find_row("summaries") is None  # this sample has none


def chosen(of_user: dict[str, Any], system: str) -> Settings:
    return Settings(**SYSTEMS[system].build_settings(of_user))


@pytest.mark.parametrize("system", sorted(SYSTEMS.keys() - {"as-set"}))
def test_a_row_of_the_paper_is_the_papers_whatever_the_settings_say(system: str) -> None:
    model = {"base_url": "http://127.0.0.1:9/v1", "model": "mine", "temperature": 0.1, "top_p": 0.9, "max_tokens": 99}
    contrary = {
        "extensions": ["rewrite_copied"],
        "audience": "patient",
        "variant": "no-notes",
        "warm_start": True,
        "stop": "converged",
        "max_words": 80,
        "sequence_to_sequence": "/bart",
        "limits": {"terms": 1},
        "models": {"journalist": model, "reader": model, "editor": model, "warm_start": model},
    }
    settings = chosen(contrary, system)
    journalism = settings.journalism
    assert (journalism.audience, journalism.stop, journalism.max_words) == ("general public", "fixed", 300)
    assert journalism.warm_start == (system == "warm-start")
    assert journalism.variant == (system if system in ABLATIONS else "single" if system == "bart" else "full")
    assert journalism.sequence_to_sequence == "/bart", "it says where the model is"
    assert settings.limits == Settings().limits
    for role in ("journalist", "reader", "editor", "warm_start"):
        asked = settings.resolve_model_settings(role)
        assert (asked.base_url, asked.model) == ("http://127.0.0.1:9/v1", "mine")
        assert (asked.temperature, asked.top_p, asked.frequency_penalty, asked.max_tokens) == (None, 0.4, 1, 4096)


def test_the_papers_loop_runs_five_rounds_and_the_extensions_as_many_as_are_kept() -> None:
    rounds = {name: chosen({"rounds": 1}, name).journalism.rounds for name in SYSTEMS}
    assert rounds["full"] == rounds["no-notes"] == rounds["warm-start"] == 5
    assert rounds["full-default-extensions"] == rounds["full-rewrite-copied"] == 3
    assert rounds["as-set"] == 1


def test_the_fine_tuned_bart_of_the_settings_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    checkpoint = write_bart(tmp_path / "bart", ["the", "lake", "fish", "of", "in", "and", "DNA", "years"])
    settings = Settings.model_validate({"journalism": {"sequence_to_sequence": str(checkpoint)}})
    wanted = EvaluationRequest(data=[], rows="bart", limit=2, seed=0, split=None)
    folder = prepare_run(SCIENCE_JOURNALISM, wanted, settings, tmp_path / "run")
    work = run_systems(lambda: SCIENCE_JOURNALISM, folder, Workers(2), on_end=lambda _: None, control=RunControl())
    asyncio.run(work)
    evaluation = score_run(SCIENCE_JOURNALISM, folder)
    line = evaluation.scores[0].find_row("bart")
    assert line is not None
    written = [asyncio.run(generate_text(checkpoint, sample["abstract"])).text for sample in evaluation.samples]
    assert [item.text.strip() for item in line.items] == written
    assert line.row.paper in TABLE_1.published["eLife"]
    assert line.cells["calls"].value == 1


@pytest.mark.parametrize(
    ("rows", "journalism", "told"),
    [
        ("warm-start", {}, r"name it under \[models.warm_start\]"),
        ("bart", {}, "name the folder of a BART checkpoint"),
        ("single,bart", {"sequence_to_sequence": "/no/such/model"}, "There is no folder /no/such/model"),
    ],
)
def test_what_a_row_lacks_is_told_before_anything_runs(
    tmp_path: Path, rows: str, journalism: dict[str, str], told: str
) -> None:
    settings = Settings.model_validate({"journalism": journalism})
    wanted = EvaluationRequest(data=[], rows=rows, limit=1, seed=0, split=None)
    with pytest.raises(SettingsError, match=told):
        prepare_run(SCIENCE_JOURNALISM, wanted, settings, tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_the_model_of_a_warm_start_is_on_record(tmp_path: Path) -> None:
    settings = Settings.model_validate({"models": {"warm_start": {"model": "tuned"}}})
    wanted = EvaluationRequest(data=[], rows="warm-start", limit=1, seed=0, split=None)
    config = prepare_run(SCIENCE_JOURNALISM, wanted, settings, tmp_path / "run").read_run_config()
    assert config.models["warm_start"]["model"] == "tuned"
