"""The reports of a run, written into its folder."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from evals.datasets import FieldStatistics
from evals.evaluation import Evaluation
from evals.reports.charts import charts
from evals.reports.figures import draw
from evals.reports.html import GENERATOR, list_pages, report_page, sample_page
from evals.reports.markdown import as_markdown
from evals.reports.names import is_page_name
from evals.reports.report import report
from evals.reports.samples import sample_pages
from evals.reports.scores_file import scores_file
from evals.reports.terminal import as_text
from evals.run_folder import RunFolder
from state.files import write_atomically

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
