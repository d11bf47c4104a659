"""The report as a page: everything of the Markdown report and the plots, and nothing from elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evals.evaluation import Evaluation
from evals.reports.charts import charts
from evals.reports.figures import draw
from evals.reports.html import report_page
from evals.reports.report import report
from tests.evals.reports.pages import Page
from tests.evals.reports.tea import SAMPLES, TASK, run, sample, usual_texts


def written(evaluation: Evaluation) -> str:
    return report_page(report(evaluation, pictures=draw(charts(evaluation), evaluation.scores)))


def test_the_page_says_what_the_report_says(tmp_path: Path) -> None:
    evaluation = run(tmp_path, usual_texts(clever=8), errors={("s7", "clever"): "model_output: It is no JSON."})
    text = Page(written(evaluation)).text
    for section in report(evaluation).sections:
        assert section.title in text
        assert section.text in text
        for cell in (cell for entry in (section.grid.entries if section.grid else []) for cell in entry.cells):
            assert cell.text in text
            assert cell.detail in text
    assert "s7, clever: model_output: It is no JSON." in text
    assert "leaves counts leaves." in text


def test_rows_of_the_paper_are_marked(tmp_path: Path) -> None:
    page = written(run(tmp_path, usual_texts()))
    assert page.count('<tr class="paper">') == 4
    assert "<strong>-2.0</strong> <small>[-2.0, -2.0], p = 0.016</small>" in page


def test_plots_are_inside_with_words_for_those_who_do_not_see_them(tmp_path: Path) -> None:
    evaluation = run(tmp_path, usual_texts())
    page = written(evaluation)
    pictures = draw(charts(evaluation), evaluation.scores)
    assert page.count('<svg role="img"') == len(pictures) == 2
    labels = [value for name, value in Page(page).attributes if name == "aria-label"]
    assert {picture.description for picture in pictures} <= set(labels)
    assert "currentColor" in page
    assert "<!DOCTYPE svg" not in page


def test_the_page_asks_for_nothing_and_runs_nothing(tmp_path: Path) -> None:
    page = Page(written(run(tmp_path, usual_texts())))
    assert not {"script", "img", "link", "iframe", "object", "form"} & page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    sources = [value for name, value in page.attributes if name in {"src", "href", "xlink:href"}]
    assert [value for value in sources if ":" in value or value.startswith("//")] == []
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert ("content", policy) in page.attributes


def test_links_lead_to_the_samples_and_to_the_sections(tmp_path: Path) -> None:
    page = Page(written(run(tmp_path, usual_texts())))
    assert {"samples/index.html", "samples/best-first.html", "figures/1-figure-1-tea.svg"} <= set(page.links)
    places = {value for name, value in page.attributes if name == "id"}
    inside = [link.removeprefix("#") for link in page.links if link.startswith("#")]
    assert inside
    assert set(inside) <= places


def test_hostile_text_stays_text(tmp_path: Path) -> None:
    evil = '"><script>alert(1)</script>'
    samples = [sample(evil, corpus=f"T{evil}"), *SAMPLES[1:]]
    errors = {(evil, "clever"): f"model_output: {evil} `{evil}` [x](http://evil.example) \x1b"}
    page = written(run(tmp_path, usual_texts(7), samples=samples, errors=errors))
    found = Page(page)
    assert "script" not in found.tags
    assert evil in found.text
    assert not [link for link in found.links if "evil" in link]
    assert "\x1b" not in page


def test_a_run_that_has_not_begun_is_a_page_too(tmp_path: Path) -> None:
    page = Page(written(run(tmp_path, {}, task=replace(TASK, figures=[], notes=()))))
    assert "16 of 16 runs are missing" in page.text
    assert "svg" not in page.tags
