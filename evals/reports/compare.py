"""Two runs of one task beside each other, over the samples that both have: run B less run A."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from statistics import fmean
from typing import NamedTuple

from evals.evaluation import Evaluation
from evals.reports.document import (
    Cell,
    ReportDocument,
    ReportRow,
    ReportSection,
    ReportTable,
    as_markdown,
    difference,
    figure,
    interval,
    p_value,
    words,
)
from evals.reports.tables import TEST, by_row, in_words
from evals.run import RunConfig
from evals.scores import Contrast, ScoredRow
from evals.statistics import PairedTest, holm, paired_test
from evals.task import Measure, Row
from state.errors import SettingsError

_MOST_CHANGED = 10
"""So many samples are shown that changed most."""
_ABSENT = "-"


class ScoreChange(NamedTuple):
    """What became of a figure of a row."""

    row: Row
    measure: Measure
    samples: int
    before: float
    after: float
    test: PairedTest | None
    """B less A, corrected for all rows of the measure (Holm); None for a statistic of all texts at once."""


class SampleChange(NamedTuple):
    """What became of one sample in a row."""

    sample: str
    row: Row
    before: float
    after: float


def compare(a: Evaluation, b: Evaluation) -> str:
    """What differs between two runs, in Markdown.

    Args:
        a: A run, scored.
        b: The run that is held against it.

    Raises:
        SettingsError: If the runs are of different tasks, or have no sample in common.
    """
    if a.config.task != b.config.task:
        raise SettingsError(
            f"The runs are of different tasks, {a.config.task} and {b.config.task}: compare two runs of one task."
        )
    samples = {sample["id"]: sample for sample in a.samples}
    common = {sample["id"] for sample in b.samples if samples.get(sample["id"]) == sample}
    if not common:
        raise SettingsError("The runs have no sample in common: draw both from the same data with the same --seed.")
    sections = [section for corpus in a.config.corpora for section in _sections(a, b, corpus.name, common)]
    document = ReportDocument(
        title=f"{a.config.task.replace('_', ' ').capitalize()}: two runs compared",
        facts=[f"A: {_run(a)}", f"B: {_run(b)}"],
        summary=[f"Samples in both runs: {len(common)}. All that follows is of these, and is B less A.", TEST],
        sections=[_choices_section(a, b), *sections],
    )
    return as_markdown(document)


def _run(run: Evaluation) -> str:
    config = run.config
    return f"begun {config.begun}, Draftroom {config.version}, commit {config.commit or 'unknown'}"


def _sections(a: Evaluation, b: Evaluation, corpus: str, common: Collection[str]) -> Iterator[ReportSection]:
    """What changed in a corpus, and which samples changed most."""
    if found := _score_changes(a, b, corpus, common):
        contrasts = [Contrast(each.row, each.row, each.measure, each.test) for each in found if each.test]
        header = ["row", "measure", "n", "A", "B", "B less A", "p"]
        table = ReportTable(header, [_changed_score(each) for each in found], words=2)
        yield ReportSection(f"Scores, {corpus}", points=in_words(by_row(contrasts)), table=table)
    if most := _sample_changes(a, b, corpus, common)[:_MOST_CHANGED]:
        digits = a.task.measure(a.task.ranked_by).digits
        table = ReportTable(
            ["sample", "row", "A", "B", "B less A"], [_changed_sample(each, digits) for each in most], words=2
        )
        yield ReportSection(f"Samples that changed most, {corpus}", text=f"By {a.task.ranked_by}.", table=table)


def _score_changes(a: Evaluation, b: Evaluation, corpus: str, common: Collection[str]) -> list[ScoreChange]:
    """Of every row of a system and every measure that both runs have, measure by measure."""
    found: dict[str, list[ScoreChange]] = {}
    for before, after, measure in _shared(a, b, corpus):
        if change := _score_change(before, after, measure, common, a.config.seed):
            found.setdefault(measure.name, []).append(change)
    changes = []
    for of_measure in found.values():
        tests = holm({change.row: change.test for change in of_measure if change.test})
        changes += [change._replace(test=tests.get(change.row)) for change in of_measure]
    return changes


def _score_change(
    before: ScoredRow, after: ScoredRow, measure: Measure, common: Collection[str], seed: int
) -> ScoreChange | None:
    """Of a row over the samples that both runs have; None if there is none, or the measure has no value for them."""
    if measure.statistic is not None:
        texts = [{item.sample["id"]: item for item in line.items} for line in (before, after)]
        both = [sample for sample in texts[0] if sample in texts[1] and sample in common]
        was, became = (measure.statistic([items[sample] for sample in both]) if both else None for items in texts)
        test = None
    else:
        values = [
            {sample: value for sample, value in line.values[measure.name].items() if sample in common}
            for line in (before, after)
        ]
        both = [sample for sample in values[0] if sample in values[1]]
        was, became = (fmean(of_run[sample] for sample in both) if both else None for of_run in values)
        test = paired_test(values[1], values[0], seed=seed)
    if was is None or became is None:
        return None
    return ScoreChange(after.row, measure, len(both), was, became, test)


def _sample_changes(a: Evaluation, b: Evaluation, corpus: str, common: Collection[str]) -> list[SampleChange]:
    """Of every sample by the measure that orders the samples, the largest first."""
    found = [
        SampleChange(sample, before.row, value, after.values[measure.name][sample])
        for before, after, measure in _shared(a, b, corpus)
        if measure.name == a.task.ranked_by and measure.score
        for sample, value in before.values[measure.name].items()
        if sample in common and sample in after.values[measure.name]
    ]
    changed = [change for change in found if change.before != change.after]
    return sorted(changed, key=lambda change: abs(change.after - change.before), reverse=True)


def _shared(a: Evaluation, b: Evaluation, corpus: str) -> Iterator[tuple[ScoredRow, ScoredRow, Measure]]:
    """The rows of systems with each measure that both runs have, whatever table they are in."""
    before, after = (
        {
            (line.row.name, measure): line
            for scores in run.scores
            if scores.corpus == corpus
            for line in scores.lines
            if line.row.system
            for measure in line.cells
        }
        for run in (a, b)
    )
    for key in before:
        if key in after:
            yield before[key], after[key], a.task.measure(key[1])


def _changed_score(change: ScoreChange) -> ReportRow:
    digits = change.measure.digits
    by, p = Cell(difference(change.after - change.before, digits)), "-"
    if change.test:
        _, low, high = change.test.difference
        ends = interval(low, high, digits) if change.samples > 1 else ""
        by = by._replace(detail=ends, strong=change.test.beyond_chance)
        p = p_value(change.test.p_value)
    names = words(change.row.title, change.measure.head, str(change.samples))
    return ReportRow([*names, *words(figure(change.before, digits), figure(change.after, digits)), by, Cell(p)])


def _changed_sample(change: SampleChange, digits: int) -> ReportRow:
    by = difference(change.after - change.before, digits)
    figures = [figure(value, digits) for value in (change.before, change.after)]
    return ReportRow(words(change.sample, change.row.title, *figures, by))


def _choices_section(a: Evaluation, b: Evaluation) -> ReportSection:
    """A line for each choice that is not the same in both."""
    one, other = _choices(a.config), _choices(b.config)
    prompts, others = _prompts(a), _prompts(b)
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    rows = [ReportRow(words(name, one.get(name, _ABSENT), other.get(name, _ABSENT))) for name in names]
    changed = [name for name in prompts if name in others and prompts[name] != others[name]]
    rows += [ReportRow(words(f"prompt {name}", prompts[name], others[name])) for name in changed]
    title = "What differs in how they were run"
    if not rows:
        return ReportSection(title, text="Both runs were made with the same choices, prompts and versions.")
    return ReportSection(title, table=ReportTable(["", "A", "B"], rows, words=3))


def _choices(config: RunConfig) -> dict[str, str]:
    """All that a run was asked for, by dotted name; the time it began is none of it."""
    content = config.model_dump(mode="json", exclude={"task", "begun", "corpora"})
    corpora = {corpus.name: corpus.model_dump(mode="json", exclude={"name"}) for corpus in config.corpora}
    return _flat({**content, "corpora": corpora})


def _flat(value: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, part in value.items():
        if isinstance(part, Mapping):
            found |= _flat(part, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
    return found


def _prompts(evaluation: Evaluation) -> dict[str, str]:
    """The beginning of each prompt's hash; several, if it was changed in the middle of a run."""
    found: dict[str, set[str]] = {}
    for output in evaluation.outputs.values():
        for call in output["calls"]:
            found.setdefault(call["prompt"], set()).add(call["prompt_sha256"][:12])
    return {name: ", ".join(sorted(hashes)) for name, hashes in sorted(found.items())}
