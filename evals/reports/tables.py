"""The tables of a paper with ours, and what in them is beyond chance.

Each row of ours has the paper's below it, and what only the paper has comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pandas import DataFrame, concat

from evals.evaluation import Contrast, Evaluation, ScoredRow, ScoredTable, select_published_figures
from evals.reports.document import (
    PAPER_ROW_PREFIX,
    ReportSection,
    build_table,
    format_bounds,
    format_decimal,
    format_difference,
    format_p_value,
)
from evals.statistics import SIGNIFICANCE_LEVEL, PairedTest
from evals.task import Measure, Row, Table, Task

TEST_DESCRIPTION = (
    f"Beyond chance: p < {SIGNIFICANCE_LEVEL} in a paired randomisation test over the samples, two-sided, "
    "corrected for all rows of a measure (Holm)."
)
_NOT_SIGNIFICANT = "not beyond chance:"
_CONTRAST_CLASSES = ("better in", "worse in", "higher in", "lower in", _NOT_SIGNIFICANT)
"""In this order; the third and fourth of measures of which neither way is better."""

_CellsByRow = Mapping[str, Sequence[str]]
"""By the name of the row."""


def build_score_section(task: Task, scores: ScoredTable) -> ReportSection:
    """A table for one corpus."""
    measures = [task.find_measure(name) for name in scores.table.measures]
    ours = {
        line.row.name: [str(len(line.items)), *(_format_cell(line, each) for each in measures)] for line in scores.lines
    }
    papers = {
        name: ["", *(format_decimal(figures.get(each.name), each.digits) for each in measures)]
        for name, figures in select_published_figures(scores.table, scores.corpus).items()
    }
    rows = _merge_published_rows(task, [line.row for line in scores.lines], ours, papers)
    return ReportSection(scores.title, table=build_table(["", "n", *(each.head for each in measures)], rows))


def _merge_published_rows(task: Task, rows: Sequence[Row], ours: _CellsByRow, papers: _CellsByRow) -> list[list[str]]:
    """Rows of ours, each with the paper's below it, and then the paper's that stand below none of ours."""
    found = []
    for row in rows:
        found.append([row.title, *ours[row.name]])
        if row.paper in papers:
            found.append([PAPER_ROW_PREFIX + task.format_paper_row(row.paper), *papers[row.paper]])
    compared = {row.paper for row in rows}
    return found + [
        [PAPER_ROW_PREFIX + task.format_paper_row(name), *cells]
        for name, cells in papers.items()
        if name not in compared
    ]


def _format_cell(line: ScoredRow, measure: Measure) -> str:
    if measure.name not in line.cells:
        return format_decimal(None)
    value, low, high = line.cells[measure.name]
    count = len(line.values.get(measure.name, line.items))
    said = format_decimal(value, measure.digits)
    if count > 1:  # one sample says nothing of the others
        said += f" {format_bounds(low, high, measure.digits)}"
    return said if count == len(line.items) else f"{said}, n = {count}"


def build_mean_sections(evaluation: Evaluation) -> list[ReportSection]:
    """Each table's means over the corpora, if there are several."""
    if len(evaluation.config.corpora) < 2:
        return []
    found = (_build_mean_section(evaluation, each) for each in evaluation.task.tables if not each.comparison)
    return [section for section in found if section.table is not None and len(section.table)]


def _build_mean_section(evaluation: Evaluation, of: Table) -> ReportSection:
    task, scores = evaluation.task, [each for each in evaluation.scores if each.table is of]
    averaged = _select_averaged_measures(task, of)
    lines = [
        {line.row.name: {name: cell.value for name, cell in line.cells.items()} for line in each.lines}
        for each in scores
    ]
    ours, papers = (
        _format_rows(_compute_corpus_means([DataFrame(rows).T for rows in of_corpora], of.measures, averaged))
        for of_corpora in (lines, [select_published_figures(each.table, each.corpus) for each in scores])
    )
    rows = _merge_published_rows(task, [task.find_row(name) for name in of.rows if name in ours], ours, papers)
    return ReportSection(
        f"{of.title}, mean over {', '.join(each.corpus for each in scores)}",
        text=f"Avg. is the mean of {', '.join(averaged)} over the corpora." if averaged else "",
        table=build_table(
            ["", *(task.find_measure(name).head for name in of.measures), *(["Avg."] if averaged else [])], rows
        ),
    )


