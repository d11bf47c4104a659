"""Tables of measured and published scores, their statistically significant differences, and two runs compared.

Each measured row is followed by the paper's row. Rows that only the paper has come last.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from pandas import DataFrame, json_normalize

from evals.evaluation import Contrast, Evaluation, ScoredTable, select_published_figures
from evals.reports.document import (
    PAPER_ROW_PREFIX,
    ReportDocument,
    ReportSection,
    build_table,
    format_decimal,
    format_estimate,
    render_report_markdown,
)
from evals.statistics import SIGNIFICANCE_LEVEL, PairedTest, apply_holm_correction, compare_paired_scores
from evals.task import Row, Task
from state.errors import SettingsError

TEST_DESCRIPTION = (
    f"Beyond chance: p < {SIGNIFICANCE_LEVEL} in a paired randomisation test over the samples, two-sided, "
    "corrected for all rows of a measure (Holm)."
)
_NOT_SIGNIFICANT = "not beyond chance:"
# What a fall and a rise are, by the measure's better direction.
_DIRECTIONS = {
    "lower": ("better in", "worse in"),
    "higher": ("worse in", "better in"),
    "neither": ("lower in", "higher in"),
}
# In the order of the report.
_CONTRAST_CLASSES = ("better in", "worse in", "higher in", "lower in", _NOT_SIGNIFICANT)

_KEY_COLUMNS = ["corpus", "row", "measure", "sample"]
_ABSENT = "-"
_CellsByRow = Mapping[str, Sequence[str]]


def build_score_section(task: Task, scores: ScoredTable) -> ReportSection:
    """Build the section with a table's scores; a cell that is of fewer texts than its row names their number."""
    measures = [task.find_measure(name) for name in scores.table.measures]
    ours: dict[str, list[str]] = {}
    for line in scores.lines:
        ours[line.row.name] = [str(len(line.items))]
        for each in measures:
            estimate, count = line.cells.get(each.name), len(line.values.get(each.name, line.items))
            # The interval of a single sample would have no width.
            cell = format_estimate(estimate, digits=each.digits, has_interval=count > 1)
            ours[line.row.name].append(cell if estimate is None or count == len(line.items) else f"{cell}, n = {count}")
    papers = {
        name: ["", *(format_decimal(figures.get(each.name), each.digits) for each in measures)]
        for name, figures in select_published_figures(scores.table, scores.corpus).items()
    }
    rows = _merge_published_rows(task, [line.row for line in scores.lines], ours, papers)
    return ReportSection(scores.title, table=build_table(["", "n", *(each.head for each in measures)], rows))


def _merge_published_rows(task: Task, rows: Sequence[Row], ours: _CellsByRow, papers: _CellsByRow) -> list[list[str]]:
    """Return rows with their titles: each measured row, then its published row; other published rows come last."""
    found = []
    left = dict(papers)
    for row in rows:
        found.append([row.title, *ours[row.name]])
        if row.paper in papers:
            found.append([PAPER_ROW_PREFIX + task.format_paper_row(row.paper), *papers[row.paper]])
            left.pop(row.paper, None)
    return found + [[PAPER_ROW_PREFIX + task.format_paper_row(name), *cells] for name, cells in left.items()]


def build_mean_sections(evaluation: Evaluation) -> list[ReportSection]:
    """Build a section of means over the corpora for each table; an empty list if there is one corpus only.

    The last column of such a table has means over the printed measures.
    """
    if len(evaluation.config.corpora) < 2:
        return []
    task, sections = evaluation.task, []
    for table in task.tables:
        if table.comparison:
            continue
        scores = [each for each in evaluation.scores if each.table is table]
        # 1. Average only measures that the paper prints, and only if they have the same better direction.
        printed = {measure for rows in table.published.values() for figures in rows.values() for measure in figures}
        measures = [task.find_measure(name) for name in table.measures if name in printed]
        averaged = [each.name for each in measures]
        if len(measures) < 2 or len({each.better for each in measures}) > 1:
            averaged = []
        # 2. Compute the means of the measured and of the published rows.
        measured = [
            {line.row.name: {name: cell.value for name, cell in line.cells.items()} for line in each.lines}
            for each in scores
        ]
        published = [select_published_figures(each.table, each.corpus) for each in scores]
        ours, papers = (_format_corpus_means(rows, table.measures, averaged) for rows in (measured, published))
        # 3. Lay the table out.
        rows = _merge_published_rows(task, [task.find_row(name) for name in table.rows if name in ours], ours, papers)
        header = ["", *(task.find_measure(name).head for name in table.measures), *(["Avg."] if averaged else [])]
        title = f"{table.title}, mean over {', '.join(each.corpus for each in scores)}"
        text = f"Avg. is the mean of {', '.join(averaged)} over the corpora." if averaged else ""
        sections.append(ReportSection(title, text, table=build_table(header, rows)))
    return sections


