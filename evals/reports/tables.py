"""The tables of a paper with ours, what in them is beyond chance, and where the paper's order did not come out.

Each row of ours has the paper's below it, and what only the paper has comes last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from evals.evaluation import Evaluation
from evals.reports.document import (
    Cell,
    ReportRow,
    ReportSection,
    ReportTable,
    difference,
    figure,
    interval,
    number,
    p_value,
    published_row,
    words,
)
from evals.scores import Contrast, Reversal, ScoredRow, Scores, mean_over_corpora, published_figures
from evals.statistics import CHANCE
from evals.task import Measure, Row, Table, Task

TEST = (
    f"Beyond chance: p < {CHANCE} in a paired randomisation test over the samples, two-sided, corrected for all rows "
    "of a measure (Holm)."
)

_UNDECIDED = "not beyond chance:"
_JUDGEMENTS = ("better in", "worse in", "higher in", "lower in", _UNDECIDED)
"""In this order; the third and fourth of measures of which neither way is better."""


def score_section(task: Task, scores: Scores) -> ReportSection:
    """A table for one corpus."""
    measures = [task.measure(name) for name in scores.table.measures]
    published = published_figures(scores.table, scores.corpus)
    rows = []
    for line in scores.lines:
        rows.append(_ours(line, measures))
        if line.row.paper in published:
            rows.append(_papers(task.papers_row(line.row.paper), published[line.row.paper], measures))
    others = _without_ours(published, [line.row for line in scores.lines])
    rows += [_papers(task.papers_row(name), published[name], measures) for name in others]
    return ReportSection(scores.title, table=ReportTable(["", "n", *(measure.head for measure in measures)], rows))


def printed_sections(evaluation: Evaluation) -> list[ReportSection]:
    """Tables of the paper as they are printed, where the run has not all of their corpora: no row is left out."""
    ours = {corpus.name for corpus in evaluation.config.corpora}
    tables = [table for table in evaluation.task.tables if set(table.published) - {""} - ours]
    return [_printed_section(evaluation.task, table) for table in tables]


def mean_sections(evaluation: Evaluation) -> list[ReportSection]:
    """Each table's means over the corpora, if there are several."""
    if len(evaluation.config.corpora) < 2:
        return []
    tables = (table for table in evaluation.task.tables if not table.comparison)
    found = (_mean_section(evaluation, table) for table in tables)
    return [section for section in found if section.table and section.table.rows]


def _without_ours(published: Iterable[str], rows: Iterable[Row]) -> list[str]:
    """The paper's rows that stand below none of ours."""
    compared = {row.paper for row in rows}
    return [name for name in published if name not in compared]


def _printed_section(task: Task, table: Table) -> ReportSection:
    """All rows that the paper has for each of its corpora, with the mean where the figures can be averaged."""
    columns = [
        (corpus, measure)
        for corpus, rows in table.published.items()
        for measure in map(task.measure, table.measures)
        if any(measure.name in figures for figures in rows.values())
    ]
    averaged = len(_averaged(task, table)) > 0
    lines = []
    for name in dict.fromkeys(row for rows in table.published.values() for row in rows):
        figures = [table.published[corpus].get(name, {}).get(measure.name) for corpus, measure in columns]
        cells = [number(figure) for figure in [*figures, *([_mean_of(figures)] if averaged else [])]]
        lines.append(published_row(task.papers_row(name), cells))
    header = ["", *(f"{corpus} {measure.head}" for corpus, measure in columns), *(["Avg."] if averaged else [])]
    return ReportSection(f"{table.title}, as the paper prints it", table=ReportTable(header, lines))


def _ours(line: ScoredRow, measures: Sequence[Measure]) -> ReportRow:
    cells = [_cell(line, measure) if measure.name in line.cells else number(None) for measure in measures]
    return ReportRow([*words(line.row.title, str(len(line.items))), *cells])


def _cell(line: ScoredRow, measure: Measure) -> Cell:
    value, low, high = line.cells[measure.name]
    count = len(line.values[measure.name]) if measure.name in line.values else len(line.items)
    ends = interval(low, high, measure.digits) if count > 1 else ""  # one sample says nothing of the others
    fewer = f"n = {count}" if count < len(line.items) else ""
    return Cell(figure(value, measure.digits), ", ".join(filter(None, (ends, fewer))))


def _papers(name: str, figures: Mapping[str, float], measures: Sequence[Measure]) -> ReportRow:
    cells = [number(figures.get(each.name), each.digits) for each in measures]
    return published_row(name, [Cell(""), *cells])


