"""What comes of the comparisons, beside the figures of the paper (SWIF2T)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from evals.human.cells import estimate, number, percent
from evals.human.judgements import Judgement, dominance, kappa, share_of_first, share_of_ties, shares, totals
from evals.human.questions import CRITERIA, Question
from evals.reports.document import Document, Entry, Grid, Section, words
from evals.reports.notation import what_intervals_are

PAPER_TOTALS = {"SWIF2T": 171.75, "CoVe": 127.5, "human reviews": 121.25, "single GPT-4": 92.5}
"""Dominance totals of overall helpfulness that Chamoun, Schlichtkrull and Vlachos report."""

PAPER_KAPPA = (0.3927, 0.7793)
"""Their Cohen's kappa with and without ties."""


def judgements_report(given: Sequence[Judgement], *, seed: int = 0) -> Document:
    """Dominance by each criterion with totals and shares, then ties and how far raters agree.

    Args:
        given: All judgements.
        seed: Of the intervals.
    """
    raters, paragraphs = {each.rater for each in given}, {each.sample for each in given}
    published = ", ".join(f"{system} {total:g}" for system, total in PAPER_TOTALS.items())
    return Document(
        title="Comparisons of feedback",
        facts=[
            f"{len(given)} judgements of {len(raters)} raters on {len(paragraphs)} paragraphs, "
            f"{_judged_twice(given)} of which two raters or more have judged"
        ],
        summary=[
            "A cell holds the points of the column's system against the row's: 1 for a win, 0.5 for a tie. A "
            "comparison with several raters counts once, with the mean of their points.",
            f"Shares are of all the points that a system could have won. {what_intervals_are('paragraphs')}",
            f"Totals of overall helpfulness in the paper: {published}.",
        ],
        sections=[
            *(Section(each.title, grid=_dominance(of_it, seed)) for each in CRITERIA if (of_it := _by(each, given))),
            Section("Ties and agreement", _AGREEMENT, grid=_agreement(given)),
        ],
    )


def _judged_twice(given: Sequence[Judgement]) -> int:
    """How many paragraphs agreement is computed from."""
    raters: defaultdict[str, set[str]] = defaultdict(set)
    for each in given:
        raters[each.sample].add(each.rater)
    return sum(len(names) > 1 for names in raters.values())


_AGREEMENT = (
    "Cohen's kappa of every two raters, averaged with the number of answers that they share. Without ties: comparisons "
    "that one of the two called a tie are left out. The share of the first is of the comparisons that were decided."
)


def _by(criterion: Question, given: Sequence[Judgement]) -> list[Judgement]:
    return [each for each in given if each.criterion == criterion.name]


def _dominance(given: Sequence[Judgement], seed: int) -> Grid:
    points, won = dominance(given), shares(given, seed=seed)
    rows = [Entry([*words(row), *(number(cells.get(system)) for system in points)]) for row, cells in points.items()]
    total = Entry([*words("total"), *(number(sum_of) for sum_of in totals(points).values())])
    share = Entry([*words("share in %"), *(estimate(won[system], scale=100, digits=1) for system in points)])
    return Grid(["", *points], [*rows, total, share])


def _agreement(given: Sequence[Judgement]) -> Grid:
    with_ties, without_ties = (number(value, 4) for value in PAPER_KAPPA)
    paper = Entry([*words("paper", "-", "-", "-"), with_ties, *words("-"), without_ties, *words("-")], paper=True)
    return Grid(
        ["criterion", "judgements", "ties in %", "first in %", "kappa", "shared", "kappa without ties", "shared"],
        [*(_raters(each.title, _by(each, given)) for each in CRITERIA), _raters("all", given), paper],
    )


def _raters(title: str, given: Sequence[Judgement]) -> Entry:
    with_ties, without_ties = kappa(given, ties=True), kappa(given, ties=False)
    return Entry(
        [
            *words(title, str(len(given))),
            percent(share_of_ties(given)),
            percent(share_of_first(given)),
            number(with_ties.kappa, 4),
            *words(str(with_ties.shared)),
            number(without_ties.kappa, 4),
            *words(str(without_ties.shared)),
        ]
    )