def _format_corpus_means(
    corpora: Sequence[Mapping[str, Mapping[str, float]]], measures: Sequence[str], averaged: Sequence[str]
) -> dict[str, list[str]]:
    """Return, by row that all corpora have, the formatted means over them, and last that of `averaged` measures."""
    # A figure that is missing in a corpus has no mean over the corpora.
    first, *others = (DataFrame(rows, index=list(measures), dtype=float).T for rows in corpora)
    means = (sum(others, first) / len(corpora)).reindex(first.index).dropna(how="all")
    if averaged:
        means["Avg."] = means[list(averaged)].mean(axis=1, skipna=False)
    return {str(name): [format_decimal(value) for value in row] for name, row in means.iterrows()}


def build_difference_sections(scores: ScoredTable) -> list[ReportSection]:
    """Return a section with the differences from the baseline, or an empty list without any."""
    if not scores.contrasts:
        return []
    # The number of samples, which cells repeat only where a measure applies to fewer of them.
    most: dict[str, int] = {}
    for each in scores.contrasts:
        most[each.row.title] = max(most.get(each.row.title, 0), each.test.samples)
    cells: dict[str, dict[str, str]] = {"n": {title: str(samples) for title, samples in most.items()}}
    for each in scores.contrasts:
        cell = format_paired_test(each.test, each.measure.digits, most[each.row.title])
        cells.setdefault(each.measure.head, {})[each.row.title] = cell
    figures = DataFrame(cells).reindex(list(most)).fillna("-").rename_axis("").reset_index()
    title = f"Against {scores.contrasts[0].baseline.title}, {scores.title}"
    return [ReportSection(title, points=describe_contrasts(scores.contrasts), table=figures)]


def describe_contrasts(contrasts: Iterable[Contrast]) -> list[str]:
    """Return a sentence for each row: "clever: better in FKGL, ARI; not beyond chance: SARI."."""
    found: dict[str, dict[str, list[str]]] = {}
    for contrast in contrasts:
        measure, rises = contrast.measure, contrast.test.difference.value > 0
        kind = _DIRECTIONS[measure.better][rises] if contrast.test.beyond_chance else _NOT_SIGNIFICANT
        found.setdefault(contrast.row.title, {}).setdefault(kind, []).append(measure.name)
    sentences = []
    for row, measures in found.items():
        parts = (f"{each} {', '.join(measures[each])}" for each in _CONTRAST_CLASSES if each in measures)
        sentences.append(f"{row}: {'; '.join(parts)}.")
    return sentences


def format_paired_test(test: PairedTest, digits: int, most: int) -> str:
    """Format a difference with its interval and p-value, such as "+1.20 [0.40, 2.00], p = 0.012, n = 8".

    The number of samples is named only if it is smaller than `most`, that of the other cells.
    """
    difference, samples, p = test
    sign = "" if round(difference.value, digits) < 0 else "+"
    text = sign + format_estimate(difference, digits=digits, has_interval=samples > 1)
    text += ", p < 0.001" if p < 0.001 else f", p = {p:.3f}"
    return f"{text}, n = {samples}" if samples < most else text