def _mean_section(evaluation: Evaluation, table: Table) -> ReportSection:
    scores = [each for each in evaluation.scores if each.table is table]
    columns = {evaluation.task.measure(name).head: [name] for name in table.measures}
    if printed := _averaged(evaluation.task, table):
        columns["Avg."] = printed
    lines, rows = [], []
    for name in table.rows:
        means = [mean_over_corpora(scores, name, measures) for measures in columns.values()]
        if any(mean is not None for mean in means):
            row = evaluation.task.row(name)
            rows.append(row)
            lines.append(ReportRow([Cell(row.title), *map(number, means)]))
            if papers := _papers_means(scores, row.paper, list(columns.values())):
                lines.append(published_row(evaluation.task.papers_row(row.paper), map(number, papers)))
    lines += [
        published_row(evaluation.task.papers_row(name), map(number, papers))
        for name in _without_ours(published_figures(table, scores[0].corpus), rows)
        if (papers := _papers_means(scores, name, list(columns.values())))
    ]
    return ReportSection(
        f"{table.title}, mean over {', '.join(each.corpus for each in scores)}",
        text=f"Avg. is the mean of {', '.join(printed)} over the corpora." if printed else "",
        table=ReportTable(["", *columns], lines),
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


def difference_sections(scores: Scores) -> list[ReportSection]:
    """In words, and then in figures; none if nothing can be compared."""
    if not scores.contrasts:
        return []
    title = f"Against {scores.contrasts[0].baseline.title}, {scores.corpus}"
    rows = by_row(scores.contrasts)
    return [
        ReportSection(title, points=in_words(rows), level=3),
        ReportSection(f"{title}, in figures", table=_differences(rows), level=3, detail=not scores.table.comparison),
    ]


def by_row(contrasts: Iterable[Contrast]) -> list[list[Contrast]]:
    """The contrasts of each row."""
    found: dict[str, list[Contrast]] = {}
    for contrast in contrasts:
        found.setdefault(contrast.row.name, []).append(contrast)
    return list(found.values())


def in_words(rows: Sequence[Sequence[Contrast]]) -> list[str]:
    """What the differences of each row say: "clever: better in FKGL, ARI; not beyond chance: SARI."."""
    said = []
    for contrasts in rows:
        found: dict[str, list[str]] = {}
        for contrast in contrasts:
            found.setdefault(_judgement(contrast), []).append(contrast.measure.name)
        told = "; ".join(f"{each} {', '.join(found[each])}" for each in _JUDGEMENTS if each in found)
        said.append(f"{contrasts[0].row.title}: {told}.")
    return said


def _judgement(contrast: Contrast) -> str:
    rises = contrast.test.difference.value > 0
    if not contrast.test.beyond_chance:
        return _UNDECIDED
    if contrast.measure.better == "neither":
        return "higher in" if rises else "lower in"
    return "better in" if rises == (contrast.measure.better == "higher") else "worse in"


def _differences(rows: Sequence[Sequence[Contrast]]) -> ReportTable:
    measures = {contrast.measure.name: contrast.measure for contrasts in rows for contrast in contrasts}
    lines = []
    for contrasts in rows:
        most = max(contrast.test.samples for contrast in contrasts)
        cells = {contrast.measure.name: _difference(contrast, most) for contrast in contrasts}
        shown = [cells.get(name, Cell("-")) for name in measures]
        lines.append(ReportRow([*words(contrasts[0].row.title, str(most)), *shown]))
    return ReportTable(["", "n", *(measure.head for measure in measures.values())], lines)


def _difference(contrast: Contrast, most: int) -> Cell:
    """A difference, bold if it is beyond chance."""
    (mean, low, high), samples, p = contrast.test
    digits = contrast.measure.digits
    ends = interval(low, high, digits) if samples > 1 else ""
    fewer = f"n = {samples}" if samples < most else ""
    detail = ", ".join(filter(None, (ends, p_value(p), fewer)))
    return Cell(difference(mean, digits), detail, strong=contrast.test.beyond_chance)


def order_sections(scores: Scores) -> list[ReportSection]:
    """The pairs whose order did not come out; none if there is no such pair."""
    if not scores.reversals:
        return []
    title = f"Where the paper's order did not come out, {scores.corpus}"
    points = [_reversal(each) for each in scores.reversals]
    return [ReportSection(title, text="p-values are corrected for this list (Holm).", points=points, level=3)]


def _reversal(reversal: Reversal) -> str:
    """Figures of both, in the paper and here, and whether the difference may be chance."""
    digits = reversal.measure.digits
    papers, ours = ([figure(each, digits) for each in pair] for pair in (reversal.published, reversal.ours))
    judged = "not tested sample by sample"
    if reversal.test:
        (mean, low, high), samples, p = reversal.test
        verdict = "beyond chance" if reversal.test.beyond_chance else "may be chance"
        ends = f" {interval(low, high, digits)}" if samples > 1 else ""
        judged = f"a difference of {difference(mean, digits)}{ends}, {p_value(p)}, {verdict}"
    return (
        f"{reversal.measure.name}: the paper has {reversal.better.title} before {reversal.worse.title} "
        f"({papers[0]} and {papers[1]}), here {ours[0]} and {ours[1]}: {judged}."
    )
