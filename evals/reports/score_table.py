"""Tables of the paper with ours: each row of ours has the paper's below it, and what only the paper has comes last."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from evals.evaluation import Evaluation
from evals.reports.document import Cell, Entry, Grid, Section, papers_entry, words
from evals.reports.notation import ARROWS, figure, interval
from evals.scores import Line, Scores, mean_over_corpora, published_figures
from evals.task import Measure, Row, Table, Task

_NONE = Cell("-")
Figures = Mapping[str, float]
"""By measure."""


def place(scores: Scores) -> str:
    """Name of a table for a corpus."""
    return f"{scores.table.title}, {scores.corpus}"


def head(measure: Measure) -> str:
    """Name of a measure, and which way is better."""
    return f"{measure.name}{ARROWS[measure.better]}"


def score_section(task: Task, scores: Scores) -> Section:
    """A table for one corpus."""
    measures = [task.measure(name) for name in scores.table.measures]
    published = published_figures(scores.table, scores.corpus)
    entries = []
    for line in scores.lines:
        entries.append(_ours(line, measures))
        if line.row.paper in published:
            entries.append(_papers(task.papers_row(line.row.paper), published[line.row.paper], measures))
    others = _without_ours(published, [line.row for line in scores.lines])
    entries += [_papers(task.papers_row(name), published[name], measures) for name in others]
    return Section(place(scores), grid=Grid(["", "n", *map(head, measures)], entries))


def printed_sections(evaluation: Evaluation) -> list[Section]:
    """Tables of the paper as they are printed, where the run has not all of their corpora: no row is left out."""
    ours = {corpus.name for corpus in evaluation.config.corpora}
    tables = [table for table in evaluation.task.tables if set(table.published) - {""} - ours]
    return [_printed_section(evaluation.task, table) for table in tables]


def mean_sections(evaluation: Evaluation) -> list[Section]:
    """Each table's means over the corpora, if there are several."""
    if len(evaluation.config.corpora) < 2:
        return []
    found = (_mean_section(evaluation, table) for table in evaluation.task.tables if not table.comparison)
    return [section for section in found if section.grid and section.grid.entries]


def _without_ours(published: Iterable[str], rows: Iterable[Row]) -> list[str]:
    """The paper's rows that stand below none of ours."""
    compared = {row.paper for row in rows}
    return [name for name in published if name not in compared]


def _printed_section(task: Task, table: Table) -> Section:
    """All rows that the paper has for each of its corpora, with the mean where the figures can be averaged."""
    columns = [
        (corpus, measure)
        for corpus, rows in table.published.items()
        for measure in map(task.measure, table.measures)
        if any(measure.name in figures for figures in rows.values())
    ]
    averaged = len(_averaged(task, table)) > 0
    entries = []
    for name in dict.fromkeys(row for rows in table.published.values() for row in rows):
        figures = [table.published[corpus].get(name, {}).get(measure.name) for corpus, measure in columns]
        cells = [_mean(figure) for figure in [*figures, *([_mean_of(figures)] if averaged else [])]]
        entries.append(papers_entry(task.papers_row(name), cells))
    header = ["", *(f"{corpus} {head(measure)}" for corpus, measure in columns), *(["Avg."] if averaged else [])]
    return Section(f"{table.title}, as the paper prints it", grid=Grid(header, entries))


def _ours(line: Line, measures: Sequence[Measure]) -> Entry:
    cells = [_cell(line, measure) if measure.name in line.cells else _NONE for measure in measures]
    return Entry([*words(line.row.title, str(len(line.items))), *cells])


def _cell(line: Line, measure: Measure) -> Cell:
    value, low, high = line.cells[measure.name]
    count = len(line.values[measure.name]) if measure.name in line.values else len(line.items)
    ends = interval(low, high, measure.digits) if count > 1 else ""  # one sample says nothing of the others
    fewer = f"n = {count}" if count < len(line.items) else ""
    return Cell(figure(value, measure.digits), ", ".join(filter(None, (ends, fewer))))


def _papers(name: str, figures: Figures, measures: Sequence[Measure]) -> Entry:
    cells = [Cell(figure(figures[each.name], each.digits)) if each.name in figures else _NONE for each in measures]
    return papers_entry(name, [Cell(""), *cells])


def _mean_section(evaluation: Evaluation, table: Table) -> Section:
    scores = [each for each in evaluation.scores if each.table is table]
    columns = {head(evaluation.task.measure(name)): [name] for name in table.measures}
    if printed := _averaged(evaluation.task, table):
        columns["Avg."] = printed
    entries, rows = [], []
    for name in table.rows:
        means = [mean_over_corpora(scores, name, measures) for measures in columns.values()]
        if any(mean is not None for mean in means):
            row = evaluation.task.row(name)
            rows.append(row)
            entries.append(Entry([Cell(row.title), *map(_mean, means)]))
            if papers := _papers_means(scores, row.paper, list(columns.values())):
                entries.append(papers_entry(evaluation.task.papers_row(row.paper), map(_mean, papers)))
    entries += [
        papers_entry(evaluation.task.papers_row(name), map(_mean, papers))
        for name in _without_ours(published_figures(table, scores[0].corpus), rows)
        if (papers := _papers_means(scores, name, list(columns.values())))
    ]
    return Section(
        f"{table.title}, mean over {', '.join(each.corpus for each in scores)}",
        text=f"Avg. is the mean of {', '.join(printed)} over the corpora." if printed else "",
        grid=Grid(["", *columns], entries),
    )


def _averaged(task: Task, table: Table) -> list[str]:
    """The measures that the paper prints, if they can be averaged: if the same way is better for all of them."""
    printed = {measure for rows in table.published.values() for figures in rows.values() for measure in figures}
    measures = [task.measure(name) for name in table.measures if name in printed]
    alike = len({each.better for each in measures}) == 1
    return [each.name for each in measures] if alike and len(measures) > 1 else []


def _papers_means(scores: Sequence[Scores], paper: str, columns: Sequence[Sequence[str]]) -> list[float | None]:
    """Of the paper's row over the same corpora, if it has one for each; else empty."""
    rows = [published_figures(each.table, each.corpus).get(paper) for each in scores]
    figures = [row for row in rows if row is not None]
    if len(figures) < len(rows):
        return []
    return [_mean_of([row.get(name) for row in figures for name in measures]) for measures in columns]


def _mean_of(figures: Sequence[float | None]) -> float | None:
    found = [each for each in figures if each is not None]
    return fmean(found) if len(found) == len(figures) else None


def _mean(mean: float | None) -> Cell:
    return _NONE if mean is None else Cell(figure(mean, 2))