def render_comparison(a: Evaluation, b: Evaluation) -> str:
    """Render as Markdown how run B differs from run A, by the measures that have a value for each sample.

    Raises:
        SettingsError: The runs belong to different tasks, or have no sample in common.
    """
    if a.config.task != b.config.task:
        raise SettingsError(
            f"The runs are of different tasks, {a.config.task} and {b.config.task}: compare two runs of one task."
        )
    # Samples with the same id may differ, when a corpus was changed between the runs.
    samples = {sample["id"]: sample for sample in a.samples}
    common = {sample["id"] for sample in b.samples if samples.get(sample["id"]) == sample}
    if not common:
        raise SettingsError("The runs have no sample in common: draw both from the same data with the same --seed.")
    values = _tabulate_values(a, common).merge(_tabulate_values(b, common), on=_KEY_COLUMNS, suffixes=("_a", "_b"))
    report = ReportDocument(
        title=f"{a.config.task.replace('_', ' ').capitalize()}: two runs compared",
        facts=[
            f"{name}: begun {config.begun}, Draftroom {config.version}, commit {config.commit or 'unknown'}"
            for name, config in (("A", a.config), ("B", b.config))
        ],
        summary=[
            f"Samples in both runs: {len(common)}. All that follows is of these, and is B less A.",
            TEST_DESCRIPTION,
        ],
        sections=[
            _build_choices_section(a, b),
            *(_build_corpus_section(a, str(corpus), own) for corpus, own in values.groupby("corpus", sort=False)),
        ],
    )
    return render_report_markdown(report)


def _tabulate_values(run: Evaluation, samples: Collection[str]) -> DataFrame:
    """Tabulate the values of systems on the given samples by corpus, row, measure and sample."""
    # A dictionary, because several tables may have the same row and measure.
    found = {
        (scores.corpus, line.row.name, measure, sample): value
        for scores in run.scores
        for line in scores.lines
        if line.row.system
        for measure, values in line.values.items()
        for sample, value in values.items()
        if sample in samples
    }
    return DataFrame([(*key, value) for key, value in found.items()], columns=[*_KEY_COLUMNS, "value"])


def _build_corpus_section(a: Evaluation, corpus: str, values: DataFrame) -> ReportSection:
    """Build the section on a corpus: B less A by row and measure, p-values corrected over a measure's rows."""
    contrasts, rows = [], []
    for name, measured in values.groupby("measure", sort=False):
        measure = a.task.find_measure(str(name))
        by_row = {str(row): scores.set_index("sample") for row, scores in measured.groupby("row", sort=False)}
        tests = {
            row: test
            for row, scores in by_row.items()
            if (test := compare_paired_scores(dict(scores["value_b"]), dict(scores["value_a"]), seed=a.config.seed))
        }
        for row, test in apply_holm_correction(tests).items():
            contrasts.append(Contrast(a.task.find_row(row), a.task.find_row(row), measure, test))
            means = (format_decimal(by_row[row][run].mean(), measure.digits) for run in ("value_a", "value_b"))
            changed = format_paired_test(test, measure.digits, test.samples)
            rows.append([a.task.find_row(row).title, measure.head, str(test.samples), *means, changed])
    header = ["row", "measure", "n", "A", "B", "B less A"]
    return ReportSection(
        f"Scores, {corpus}", points=describe_contrasts(contrasts), table=build_table(header, rows), words=2
    )


def _build_choices_section(a: Evaluation, b: Evaluation) -> ReportSection:
    """Build the section on the settings, versions and prompts that differ between the runs, or say that none do."""
    title, one, other = "What differs in how they were run", _flatten_choices(a), _flatten_choices(b)
    rows = [(name, one.get(name, _ABSENT), other.get(name, _ABSENT)) for name in {**one, **other}]
    # Prompts of agents that only one of the runs has are no difference in how they were run.
    rows = [row for row in rows if row[1] != row[2] and not (row[0].startswith("prompt ") and _ABSENT in row)]
    if not rows:
        return ReportSection(title, text="Both runs were made with the same choices, prompts and versions.")
    return ReportSection(title, table=build_table(["", "A", "B"], rows))


def _flatten_choices(run: Evaluation) -> dict[str, str]:
    """Return a run's settings and short hashes of its prompts as text, by names such as `models.reader.model`."""
    content = run.config.model_dump(mode="json", exclude={"task", "begun", "corpora", "id"})
    content["corpora"] = {
        corpus.name: corpus.model_dump(mode="json", exclude={"name"}) for corpus in run.config.corpora
    }
    flat: dict[str, Any] = json_normalize(content).iloc[0].to_dict()
    # A prompt that changed during the run has several hashes.
    hashes: dict[str, set[str]] = {}
    for output in run.outputs.values():
        for call in output["calls"]:
            hashes.setdefault(f"prompt {call['prompt']}", set()).add(call["prompt_sha256"][:12])
    flat |= {name: ", ".join(sorted(found)) for name, found in sorted(hashes.items())}
    return {name: str(value) for name, value in flat.items()}
