"""Two runs of one task beside each other, over the samples that both have: run B less run A."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from evals.evaluation import Evaluation
from evals.reports.choices import choices_section
from evals.reports.differences import TEST, is_beyond_chance, judgements
from evals.reports.document import Cell, Document, Entry, Grid, Section, words
from evals.reports.markdown import as_markdown
from evals.reports.notation import difference, figure, interval, p_value
from evals.reports.run_changes import Change, Move, changes, moves
from evals.reports.score_table import head
from evals.scores import Contrast
from state.errors import SettingsError

_MOVES = 10
"""So many samples are shown that changed most."""


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
    document = Document(
        title=f"{a.config.task.replace('_', ' ').capitalize()}: two runs compared",
        facts=[f"A: {_run(a)}", f"B: {_run(b)}"],
        summary=[f"Samples in both runs: {len(common)}. All that follows is of these, and is B less A.", TEST],
        sections=[choices_section(a, b), *sections],
    )
    return as_markdown(document)


def _run(run: Evaluation) -> str:
    config = run.config
    return f"begun {config.begun}, Draftroom {config.version}, commit {config.commit or 'unknown'}"


def _sections(a: Evaluation, b: Evaluation, corpus: str, common: Collection[str]) -> Iterator[Section]:
    """What changed in a corpus, and which samples changed most."""
    if found := changes(a, b, corpus, common):
        header = ["row", "measure", "n", "A", "B", "B less A", "p"]
        yield Section(f"Scores, {corpus}", points=_in_words(found), grid=Grid(header, [*map(_changed, found)], words=2))
    if most := moves(a, b, corpus, common)[:_MOVES]:
        digits = a.task.measure(a.task.ranked_by).digits
        grid = Grid(["sample", "row", "A", "B", "B less A"], [_moved(move, digits) for move in most], words=2)
        yield Section(f"Samples that changed most, {corpus}", text=f"By {a.task.ranked_by}.", grid=grid)


def _in_words(found: Sequence[Change]) -> list[str]:
    """A sentence for each row."""
    rows: dict[str, list[Contrast]] = {}
    for change in found:
        if change.contrast:
            rows.setdefault(change.row.title, []).append(change.contrast)
    return [f"{title}: {judgements(contrasts)}." for title, contrasts in rows.items()]


def _changed(change: Change) -> Entry:
    digits = change.measure.digits
    figures = [figure(value, digits) for value in (change.before, change.after)]
    by = Cell(difference(change.after - change.before, digits))
    p = "-"
    if change.contrast:
        _, low, high = change.contrast.difference
        ends = interval(low, high, digits) if change.samples > 1 else ""
        by = by._replace(detail=ends, strong=is_beyond_chance(change.contrast))
        p = p_value(change.contrast.p_value)
    names = words(change.row.title, head(change.measure), str(change.samples))
    return Entry([*names, *words(*figures), by, Cell(p)])


def _moved(move: Move, digits: int) -> Entry:
    figures = [figure(value, digits) for value in (move.before, move.after)]
    by = difference(move.after - move.before, digits)
    return Entry(words(move.sample, move.row.title, *figures, by))