def _compute_corpus_means(corpora: Sequence[DataFrame], measures: Sequence[str], averaged: Sequence[str]) -> DataFrame:
    """Means over corpora of the rows that all of them have, and in the last column those of several measures."""
    alike = [each.reindex(columns=list(measures)).astype(float) for each in corpora]
    means = concat(alike).groupby(level=0, sort=False).agg(lambda column: column.mean(skipna=False))
    shared = [name for name in means.index if all(name in each.index for each in alike)]
    means = means.loc[shared].dropna(how="all")
    return means.assign(**{"Avg.": means[list(averaged)].mean(axis=1, skipna=False)}) if averaged else means


def _select_averaged_measures(task: Task, of: Table) -> list[str]:
    """The measures that the paper prints, if they can be averaged: if the same way is better for all of them."""
    printed = {measure for rows in of.published.values() for figures in rows.values() for measure in figures}
    measures = [task.find_measure(name) for name in of.measures if name in printed]
    alike = len({each.better for each in measures}) == 1
    return [each.name for each in measures] if alike and len(measures) > 1 else []


def _format_rows(figures: DataFrame) -> dict[str, list[str]]:
    return {
        str(name): [format_decimal(value) for value in row]
        for name, row in zip(figures.index, figures.to_numpy(), strict=True)
    }


def build_difference_sections(scores: ScoredTable) -> list[ReportSection]:
    """What differs from the baseline, in words and in figures; none if nothing can be compared."""
    if not scores.contrasts:
        return []
    rows: dict[str, list[Contrast]] = {}
    for contrast in scores.contrasts:
        rows.setdefault(contrast.row.title, []).append(contrast)
    cells: dict[str, dict[str, str]] = {}
    for title, contrasts in rows.items():
        most = max(contrast.test.samples for contrast in contrasts)
        cells.setdefault("n", {})[title] = str(most)
        for each in contrasts:
            cells.setdefault(each.measure.head, {})[title] = format_paired_test(each.test, each.measure.digits, most)
    figures = DataFrame(cells).reindex(list(rows)).fillna("-").rename_axis("").reset_index()
    title = f"Against {scores.contrasts[0].baseline.title}, {scores.title}"
    return [ReportSection(title, points=describe_contrasts(scores.contrasts), table=figures)]


def describe_contrasts(contrasts: Iterable[Contrast]) -> list[str]:
    """What the differences of each row say: "clever: better in FKGL, ARI; not beyond chance: SARI."."""
    found: dict[str, dict[str, list[str]]] = {}
    for each in contrasts:
        found.setdefault(each.row.title, {}).setdefault(_classify_contrast(each), []).append(each.measure.name)
    said = {
        row: "; ".join(f"{each} {', '.join(judged[each])}" for each in _CONTRAST_CLASSES if each in judged)
        for row, judged in found.items()
    }
    return [f"{row}: {each}." for row, each in said.items()]


def _classify_contrast(contrast: Contrast) -> str:
    rises = contrast.test.difference.value > 0
    if not contrast.test.beyond_chance:
        return _NOT_SIGNIFICANT
    if contrast.measure.better == "neither":
        return "higher in" if rises else "lower in"
    return "better in" if rises == (contrast.measure.better == "higher") else "worse in"


def format_paired_test(test: PairedTest, digits: int, most: int) -> str:
    """A difference with its interval and p-value.

    Args:
        test: Of the difference.
        digits: After the point.
        most: Samples of the row; fewer are told.
    """
    (mean, low, high), samples, p = test
    said = format_difference(mean, digits) + (f" {format_bounds(low, high, digits)}" if samples > 1 else "")
    return f"{said}, {format_p_value(p)}" + (f", n = {samples}" if samples < most else "")
