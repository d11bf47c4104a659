"""Plots: what they show, that the same data gives the same bytes, and that they need nothing from elsewhere."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from evals.evaluation import Evaluation, charts
from evals.reports.document import Picture
from evals.reports.plots import curve_figure, draw, plot
from tests.support.tea_task import TASK, run, sample, tea, usual_texts


def pictures(evaluation: Evaluation) -> list[Picture]:
    return draw(charts(evaluation), evaluation.scores)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> list[Picture]:
    """What is drawn of the usual texts."""
    return pictures(run(tmp_path_factory.mktemp("run"), usual_texts()))


def test_there_is_a_plot_for_each_figure_and_one_of_the_differences(usual: list[Picture]) -> None:
    figure, forest = usual
    assert (figure.name, figure.title) == ("1-figure-1-tea", "Figure 1, Tea")
    assert forest.title == "Table 1, Tea: against plain × 1"
    for picture in (figure, forest):
        assert picture.png.startswith(b"\x89PNG")
        assert ET.fromstring(picture.svg).tag == "{http://www.w3.org/2000/svg}svg"


def test_the_same_data_gives_the_same_bytes(usual: list[Picture], tmp_path: Path) -> None:
    assert usual == pictures(run(tmp_path / "again", usual_texts()))
    assert usual != pictures(run(tmp_path / "other", usual_texts(clever=7)))


def test_the_description_of_a_plot_says_all_that_it_shows(usual: list[Picture]) -> None:
    figure, forest = usual
    assert figure.description == (
        "Figure 1, Tea, by round. words: plain 12.0 at 0, 6.0 at 1, 5.0 at 2; in the paper 9.5 at 1; clever 4.0 at 1. "
        "leaves: plain 0.00 at 1, 0.00 at 2; clever 0.00 at 1."
    )
    assert "clever, words -2.0 [-2.0, -2.0], beyond chance" in forest.description
    assert "clever, leaves +0.00 [0.00, 0.00], may be chance" in forest.description


def test_costs_are_left_out_of_the_plot_of_differences(usual: list[Picture], tmp_path: Path) -> None:
    _, forest = usual
    assert "calls" not in forest.description
    only_costs = replace(TASK, measures=[replace(measure, is_cost=True) for measure in TASK.measures], figures=[])
    assert pictures(run(tmp_path, usual_texts(), task=only_costs)) == []


def test_there_is_nothing_to_draw_before_the_first_output(tmp_path: Path) -> None:
    assert pictures(run(tmp_path, {}, task=replace(TASK, figures=[]))) == []


def test_one_sample_and_a_corpus_with_a_strange_name_can_be_drawn(tmp_path: Path) -> None:
    samples = [sample("s", corpus="a $ <b> --> é")]
    figure, forest = pictures(run(tmp_path, usual_texts(1), samples=samples))
    assert figure.name == "1-figure-1-a-b-e"
    assert ET.fromstring(figure.svg).tag.endswith("svg")
    assert b"<b>" not in forest.svg


def test_names_of_files_differ_also_if_titles_do_not(tmp_path: Path) -> None:
    samples = [sample("s0", corpus="茶"), sample("s1", corpus="水")]
    names = [picture.name for picture in pictures(run(tmp_path, usual_texts(2), samples=samples))]
    assert len(set(names)) == len(names) == 4


def test_the_key_names_the_papers_points_also_if_only_one_panel_has_some(tmp_path: Path) -> None:
    (chart,) = charts(run(tmp_path, usual_texts()))
    (key,) = curve_figure(chart).legends
    assert [text.get_text() for text in key.get_texts()] == ["A  plain", "plain, in the paper", "B  clever"]


def test_more_curves_than_looks_can_be_drawn(tmp_path: Path) -> None:
    curves = {f"curve {number}": {1: "plain1", 2: "plain2"} for number in range(7)}
    task = replace(TASK, figures=[replace(TASK.figures[0], curves=curves, measures=["words"])])
    figure, _ = pictures(run(tmp_path, {"plain": [[tea(6), tea(5)]] * 8}, task=task))
    assert figure.description.count("6.0 at 1") == 7


def test_each_measure_has_a_plot_with_our_points_the_papers_and_a_key(tmp_path: Path) -> None:
    text = plot(run(tmp_path, usual_texts()), width=60)
    words, leaves = text.split("Figure 1, Tea: ")[1:]
    assert words.startswith("words ↓ by round\n")
    assert "  A plain, a in the paper\n  B clever\n" in words
    drawn = words.split("  A plain")[0]
    assert drawn.count("A") >= 3
    assert drawn.count("a") == 1
    assert drawn.count("B") == 1
    assert "12" in drawn
    assert leaves.startswith("leaves ↑ by round\n")
    assert " in the paper" not in leaves
    assert max(map(len, text.splitlines())) <= 60


def test_one_point_is_a_plot(tmp_path: Path) -> None:
    text = plot(run(tmp_path, {"clever": [[tea(4)]]}, samples=[sample("s")]))
    assert "B clever" in text


def test_a_task_without_figures_has_no_plot(tmp_path: Path) -> None:
    assert plot(run(tmp_path, usual_texts(), task=replace(TASK, figures=[]))) == ""


def test_figures_of_what_was_not_run_are_left_out(tmp_path: Path) -> None:
    assert "clever" not in plot(run(tmp_path, {"plain": [[tea(6)]] * 8}))
