"""The reports of a run, written into its folder: for people, and `scores.json` for other tools that plot or compare.

scores.json has these fields:

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
import shutil
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from evals.datasets.corpora import FieldStatistics
from evals.evaluation import Chart, Curve, Evaluation, charts, systems_of
from evals.reports.document import as_markdown, as_text
from evals.reports.pages import GENERATOR, is_page_name, list_pages, report_page, sample_page, sample_pages
from evals.reports.plots import draw
from evals.reports.report import aids_of, report
from evals.run_folder import RunFolder
from evals.scores import Contrast, Reversal, ScoredRow, Scores, published_figures
from state.files import write_atomically

FORMAT: Final = 1
_FILE_WIDTH = 160
"""Of the text where there is no terminal: a row should stay one line."""


def write_reports(evaluation: Evaluation, folder: RunFolder, statistics: Sequence[FieldStatistics] = ()) -> str:
    """Writes scores.json, report.md, report.html, plots into figures/ and a page for each sample into samples/.

    Pages of samples that the run no longer has are removed; files that are not ours are left alone.

    Args:
        evaluation: A run, scored.
        folder: Where it lies.
        statistics: Of its data.

    Returns:
        The report as text that fits the terminal.

    Raises:
        OSError: If the folder cannot be written.
    """
    drawn = charts(evaluation)
    pictures = draw(drawn, evaluation.scores)
    document = report(evaluation, statistics, pictures)
    pages = sample_pages(evaluation, [*evaluation.scores, *(chart.scores for chart in drawn)])
    _write(folder.path / "figures", ((f"{each.name}.svg", each.svg) for each in pictures))
    _write(folder.path / "figures", ((f"{each.name}.png", each.png) for each in pictures))
    _write(folder.path / "samples", ((page.file, sample_page(pages, at).encode()) for at, page in enumerate(pages)))
    _write(
        folder.path / "samples", ((name, text.encode()) for name, text in list_pages(pages, evaluation.task).items())
    )
    _remove_old_pages(folder.path / "samples", {page.file for page in pages})
    reports = {
        "scores.json": scores_file(evaluation, drawn),
        "report.html": report_page(document),
        "report.md": as_markdown(document),
    }
    _write(folder.path, ((name, text.encode()) for name, text in reports.items()))
    return as_text(document, shutil.get_terminal_size((_FILE_WIDTH, 24)).columns)


def _write(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    folder.mkdir(exist_ok=True)
    for name, data in files:
        write_atomically(folder / name, data)


def _remove_old_pages(folder: Path, names: Collection[str]) -> None:
    for path in folder.iterdir():
        if is_page_name(path.name) and path.name not in names and _is_ours(path):
            path.unlink()


def _is_ours(path: Path) -> bool:
    return path.is_file() and f'content="{GENERATOR}"'.encode() in path.read_bytes()[:1000]


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
        "costs": evaluation.costs,
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


def _row(line: ScoredRow) -> dict[str, Any]:
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
    mean, low, high = contrast.test.difference
    return {
        "row": contrast.row.name,
        "baseline": contrast.baseline.name,
        "measure": contrast.measure.name,
        "difference": mean,
        "low": low,
        "high": high,
        "samples": contrast.test.samples,
        "p": contrast.test.p_value,
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
