"""What differs between the rows of a table and its baseline, and what of it is beyond chance."""

from __future__ import annotations

from collections.abc import Sequence

from evals.reports.document import Cell, Entry, Grid, Section, words
from evals.reports.notation import CHANCE, difference, interval, p_value
from evals.reports.score_table import head
from evals.scores import Contrast, Scores

TEST = (
    f"Beyond chance: p < {CHANCE} in a paired randomisation test over the samples, two-sided, corrected for all rows "
    "of a measure (Holm)."
)

_UNDECIDED = "not beyond chance:"
_JUDGEMENTS = ("better in", "worse in", "higher in", "lower in", _UNDECIDED)
"""In this order; the third and fourth of measures of which neither way is better."""


def difference_sections(scores: Scores) -> list[Section]:
    """In words, and then in figures; none if nothing can be compared."""
    if not scores.contrasts:
        return []
    title = f"Against {scores.contrasts[0].baseline.title}, {scores.corpus}"
    rows = _by_row(scores.contrasts)
    points = [f"{contrasts[0].row.title}: {judgements(contrasts)}." for contrasts in rows]
    return [
        Section(title, points=points, level=3),
        Section(f"{title}, in figures", grid=_grid(rows), level=3, detail=not scores.table.comparison),
    ]


def is_beyond_chance(contrast: Contrast) -> bool:
    """Whether a difference is unlikely to be luck of the samples."""
    return contrast.p_value < CHANCE


def judgements(contrasts: Sequence[Contrast]) -> str:
    """What the differences of one row say, in words: "better in FKGL, ARI; not beyond chance: SARI"."""
    found: dict[str, list[str]] = {}
    for contrast in contrasts:
        found.setdefault(_judgement(contrast), []).append(contrast.measure.name)
    return "; ".join(f"{each} {', '.join(found[each])}" for each in _JUDGEMENTS if each in found)


def _judgement(contrast: Contrast) -> str:
    rises = contrast.difference.mean > 0
    if not is_beyond_chance(contrast):
        return _UNDECIDED
    if contrast.measure.better == "neither":
        return "higher in" if rises else "lower in"
    return "better in" if rises == (contrast.measure.better == "higher") else "worse in"


def _by_row(contrasts: Sequence[Contrast]) -> list[list[Contrast]]:
    found: dict[str, list[Contrast]] = {}
    for contrast in contrasts:
        found.setdefault(contrast.row.name, []).append(contrast)
    return list(found.values())


def _grid(rows: Sequence[Sequence[Contrast]]) -> Grid:
    measures = {contrast.measure.name: contrast.measure for contrasts in rows for contrast in contrasts}
    entries = []
    for contrasts in rows:
        most = max(contrast.samples for contrast in contrasts)
        cells = {contrast.measure.name: _cell(contrast, most) for contrast in contrasts}
        shown = [cells.get(name, Cell("-")) for name in measures]
        entries.append(Entry([*words(contrasts[0].row.title, str(most)), *shown]))
    return Grid(["", "n", *map(head, measures.values())], entries)


def _cell(contrast: Contrast, most: int) -> Cell:
    """A difference, bold if it is beyond chance."""
    mean, low, high = contrast.difference
    digits = contrast.measure.digits
    details = [
        interval(low, high, digits) if contrast.samples > 1 else "",
        p_value(contrast.p_value),
        f"n = {contrast.samples}" if contrast.samples < most else "",
    ]
    return Cell(difference(mean, digits), ", ".join(filter(None, details)), strong=is_beyond_chance(contrast))
