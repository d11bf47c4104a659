"""The scores as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evals.evaluation import Evaluation
from evals.reports.charts import charts
from evals.reports.scores_file import scores_file
from tests.evals.reports.tea import run, usual_texts


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
