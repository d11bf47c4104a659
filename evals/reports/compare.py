"""The comparison of two runs of a task over the samples that both have: run B minus run A."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pandas import DataFrame, json_normalize

from evals.evaluation import Contrast, Evaluation
from evals.reports.document import ReportDocument, ReportSection, build_table, format_decimal, render_report_markdown
from evals.reports.tables import TEST_DESCRIPTION, describe_contrasts, format_paired_test
from evals.statistics import apply_holm_correction, compare_paired_scores
from state.errors import SettingsError

_KEY_COLUMNS = ["corpus", "row", "measure", "sample"]
_ABSENT = "-"


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
