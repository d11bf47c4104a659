"""The tables of a paper with ours, and what in them is beyond chance.

Each row of ours has the paper's below it, and what only the paper has comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from pandas import DataFrame, concat

from evals.evaluation import Contrast, Evaluation, ScoredRow, Scores, published_figures
from evals.reports.document import PAPER, ReportSection, difference, ends, figure, p_value, table
from evals.statistics import CHANCE, PairedTest
from evals.task import Measure, Row, Table, Task

TEST = (
    f"Beyond chance: p < {CHANCE} in a paired randomisation test over the samples, two-sided, corrected for all rows "
    "of a measure (Holm)."
)
_UNDECIDED = "not beyond chance:"
_JUDGEMENTS = ("better in", "worse in", "higher in", "lower in", _UNDECIDED)
"""In this order; the third and fourth of measures of which neither way is better."""

_Cells = Mapping[str, Sequence[str]]
"""By the name of the row."""


def score_section(task: Task, scores: Scores) -> ReportSection:
    """A table for one corpus."""
    measures = [task.measure(name) for name in scores.table.measures]
    ours = {line.row.name: [str(len(line.items)), *(_cell(line, each) for each in measures)] for line in scores.lines}
    papers = {
        name: ["", *(figure(figures.get(each.name), each.digits) for each in measures)]
        for name, figures in published_figures(scores.table, scores.corpus).items()
    }
    rows = _beside(task, [line.row for line in scores.lines], ours, papers)
    return ReportSection(scores.title, table=table(["", "n", *(each.head for each in measures)], rows))


def _beside(task: Task, rows: Sequence[Row], ours: _Cells, papers: _Cells) -> list[list[str]]:
    """Rows of ours, each with the paper's below it, and then the paper's that stand below none of ours."""
    found = []
    for row in rows:
        found.append([row.title, *ours[row.name]])
        if row.paper in papers:
            found.append([PAPER + task.papers_row(row.paper), *papers[row.paper]])
    compared = {row.paper for row in rows}
    return found + [[PAPER + task.papers_row(name), *cells] for name, cells in papers.items() if name not in compared]


def _cell(line: ScoredRow, measure: Measure) -> str:
    if measure.name not in line.cells:
        return figure(None)
    value, low, high = line.cells[measure.name]
    count = len(line.values.get(measure.name, line.items))
    said = figure(value, measure.digits)
    if count > 1:  # one sample says nothing of the others
        said += f" {ends(low, high, measure.digits)}"
    return said if count == len(line.items) else f"{said}, n = {count}"


def mean_sections(evaluation: Evaluation) -> list[ReportSection]:
    """Each table's means over the corpora, if there are several."""
    if len(evaluation.config.corpora) < 2:
        return []
    found = (_mean_section(evaluation, each) for each in evaluation.task.tables if not each.comparison)
    return [section for section in found if section.table is not None and len(section.table)]


def _mean_section(evaluation: Evaluation, of: Table) -> ReportSection:
    task, scores = evaluation.task, [each for each in evaluation.scores if each.table is of]
    averaged = _averaged(task, of)
    lines = [
        {line.row.name: {name: cell.value for name, cell in line.cells.items()} for line in each.lines}
        for each in scores
    ]
    ours, papers = (
        _by_row(_means([DataFrame(rows).T for rows in of_corpora], of.measures, averaged))
        for of_corpora in (lines, [published_figures(each.table, each.corpus) for each in scores])
    )
    rows = _beside(task, [task.row(name) for name in of.rows if name in ours], ours, papers)
    return ReportSection(
        f"{of.title}, mean over {', '.join(each.corpus for each in scores)}",
        text=f"Avg. is the mean of {', '.join(averaged)} over the corpora." if averaged else "",
        table=table(["", *(task.measure(name).head for name in of.measures), *(["Avg."] if averaged else [])], rows),
    )


def _means(corpora: Sequence[DataFrame], measures: Sequence[str], averaged: Sequence[str]) -> DataFrame:
    """Means over corpora of the rows that all of them have, and in the last column those of several measures."""
    alike = [each.reindex(columns=list(measures)).astype(float) for each in corpora]
    means = concat(alike).groupby(level=0, sort=False).agg(lambda column: column.mean(skipna=False))
    shared = [name for name in means.index if all(name in each.index for each in alike)]
    means = means.loc[shared].dropna(how="all")
    return means.assign(**{"Avg.": means[list(averaged)].mean(axis=1, skipna=False)}) if averaged else means


def _averaged(task: Task, of: Table) -> list[str]:
    """The measures that the paper prints, if they can be averaged: if the same way is better for all of them."""
    printed = {measure for rows in of.published.values() for figures in rows.values() for measure in figures}
    measures = [task.measure(name) for name in of.measures if name in printed]
    alike = len({each.better for each in measures}) == 1
    return [each.name for each in measures] if alike and len(measures) > 1 else []


def _by_row(figures: DataFrame) -> dict[str, list[str]]:
    return {
        str(name): [figure(value) for value in row] for name, row in zip(figures.index, figures.to_numpy(), strict=True)
    }


def difference_sections(scores: Scores) -> list[ReportSection]:
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
            cells.setdefault(each.measure.head, {})[title] = tested(each.test, each.measure.digits, most)
    figures = DataFrame(cells).reindex(list(rows)).fillna("-").rename_axis("").reset_index()
    title = f"Against {scores.contrasts[0].baseline.title}, {scores.title}"
    return [ReportSection(title, points=in_words(scores.contrasts), table=figures)]


def in_words(contrasts: Iterable[Contrast]) -> list[str]:
    """What the differences of each row say: "clever: better in FKGL, ARI; not beyond chance: SARI."."""
    found: dict[str, dict[str, list[str]]] = {}
    for each in contrasts:
        found.setdefault(each.row.title, {}).setdefault(_judgement(each), []).append(each.measure.name)
    said = {
        row: "; ".join(f"{each} {', '.join(judged[each])}" for each in _JUDGEMENTS if each in judged)
        for row, judged in found.items()
    }
    return [f"{row}: {each}." for row, each in said.items()]


def _judgement(contrast: Contrast) -> str:
    rises = contrast.test.difference.value > 0
    if not contrast.test.beyond_chance:
        return _UNDECIDED
    if contrast.measure.better == "neither":
        return "higher in" if rises else "lower in"
    return "better in" if rises == (contrast.measure.better == "higher") else "worse in"


def tested(test: PairedTest, digits: int, most: int) -> str:
    """A difference with its interval and p-value.

    Args:
        test: Of the difference.
        digits: After the point.
        most: Samples of the row; fewer are told.
    """
    (mean, low, high), samples, p = test
    said = difference(mean, digits) + (f" {ends(low, high, digits)}" if samples > 1 else "")
    return f"{said}, {p_value(p)}" + (f", n = {samples}" if samples < most else "")
