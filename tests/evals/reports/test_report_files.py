"""The files of a report, and the scores as JSON."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from evals.evaluation import Evaluation, charts, scores_file
from evals.reports.pages import GENERATOR, page_name
from evals.reports.report import write_reports
from evals.run import RunFolder
from tests.support.report_files import Page
from tests.support.tea_task import SAMPLES, TASK, run, usual_texts


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@dataclass(frozen=True)
class Written:
    """The reports of a run, written once for all tests, which only read them."""

    evaluation: Evaluation
    folder: Path
    printed: str


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("run")
    evaluation = run(folder, usual_texts())
    return Written(evaluation, folder, write_reports(evaluation, RunFolder(folder)))


def test_every_file_is_written_and_every_link_leads_to_one(reports: Written) -> None:
    written = files(reports.folder)
    assert {"report.md", "report.html", "scores.json", "samples/index.html", "samples/best-first.html"} <= set(written)
    assert {f"samples/{page_name(sample['id'])}" for sample in SAMPLES} <= set(written)
    assert {name.rsplit(".")[-1] for name in written if name.startswith("figures/")} == {"svg", "png"}
    for path in (*reports.folder.glob("*.html"), *reports.folder.glob("samples/*.html")):
        for link in Page(path.read_text(encoding="utf-8")).links:
            assert link.startswith("#") or (path.parent / link).is_file(), link


def test_plots_of_the_markdown_report_are_there(reports: Written) -> None:
    text = (reports.folder / "report.md").read_text(encoding="utf-8")
    linked = [line.rsplit("](")[-1].removesuffix(")") for line in text.splitlines() if line.startswith("![")]
    assert len(linked) == 2
    assert all((reports.folder / name).is_file() for name in linked)


def test_what_is_printed_is_the_report_without_plots(reports: Written) -> None:
    assert reports.printed.startswith("TEA TIME\n")
    assert "clever: better in words" in reports.printed
    assert "figures/" not in reports.printed


def test_the_same_run_gives_the_same_bytes(reports: Written, tmp_path: Path) -> None:
    again = shutil.copytree(reports.folder, tmp_path / "again")
    write_reports(reports.evaluation, RunFolder(again))
    assert files(again) == files(reports.folder)


def test_pages_of_samples_that_are_gone_are_removed_if_they_are_ours(tmp_path: Path) -> None:
    samples = tmp_path / "samples"
    samples.mkdir()
    ours, theirs, notes = samples / page_name("old"), samples / page_name("mine"), samples / "notes.html"
    ours.write_text(f'<meta name="generator" content="{GENERATOR}">', encoding="utf-8")
    theirs.write_text("a page of my own", encoding="utf-8")
    notes.write_text(f'<meta name="generator" content="{GENERATOR}">', encoding="utf-8")
    folder = samples / page_name("folder")
    folder.mkdir()
    write_reports(run(tmp_path, {}, task=replace(TASK, figures=[])), RunFolder(tmp_path))
    assert {file.name for file in samples.iterdir()} > {page_name(sample["id"]) for sample in SAMPLES}
    assert not ours.exists()
    assert theirs.exists()
    assert notes.exists()
    assert folder.is_dir()


def test_every_page_is_marked_as_ours(reports: Written) -> None:
    pages = list((reports.folder / "samples").glob("*.html"))
    assert pages
    assert all(("content", GENERATOR) in Page(page.read_text(encoding="utf-8")).attributes for page in pages)


def content(evaluation: Evaluation) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(scores_file(evaluation, charts(evaluation)))
    return found


def test_figures_and_the_values_that_they_are_means_of_are_there(tmp_path: Path) -> None:
    found = content(run(tmp_path, usual_texts(clever=8)))
    assert (found["format"], found["task"], found["seed"], found["finished"]) == (1, "tea_time", 0, True)
    assert found["models"] == {"simplifier": "large"}
    (table,) = found["tables"]
    assert (table["table"], table["corpus"], table["samples"], table["baseline"]) == ("Table 1", "Tea", 8, "plain1")
    rows = {row["row"]: row for row in table["rows"]}
    assert rows["clever"]["figures"]["words"] == {"value": 8.0, "low": 8.0, "high": 8.0}
    assert rows["clever"]["values"]["words"] == {f"s{number}": 8.0 for number in range(8)}
    assert rows["clever"]["paper"] == "their clever"
    assert table["published"]["their clever"] == {"words": 5.0}


def test_differences_and_reversals_are_there(tmp_path: Path) -> None:
    (table,) = content(run(tmp_path, usual_texts(clever=8)))["tables"]
    (contrast,) = [each for each in table["contrasts"] if (each["row"], each["measure"]) == ("clever", "words")]
    assert contrast == {
        "row": "clever",
        "baseline": "plain1",
        "measure": "words",
        "difference": 2.0,
        "low": 2.0,
        "high": 2.0,
        "samples": 8,
        "p": 0.015625,
    }
    assert table["reversals"] == [
        {"measure": "words", "better": "clever", "worse": "plain1", "published": [5.0, 9.0], "ours": [8.0, 6.0]}
    ]


def test_curves_are_there(tmp_path: Path) -> None:
    (chart,) = content(run(tmp_path, usual_texts()))["charts"]
    assert (chart["figure"], chart["corpus"], chart["across"]) == ("Figure 1", "Tea", "round")
    plain = chart["panels"][0]["curves"][0]
    assert [(point["number"], point["value"]) for point in plain["ours"]] == [(0, 12.0), (1, 6.0), (2, 5.0)]
    assert plain["paper"] == [{"number": 1, "value": 9.5}]


def test_costs_and_failures_are_there(tmp_path: Path) -> None:
    texts = usual_texts(7)
    found = content(run(tmp_path, texts, errors={("s7", "clever"): "no", ("s7", "plain"): "no"}))
    assert found["failed"] == [
        {"sample": "s7", "system": "clever", "error": "no"},
        {"sample": "s7", "system": "plain", "error": "no"},
    ]
    assert found["finished"] is False
    assert [(cost["system"], cost["calls"]) for cost in found["costs"]] == [("plain", 7), ("clever", 7)]
