"""Every task holds together: its rows, measures, tables and figures name each other."""

from __future__ import annotations

from pathlib import Path

import pytest

from draftroom.commands.evaluation import EVALUATIONS
from evals.evaluation import list_system_extensions
from evals.task import Task
from tests.support.tea_task import config_of
from tools.documents.reading import read_source_bytes

TASKS: list[Task] = [evaluation.import_object() for evaluation in EVALUATIONS.values()]
every_task = pytest.mark.parametrize("task", TASKS, ids=lambda task: task.name)
PAPERS = [task for task in TASKS if any(row.paper for row in task.rows)]
every_papers_task = pytest.mark.parametrize("task", PAPERS, ids=lambda task: task.name)


@every_task
def test_names_lead_somewhere(task: Task) -> None:
    rows = {row.name for row in task.rows}
    measures = {measure.name for measure in task.measures}
    named_rows = {*task.usual, *(name for table in task.tables for name in (*table.rows, table.baseline))}
    named_rows |= {name for figure in task.figures for curve in figure.curves.values() for name in curve.values()}
    named_measures = {name for each in (*task.tables, *task.figures) for name in each.measures}
    assert named_rows <= rows
    assert named_measures <= measures
    assert task.ranked_by in {measure.name for measure in task.measures if measure.score or measure.parts}
    assert {row.system for row in task.rows if row.system} == set(task.systems)


@every_papers_task
def test_the_papers_rows_and_measures_are_those_of_its_table(task: Task) -> None:
    papers = {row.paper for row in task.rows if row.paper}
    printed = {row for table in task.tables for rows in table.published.values() for row in rows}
    assert papers <= printed
    for table in task.tables:
        for rows in table.published.values():
            assert {measure for figures in rows.values() for measure in figures} <= set(table.measures)


@every_papers_task
def test_the_papers_rows_run_without_extensions_whatever_the_settings_say(task: Task) -> None:
    config = config_of([], settings={"extensions": ["any"]})
    extensions = {name: list_system_extensions(task, config, name) for name in task.systems}
    assert [row.name for row in task.rows if row.paper and row.system and extensions[row.system]] == []
    with_extensions = {name for name, on in extensions.items() if on}
    assert with_extensions == {
        name
        for name in task.systems
        if name.endswith(("-extensions", "-detect", "-rewrite-copied", "-sentence", "-every-text", "as-set"))
    }
    assert extensions["as-set"] == ["any"]


@every_papers_task
def test_what_extensions_do_is_compared_with_the_papers_own_row(task: Task) -> None:
    compared = [table for table in task.tables if table.comparison]
    assert compared
    for table in compared:
        baseline = str(task.find_row(table.baseline).system)
        assert list_system_extensions(task, config_of([], settings={"extensions": ["any"]}), baseline) == []
        assert {"FKGL", "ARI", "CLI", "DCRS", "mean grade"}.isdisjoint(table.measures[:2]), "no formula comes first"
        rows = [task.find_row(name).system or "" for name in table.rows]
        assert {name for name in task.systems if name.endswith("-extensions")} < set(rows)


@every_task
def test_a_text_of_a_corpus_is_never_read_as_the_name_of_a_file(task: Task, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("Not for any model.")
    sample = dict.fromkeys(("id", "abstract", "source", "paper", "paragraph"), str(secret))
    request = task.build_graph_input(sample)
    whole = request.get("paper") or request["abstract"]
    assert read_source_bytes(whole) == (f"{secret}\n\n".encode(), "")
