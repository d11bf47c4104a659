"""The stages of a reproduction: whether nothing that the papers print is left out."""

from __future__ import annotations

import json

import pytest

from draftroom.commands.evaluation import EVALUATIONS
from evals.reproduction import COSTS_FILE, STAGES

PAPERS = ("science_journalism", "medical_simplification", "focused_feedback")


@pytest.mark.parametrize("name", PAPERS)
def test_every_row_that_a_paper_prints_is_run_in_some_stage(name: str) -> None:
    task = EVALUATIONS[name].import_object()
    run = {row for stage in STAGES if stage.task == name for row in stage.rows}
    printed = {row for table in task.tables for figures in table.published.values() for row in figures}
    of_the_paper = {row.name for row in task.rows if row.paper in printed}
    assert of_the_paper
    assert of_the_paper <= run
    in_figures = {row for figure in task.figures for curve in figure.curves.values() for row in curve.values()}
    assert in_figures <= run


def test_costs_are_known_of_systems_that_are_run_and_of_each_task() -> None:
    costs = json.loads(COSTS_FILE.read_bytes())
    for stage in STAGES:
        assert costs[stage.task]
        assert costs[stage.task].keys() <= EVALUATIONS[stage.task].import_object().systems.keys()
