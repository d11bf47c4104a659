"""The files of a report: pages of the report and of the samples, figures, and the scores as JSON."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from evals.evaluation import Evaluation, serialize_scores
from evals.reports.document import render_report_html
from evals.reports.report import (
    SamplePage,
    build_evaluation_report,
    build_sample_pages,
    render_sample_page,
    write_reports,
)
from evals.run import RunFolder
from evals.task import Item, Row, Task
from tests.support.report_files import Page
from tests.support.tea_task import MEASURES, ROWS, SAMPLES, TASK, run, sample, tea, usual_texts


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@dataclass(frozen=True)
class Written:
    """The reports of a run, written once for all tests, which only read them."""

    evaluation: Evaluation
    folder: Path

    def read(self, name: str) -> str:
        return (self.folder / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> Written:
    folder = tmp_path_factory.mktemp("run")
    evaluation = run(folder, usual_texts())
    assert write_reports(evaluation, RunFolder(folder)) == (folder / "report.md").read_text(encoding="utf-8")
    return Written(evaluation, folder)


def test_every_file_is_written_and_every_link_leads_to_one(reports: Written) -> None:
    written = files(reports.folder)
    assert {"report.md", "report.html", "scores.json"} <= set(written)
    assert {f"samples/{number}.html" for number in range(1, len(SAMPLES) + 1)} <= set(written)
    assert {name.rsplit(".")[-1] for name in written if name.startswith("figures/")} == {"svg"}
    for path in (*reports.folder.glob("*.html"), *reports.folder.glob("samples/*.html")):
        page = Page(path.read_text(encoding="utf-8"))
        places = {f"#{value}" for name, value in page.attributes if name == "id"}
        for link in page.links:
            assert link in places or (path.parent / link).is_file(), link
    linked = [
        line.rsplit("](")[-1].removesuffix(")") for line in reports.read("report.md").splitlines() if "](" in line
    ]
    assert len(linked) == 1
    assert all((reports.folder / name).is_file() for name in linked)


def test_the_same_run_gives_the_same_bytes(reports: Written, tmp_path: Path) -> None:
    again = shutil.copytree(reports.folder, tmp_path / "again")
    write_reports(reports.evaluation, RunFolder(again))
    assert files(again) == files(reports.folder)


def test_the_page_says_what_the_report_says_and_marks_the_papers_rows(reports: Written) -> None:
    page = reports.read("report.html")
    text = Page(page).text
    for section in build_evaluation_report(reports.evaluation).sections:
        cells = [] if section.table is None else section.table.to_numpy().flatten()
        assert all(" ".join(said.replace("`", "").split()) in text for said in (section.title, *section.points, *cells))
    assert page.count('<tr class="paper">') == 4
    assert page.count('<svg role="img"') == 1


def test_the_page_asks_for_nothing_and_runs_nothing(reports: Written) -> None:
    page = Page(reports.read("report.html"))
    assert not {"script", "img", "link", "iframe", "object", "form"} & page.tags
    sources = [value for name, value in page.attributes if name in {"src", "href", "xlink:href"}]
    assert [value for value in sources if ":" in value or value.startswith("//")] == []
    assert ("content", "default-src 'none'; style-src 'unsafe-inline'") in page.attributes


def by_length(folder: Path, task: Task = TASK) -> list[SamplePage]:
    """Four samples: with 5, 9 and 3 words, and one that failed."""
    texts = {"clever": [[tea(5)], [tea(9)], [tea(3)]]}
    return build_sample_pages(run(folder, texts, samples=SAMPLES[:4], errors={("s3", "clever"): "no"}, task=task))


@pytest.mark.parametrize(
    ("changed", "order"),
    [
        ({}, ["s3", "s1", "s0", "s2"]),
        ({"measures": [replace(MEASURES[0], better="higher"), *MEASURES[1:]]}, ["s3", "s2", "s0", "s1"]),
        ({"ranked_by": ""}, ["s0", "s1", "s2", "s3"]),
    ],
    ids=["lower is better", "higher is better", "nothing to rank by"],
)
def test_the_worst_sample_comes_first_after_those_without_a_text(
    tmp_path: Path, changed: dict[str, Any], order: list[str]
) -> None:
    pages = by_length(tmp_path, replace(TASK, **changed))
    assert [page.sample["id"] for page in pages] == order
    links = [Page(render_sample_page(pages, place)).links for place in (0, 1, 3)]
    assert links == [
        ["../report.html", pages[1].file],
        ["../report.html", pages[0].file, pages[2].file],
        ["../report.html", pages[2].file],
    ]


def test_each_text_is_shown_once_with_what_was_measured_of_it(tmp_path: Path) -> None:
    again = Row("kept", "plain, kept", ROWS[2].item, system="plain")
    texts = {"plain": [["Hot tea for all", "Hot tea for me and you"]], "clever": [["Tea."]]}
    samples = [sample("s", source="Hot tea for all people")]
    (page,) = build_sample_pages(run(tmp_path, texts, samples=samples, task=replace(TASK, rows=[*ROWS, again])))
    assert [(shown.title, shown.text) for shown in page.texts] == [
        ("Source", "Hot tea for all people"),
        ("Written by a person", "We made tea."),
        ("plain × 1", "Hot tea for all"),
        ("plain × 2; plain, kept", "Hot tea for me and you"),
        ("clever", "Tea."),
    ]
    assert page.texts[2].figures == ["words 4.0", "leaves 0.00", "calls 1"]
    assert page.rank == (4 + 6 + 1) / 3


def test_a_sample_without_a_text_by_a_person_shows_none(tmp_path: Path) -> None:
    samples = [{"id": "s", "corpus": "Tea", "abstract": "We saw it.", "summary": None, "title": "On tea"}]
    rows = [replace(ROWS[0], item=lambda sample, _: Item(sample, sample["abstract"], {})), *ROWS[1:]]
    task = replace(TASK, kind="journalism", rows=rows)
    (page,) = build_sample_pages(run(tmp_path, {"clever": [[""]]}, samples=samples, task=task))
    assert [shown.title for shown in page.texts] == ["Source", "clever"]
    text = Page(render_sample_page([page], 0)).text
    assert text.startswith("The report On tea Tea, s; 1 of 1")
    assert "No text." in text


def test_the_page_has_texts_outputs_and_failure(tmp_path: Path) -> None:
    texts = {"plain": [["Hot tea", "Hot **green** tea"]]}
    pages = build_sample_pages(
        run(tmp_path, texts, samples=[sample("s")], errors={("s", "clever"): "endpoint_down: nobody"})
    )
    page = render_sample_page(pages, 0)
    text = Page(page).text
    assert "clever failed: endpoint_down: nobody" in text
    assert "plain × 2 words 3.0" in text
    assert "<strong>green</strong>" in page
    assert 'What the agents left: plain { "texts": [ "Hot tea"' in text


@pytest.mark.parametrize(
    "evil", ['"><script>alert(1)</script>', "<img src=x onerror=alert(1)>", "![x](http://e.example/)", "\u202e\x1b"]
)
def test_hostile_text_stays_text(tmp_path: Path, evil: str) -> None:
    samples = [sample(f"x{evil}", corpus=f"T{evil}", source=f"x{evil}", target=evil, title=evil), *SAMPLES[1:]]
    errors = {(f"x{evil}", "clever"): f"model_output: {evil} `{evil}` [x](http://e.example)"}
    evaluation = run(tmp_path, {"plain": [[evil, f"{evil} {evil}"]] * 8}, samples=samples, errors=errors)
    pages = build_sample_pages(evaluation)
    report_page = render_report_html(build_evaluation_report(evaluation), pages=pages, ranked_by="words")
    for written in (report_page, render_sample_page(pages, [page.sample["id"] for page in pages].index(f"x{evil}"))):
        page = Page(written)
        assert not {"script", "img"} & page.tags
        assert not [name for name, _ in page.attributes if name.startswith("on")]
        assert not [link for link in page.links if "e.example" in link]
        assert not {"\u202e", "\x1b"} & set(written)


def content(evaluation: Evaluation) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(serialize_scores(evaluation))
    return found


def test_scores_hold_figures_values_differences_and_curves(tmp_path: Path) -> None:
    found = content(run(tmp_path, usual_texts(clever=8)))
    assert (found["format"], found["task"], found["seed"], found["finished"]) == (2, "tea_time", 0, True)
    assert found["models"] == {"simplifier": "large"}
    (table,) = found["tables"]
    assert (table["table"], table["corpus"], table["samples"], table["baseline"]) == ("Table 1", "Tea", 8, "plain1")
    rows = {row["row"]: row for row in table["rows"]}
    assert rows["clever"]["figures"]["words"] == {"value": 8.0, "low": 8.0, "high": 8.0}
    assert rows["clever"]["values"]["words"] == {f"s{number}": 8.0 for number in range(8)}
    assert rows["clever"]["paper"] == "their clever"
    assert table["published"]["their clever"] == {"words": 5.0}
    (contrast,) = [each for each in table["contrasts"] if (each["row"], each["measure"]) == ("clever", "words")]
    assert (contrast["baseline"], contrast["difference"], contrast["p"]) == ("plain1", 2.0, 0.015625)
    (chart,) = found["figures"]
    assert [row["row"] for row in chart["rows"]] == ["source", "plain1", "plain2", "clever"]


def test_costs_and_failures_are_there(tmp_path: Path) -> None:
    found = content(run(tmp_path, usual_texts(7), errors={("s7", name): "no" for name in ("clever", "plain")}))
    assert found["failed"] == [{"sample": "s7", "system": name, "error": "no"} for name in ("clever", "plain")]
    assert found["finished"] is False
    assert [(cost["system"], cost["calls"]) for cost in found["costs"]] == [("plain", 7), ("clever", 7)]
