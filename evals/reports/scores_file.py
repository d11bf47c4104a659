"""All scores of a run as JSON, for whoever plots or compares them with other tools.

format      1; another number means another layout
task, paper, begun, version, commit, seed, models (name by role)
finished    whether every run of a system on a sample has ended
aids        names of those that each system ran with, by system
tables      for each table and corpus: table, corpus, samples, baseline, and
            rows: row, title, system, texts, figures (by measure: value, low, high of its 95% interval),
                  values (by measure and sample, where a figure is a mean), paper (the row it is compared with)
            published: the paper's figures by row and measure
            contrasts: row, baseline, measure, difference, low, high, samples, p (corrected)
            reversals: measure, better, worse (rows, by the paper), published and ours (two figures each)
charts      for each figure and corpus: figure, corpus, across, and
            panels: measure, curves (curve, ours: number, value, low, high; paper: number, value)
costs       system, role, model, samples, calls, input_tokens, output_tokens, seconds, reasks, trims
failed      sample, system, error
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from evals.evaluation import Evaluation, systems_of
from evals.reports.charts import Chart, Curve
from evals.reports.run_sections import aids_of
from evals.scores import Contrast, Line, Reversal, Scores, published_figures

FORMAT: Final = 1


def scores_file(evaluation: Evaluation, charts: Sequence[Chart]) -> str:
    """The file's content.

    Args:
        evaluation: A run, scored.
        charts: Its figures.
    """
    config = evaluation.config
    content = {
        "format": FORMAT,
        "task": config.task,
        "paper": evaluation.task.source,
        "begun": config.begun,
        "version": config.version,
        "commit": config.commit,
        "seed": config.seed,
        "models": {role: model["model"] for role, model in config.models.items()},
        "finished": not evaluation.missing and not evaluation.failed,
        "aids": {name: aids_of(evaluation.task, config, name) for name in systems_of(evaluation.task, config.rows)},
        "tables": [_table(scores) for scores in evaluation.scores],
        "charts": [_chart(chart) for chart in charts],
        "costs": [cost._asdict() for cost in evaluation.costs],
        "failed": [failed._asdict() for failed in evaluation.failed],
    }
    return json.dumps(content, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def _table(scores: Scores) -> dict[str, Any]:
    return {
        "table": scores.table.title,
        "corpus": scores.corpus,
        "samples": scores.samples,
        "baseline": scores.table.baseline,
        "rows": [_row(line) for line in scores.lines],
        "published": published_figures(scores.table, scores.corpus),
        "contrasts": [_contrast(contrast) for contrast in scores.contrasts],
        "reversals": [_reversal(reversal) for reversal in scores.reversals],
    }


def _row(line: Line) -> dict[str, Any]:
    return {
        "row": line.row.name,
        "title": line.row.title,
        "system": line.row.system,
        "paper": line.row.paper,
        "texts": len(line.items),
        "figures": {measure: cell._asdict() for measure, cell in line.cells.items()},
        "values": line.values,
    }


def _contrast(contrast: Contrast) -> dict[str, Any]:
    mean, low, high = contrast.difference
    return {
        "row": contrast.row.name,
        "baseline": contrast.baseline.name,
        "measure": contrast.measure.name,
        "difference": mean,
        "low": low,
        "high": high,
        "samples": contrast.samples,
        "p": contrast.p_value,
    }


def _reversal(reversal: Reversal) -> dict[str, Any]:
    return {
        "measure": reversal.measure.name,
        "better": reversal.better.name,
        "worse": reversal.worse.name,
        "published": reversal.published,
        "ours": reversal.ours,
    }


def _chart(chart: Chart) -> dict[str, Any]:
    panels = [
        {"measure": panel.measure.name, "curves": [_curve(curve) for curve in panel.curves]} for panel in chart.panels
    ]
    return {"figure": chart.figure.title, "corpus": chart.corpus, "across": chart.figure.across, "panels": panels}


def _curve(curve: Curve) -> dict[str, Any]:
    return {
        "curve": curve.name,
        "ours": [{"number": number, **point._asdict()} for number, point in sorted(curve.ours.items())],
        "paper": [{"number": number, "value": value} for number, value in sorted(curve.paper.items())],
    }
