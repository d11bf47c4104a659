"""The figures as characters."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from evals.reports.terminal_plot import plot
from tests.evals.reports.tea import TASK, run, sample, tea, usual_texts


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
