"""The HTML pages: the report, the samples in their order, names of files, and that hostile text stays text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evals.evaluation import Evaluation, charts
from evals.reports.document import Picture
from evals.reports.pages import (
    SamplePage,
    best_first,
    is_page_name,
    list_pages,
    page_name,
    report_page,
    sample_page,
    sample_pages,
)
from evals.reports.plots import draw
from evals.reports.report import report
from evals.task import Item, Row, Task
from tests.support.report_files import Page
from tests.support.tea_task import MEASURES, ROWS, SAMPLES, TASK, run, sample, tea, usual_texts


def pages_of(evaluation: Evaluation) -> list[SamplePage]:
    return sample_pages(evaluation, [*evaluation.scores, *(chart.scores for chart in charts(evaluation))])


def by_length(folder: Path, task: Task = TASK) -> list[SamplePage]:
    """Four samples: with 5, 9 and 3 words, and one that failed."""
    texts = {"clever": [[tea(5)], [tea(9)], [tea(3)]]}
    return pages_of(run(folder, texts, samples=SAMPLES[:4], errors={("s3", "clever"): "no"}, task=task))


def test_the_worst_sample_comes_first_after_those_without_a_text(tmp_path: Path) -> None:
    pages = by_length(tmp_path)
    assert [page.sample for page in pages] == ["s3", "s1", "s0", "s2"]
    assert [page.sample for page in best_first(pages, TASK)] == ["s2", "s0", "s1", "s3"]
    assert [page.rank for page in pages] == [None, 9.0, 5.0, 3.0]


def test_samples_of_one_rank_are_turned_round_too(tmp_path: Path) -> None:
    pages = pages_of(run(tmp_path, usual_texts(3), samples=SAMPLES[:3]))
    assert [page.sample for page in pages] == ["s0", "s1", "s2"]
    assert [page.sample for page in best_first(pages, TASK)] == ["s2", "s1", "s0"]


def test_where_higher_is_better_the_lowest_is_the_worst(tmp_path: Path) -> None:
    task = replace(TASK, measures=[replace(MEASURES[0], better="higher"), *MEASURES[1:]])
    assert [page.sample for page in by_length(tmp_path, task)] == ["s3", "s2", "s0", "s1"]


def test_without_a_measure_to_rank_by_samples_stay_in_their_order(tmp_path: Path) -> None:
    task = replace(TASK, ranked_by="")
    pages = by_length(tmp_path, task)
    assert [page.sample for page in pages] == ["s0", "s1", "s2", "s3"]
    assert "By the mean of" not in list_pages(pages, task)["index.html"]


def test_the_rank_is_the_mean_over_the_systems_rows(tmp_path: Path) -> None:
    (page,) = pages_of(run(tmp_path, usual_texts(1), samples=SAMPLES[:1]))
    assert page.ranks == {"plain × 1": 6.0, "plain × 2": 5.0, "clever": 4.0}
    assert page.rank == 5.0


def test_each_text_is_shown_once_with_its_figures_and_changes(tmp_path: Path) -> None:
    again = Row("kept", "plain, kept", ROWS[2].item, system="plain")
    task = replace(TASK, rows=[*ROWS, again])
    texts = {"plain": [["Hot tea for all", "Hot tea for me and you"]], "clever": [["Tea."]]}
    (page,) = pages_of(run(tmp_path, texts, samples=[sample("s", source="Hot tea for all people")], task=task))
    source, human = page.originals
    assert (source.titles, source.text) == (["Source"], "Hot tea for all people")
    assert source.figures == {"words": "5.0"}
    assert (human.text, human.figures) == ("We made tea.", {})
    first, second, clever = page.texts
    assert (first.titles, second.titles, clever.titles) == (["plain × 1"], ["plain × 2", "plain, kept"], ["clever"])
    assert first.figures == {"words": "4.0", "leaves": "0.00", "calls": "1"}
    assert [change.text for change in first.changes if change.kind == "removed"] == ["all people"]
    assert (first.before, first.revisions) == ("", ())
    assert second.before == "plain × 1"
    assert [change.text for change in second.revisions if change.kind == "added"] == ["me and you"]


def test_a_comment_is_no_change_of_its_paragraph(tmp_path: Path) -> None:
    def own(sample: dict[str, str], _: dict[str, str]) -> Item:
        return Item(sample, sample["paragraph"], {})

    rows = [Row("source", "the paragraphs", own), *ROWS[1:]]
    samples = [{"id": "s", "corpus": "Tea", "paragraph": "We saw it.", "feedback": "Where?"}]
    texts = {"plain": [["Where did you see it?"]], "clever": [[""]]}
    (page,) = pages_of(
        run(tmp_path, texts, samples=samples, task=replace(TASK, kind="feedback", rows=rows, made_from=""))
    )
    assert [shown.text for shown in page.originals] == ["We saw it.", "Where?"]
    assert [shown.changes for shown in page.texts] == [(), ()]
    assert "No text." in Page(sample_page([page], 0)).text


def test_a_sample_without_a_text_by_a_person_shows_none(tmp_path: Path) -> None:
    samples = [{"id": "s", "corpus": "Tea", "abstract": "We saw it.", "summary": None, "title": "On tea"}]
    rows = [replace(ROWS[0], item=lambda sample, _: Item(sample, sample["abstract"], {})), *ROWS[1:]]
    (page,) = pages_of(
        run(tmp_path, {}, samples=samples, task=replace(TASK, kind="journalism", rows=rows, made_from="abstract"))
    )
    assert [shown.titles for shown in page.originals] == [["Source"]]
    assert Page(sample_page([page], 0)).text.startswith("The report All samples On tea Tea, s; 1 of 1")


def test_the_page_has_texts_figures_changes_transcript_and_failure(tmp_path: Path) -> None:
    texts = {"plain": [["Hot tea", "Hot **green** tea"]]}
    samples = [sample("s", source="Hot tea please")]
    pages = pages_of(run(tmp_path, texts, samples=samples, errors={("s", "clever"): "endpoint_down: nobody"}))
    page = sample_page(pages, 0)
    text = Page(page).text
    assert "clever failed: endpoint_down: nobody" in text
    assert "plain × 2 words 3.0" in text
    assert "<strong>green</strong>" in page
    assert "<ins>**green** </ins>" in page
    assert "Changes since plain × 1" in text
    assert "Changes from the source" in text
    assert "What the agents said plain Said Hot tea" in text
    assert "<h2>Said</h2>" in page


def test_neighbours_are_linked_in_the_order_of_the_list(tmp_path: Path) -> None:
    pages = by_length(tmp_path)
    written = [Page(sample_page(pages, place)).links for place in range(4)]
    always = ["../report.html", "index.html"]
    assert written[0] == [*always, pages[1].file]
    assert written[1] == [*always, pages[0].file, pages[2].file]
    assert written[3] == [*always, pages[2].file]


def test_the_lists_lead_to_every_sample_and_to_each_other(tmp_path: Path) -> None:
    pages = by_length(tmp_path)
    lists = {name: Page(text) for name, text in list_pages(pages, TASK).items()}
    assert lists["index.html"].links == ["../report.html", "best-first.html", *(page.file for page in pages)]
    assert lists["best-first.html"].links[2:] == [page.file for page in best_first(pages, TASK)]
    assert "s1 Tea 9.0 s0 Tea 5.0" in lists["index.html"].text
    assert "s3 Tea - clever" in lists["index.html"].text


@pytest.mark.parametrize(
    "evil", ['"><script>alert(1)</script>', "<img src=x onerror=alert(1)>", "![x](http://e.example/)"]
)
def test_hostile_text_stays_text(tmp_path: Path, evil: str) -> None:
    samples = [sample(evil, corpus=evil, source=evil, target=evil, title=evil)]
    pages = pages_of(run(tmp_path, {"plain": [[evil, f"{evil} {evil}"]]}, samples=samples))
    for written in (sample_page(pages, 0), *list_pages(pages, TASK).values()):
        page = Page(written)
        assert not {"script", "img"} & page.tags
        assert not [name for name, _ in page.attributes if name.startswith("on")]
        assert not [link for link in page.links if "e.example" in link]


def test_unicode_is_kept_and_nothing_turns_lines_around(tmp_path: Path) -> None:
    samples = [sample("茶 ☕ é", source="ein Tässchen Tee ☕", target="\u202eeet")]
    pages = pages_of(run(tmp_path, {"plain": [["eine Tasse Tee 🫖\x00", "Tee"]]}, samples=samples))
    page = sample_page(pages, 0)
    assert "茶 ☕ é" in page
    assert "🫖" in page
    assert not {"\u202e", "\x00"} & set(page)


def drawn(evaluation: Evaluation) -> list[Picture]:
    return draw(charts(evaluation), evaluation.scores)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Evaluation:
    return run(tmp_path_factory.mktemp("run"), usual_texts())


@pytest.fixture(scope="module")
def pictures(usual: Evaluation) -> list[Picture]:
    return drawn(usual)


@pytest.fixture(scope="module")
def usual_page(usual: Evaluation, pictures: list[Picture]) -> str:
    """The report of the usual texts, with its plots."""
    return report_page(report(usual, pictures=pictures))


def test_the_page_says_what_the_report_says(tmp_path: Path) -> None:
    evaluation = run(tmp_path, usual_texts(clever=8), errors={("s7", "clever"): "model_output: It is no JSON."})
    text = Page(report_page(report(evaluation))).text
    for section in report(evaluation).sections:
        assert section.title in text
        assert section.text in text
        for cell in (cell for row in (section.table.rows if section.table else []) for cell in row.cells):
            assert cell.text in text
            assert cell.detail in text
    assert "s7, clever: model_output: It is no JSON." in text
    assert "leaves counts leaves." in text


def test_rows_of_the_paper_are_marked(usual_page: str) -> None:
    assert usual_page.count('<tr class="paper">') == 4
    assert "<strong>-2.0</strong> <small>[-2.0, -2.0], p = 0.016</small>" in usual_page


def test_plots_are_inside_with_words_for_those_who_do_not_see_them(usual_page: str, pictures: list[Picture]) -> None:
    assert usual_page.count('<svg role="img"') == len(pictures) == 2
    labels = [value for name, value in Page(usual_page).attributes if name == "aria-label"]
    assert {picture.description for picture in pictures} <= set(labels)
    assert "currentColor" in usual_page
    assert "<!DOCTYPE svg" not in usual_page


def test_the_page_asks_for_nothing_and_runs_nothing(usual_page: str) -> None:
    page = Page(usual_page)
    assert not {"script", "img", "link", "iframe", "object", "form"} & page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    sources = [value for name, value in page.attributes if name in {"src", "href", "xlink:href"}]
    assert [value for value in sources if ":" in value or value.startswith("//")] == []
    policy = "default-src 'none'; style-src 'unsafe-inline'"
    assert ("content", policy) in page.attributes


def test_links_lead_to_the_samples_and_to_the_sections(usual_page: str) -> None:
    page = Page(usual_page)
    assert {"samples/index.html", "samples/best-first.html", "figures/1-figure-1-tea.svg"} <= set(page.links)
    places = {value for name, value in page.attributes if name == "id"}
    inside = [link.removeprefix("#") for link in page.links if link.startswith("#")]
    assert inside
    assert set(inside) <= places


def test_hostile_text_stays_text_in_the_report(tmp_path: Path) -> None:
    evil = '"><script>alert(1)</script>'
    samples = [sample(evil, corpus=f"T{evil}"), *SAMPLES[1:]]
    errors = {(evil, "clever"): f"model_output: {evil} `{evil}` [x](http://evil.example) \x1b"}
    evaluation = run(tmp_path, usual_texts(7), samples=samples, errors=errors)
    page = report_page(report(evaluation, pictures=drawn(evaluation)))
    found = Page(page)
    assert "script" not in found.tags
    assert evil in found.text
    assert not [link for link in found.links if "evil" in link]
    assert "\x1b" not in page


def test_a_run_that_has_not_begun_is_a_page_too(tmp_path: Path) -> None:
    evaluation = run(tmp_path, {}, task=replace(TASK, figures=[], notes=()))
    page = Page(report_page(report(evaluation, pictures=drawn(evaluation))))
    assert "16 of 16 runs are missing" in page.text
    assert "svg" not in page.tags


IDS = st.text(st.characters(codec="utf-8"))


@given(IDS)
def test_a_name_is_safe_everywhere(sample: str) -> None:
    name = page_name(sample)
    assert is_page_name(name)
    assert name.isascii()
    assert len(name) <= 64
    assert name == name.lower()


@given(st.lists(IDS, unique=True))
def test_no_two_samples_share_a_name(samples: list[str]) -> None:
    assert len({page_name(sample) for sample in samples}) == len(samples)


@pytest.mark.parametrize(
    ("one", "other"),
    [("CD1", "cd1"), ("a/b", "a.b"), ("../etc/passwd", "etc passwd"), ("x" * 300, "x" * 301), ("\u00e9", "e\u0301")],
)
def test_ids_that_look_alike_have_names_of_their_own(one: str, other: str) -> None:
    assert page_name(one).casefold() != page_name(other).casefold()


@pytest.mark.parametrize("name", ["index.html", "best-first.html", "notes-of-mine.html", "a-0123456789abcdef.txt"])
def test_other_files_are_no_pages(name: str) -> None:
    assert not is_page_name(name)
