"""The comparisons of focused feedback: who dominates whom, ties, and how far raters agree (SWIF2T).

A comparison that several raters have judged counts once, with the mean of what they gave: the totals that the paper
reports have quarters, which whole and half points alone do not add up to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from evals.human.agreement import Kappa, mean_kappa
from evals.human.answers import Answer, revealed
from evals.human.blinding import Key
from evals.human.intervals import clustered_mean
from evals.human.questions import CRITERIA, FIRST, SECOND, TIE
from evals.metrics.bootstrap import Interval

_POINTS = {FIRST: 1.0, TIE: 0.5, SECOND: 0.0}
"""Of the comment that is shown first; the other one has what is left of 1."""

Dominance = dict[str, dict[str, float]]
"""By row, then by column: the points that the column's system won against the row's."""


class Judgement(NamedTuple):
    """Which of two comments a rater prefers by one criterion."""

    sample: str
    first: str
    """System of the comment that was shown first."""
    second: str
    criterion: str
    rater: str
    answer: str
    """`first`, `tie` or `second`."""


class Outcome(NamedTuple):
    """What came of a comparison by one criterion, over all its raters."""

    sample: str
    criterion: str
    one: str
    """System."""
    other: str
    points: float
    """Of the one, 0 to 1; the other has the rest."""


def judgements(answers: Iterable[Answer], key: Key) -> list[Judgement]:
    """Lay the key on the answers.

    Args:
        answers: In the order in which they were given; of those to the same question the newest counts.
        key: Of these comparisons.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    return [
        Judgement(hidden.sample, first, second, answer.question, answer.rater, answer.value)
        for answer, hidden in revealed(answers, key, CRITERIA, systems=2)
        for first, second in [hidden.systems]
    ]


def outcomes(given: Iterable[Judgement]) -> list[Outcome]:
    """What came of every comparison, as the mean over its raters."""
    points: defaultdict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for each in given:
        won = _POINTS[each.answer]
        one, other = sorted((each.first, each.second))
        points[each.sample, each.criterion, one, other].append(won if one == each.first else 1 - won)
    return [Outcome(*compared, fmean(values)) for compared, values in points.items()]


def dominance(given: Iterable[Judgement]) -> Dominance:
    """The dominance table: 1 for a win of the column's system over the row's, 0.5 for a tie, summed over samples.

    Args:
        given: By one criterion.
    """
    found = outcomes(given)
    systems = sorted({system for each in found for system in (each.one, each.other)})
    table = {row: {column: 0.0 for column in systems if column != row} for row in systems}
    for each in found:
        table[each.other][each.one] += each.points
        table[each.one][each.other] += 1 - each.points
    return table


def totals(table: Dominance) -> dict[str, float]:
    """Points of each system against all others: the sums of the columns."""
    return {system: sum(row[system] for row in table.values() if system in row) for system in table}


def shares(given: Iterable[Judgement], *, seed: int = 0) -> dict[str, Interval]:
    """The share of the points at stake that each system won, with an interval over samples.

    Args:
        given: By one criterion.
        seed: Of the intervals.
    """
    won: defaultdict[str, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for each in outcomes(given):
        won[each.one][each.sample].append(each.points)
        won[each.other][each.sample].append(1 - each.points)
    return {system: clustered_mean(samples.values(), seed=seed) for system, samples in sorted(won.items())}


def share_of_ties(given: Sequence[Judgement]) -> float | None:
    """How many judgements say that there is no difference, 0 to 1; None if there are no judgements."""
    return fmean(each.answer == TIE for each in given) if given else None


def share_of_first(given: Iterable[Judgement]) -> float | None:
    """How often the comment that is shown first wins, ties apart: far from 0.5, raters go by the position."""
    decided = [each.answer == FIRST for each in given if each.answer != TIE]
    return fmean(decided) if decided else None


def kappa(given: Iterable[Judgement], *, ties: bool) -> Kappa:
    """Cohen's kappa over judgements of the same comparisons.

    Categories are the answers as they were given. As sides are random, no side stands for a system, and chance is what
    guessing would bring about.

    Args:
        given: By one criterion, or by all.
        ties: Whether "no difference" is a category; otherwise comparisons that either of two raters gave it are left
            out of what these two share.
    """
    by_rater: defaultdict[str, dict[tuple[str, ...], str]] = defaultdict(dict)
    for each in given:
        if ties or each.answer != TIE:
            by_rater[each.rater][each.sample, each.first, each.second, each.criterion] = each.answer
    return mean_kappa(by_rater)
