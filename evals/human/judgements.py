"""The comparisons of focused feedback: who dominates whom, ties, and how far raters agree (SWIF2T).

The criteria, in our own words, follow Chamoun, Schlichtkrull and Vlachos: specificity and actionability, reading
comprehension, overall helpfulness, each as a choice between two comments or a tie.

A comparison that several raters have judged counts once, with the mean of what they gave: the totals that the paper
reports have quarters, which whole and half points alone do not add up to.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from evals.human.answers import AnswerOption, RaterAnswer, SurveyQuestion, revealed
from evals.human.blinding import BlindingKey
from evals.reports.document import (
    ReportDocument,
    ReportRow,
    ReportSection,
    ReportTable,
    estimate,
    number,
    percent,
    what_intervals_are,
    words,
)
from evals.statistics import Interval, Kappa, clustered_mean, mean_kappa

FIRST, TIE, SECOND = "first", "tie", "second"
_CHOICE = (
    AnswerOption(FIRST, "The first is better"),
    AnswerOption(TIE, "No difference"),
    AnswerOption(SECOND, "The second is better"),
)

CRITERIA = (
    SurveyQuestion(
        "specificity",
        "Specificity and actionability",
        "Which comment says more exactly what is wrong and where, and what the author can do about it?",
        _CHOICE,
    ),
    SurveyQuestion(
        "comprehension",
        "Reading comprehension",
        "Which comment shows that its writer has understood the paragraph, and the paper around it, better?",
        _CHOICE,
    ),
    SurveyQuestion(
        "helpfulness",
        "Overall helpfulness",
        "All in all, which comment would help the author more to improve the paper?",
        _CHOICE,
    ),
)
"""What two comments are compared on."""

GUIDELINES = (
    "You will see a paragraph of a scientific paper and two comments on it. Imagine that you wrote the paragraph and "
    "are about to revise it.",
    "Read the paragraph first, then both comments. Open the paper where you need to know more: whether a comment is "
    "right often depends on what stands elsewhere in it.",
    "Answer the three questions one by one. A comment may win one and lose another: a precise remark may rest on a "
    "misreading, and a correct one may be too vague to act on.",
    "Judge what a comment says. Its length, its tone and its English are not asked for, and neither is whether you "
    "would have written it.",
    "A comment that finds fault where there is none, or asks for what the paper already has, does not help, however "
    "specific it is. A comment that says there is nothing to criticise helps if that is so.",
    "Choose “No difference” when you would not mind which of the two you got, not when you are in doubt.",
    "The two stand in random order, and nothing tells who or what wrote them. Please do not guess, and do not talk "
    "about a comparison with other raters before all have finished.",
)
"""What raters of comments are told, a paragraph each."""

_POINTS = {FIRST: 1.0, TIE: 0.5, SECOND: 0.0}
"""Of the comment that is shown first; the other one has what is left of 1."""

Dominance = dict[str, dict[str, float]]
"""By row, then by column: the points that the column's system won against the row's."""

PAPER_TOTALS = {"SWIF2T": 171.75, "CoVe": 127.5, "human reviews": 121.25, "single GPT-4": 92.5}
"""Dominance totals of overall helpfulness that Chamoun, Schlichtkrull and Vlachos report."""

PAPER_KAPPA = (0.3927, 0.7793)
"""Their Cohen's kappa with and without ties."""
_AGREEMENT = (
    "Cohen's kappa of every two raters, averaged with the number of answers that they share. Without ties: comparisons "
    "that one of the two called a tie are left out. The share of the first is of the comparisons that were decided."
)


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


class ComparisonResult(NamedTuple):
    """What came of a comparison by one criterion, over all its raters."""

    sample: str
    criterion: str
    one: str
    """System."""
    other: str
    points: float
    """Of the one, 0 to 1; the other has the rest."""


def judgements(answers: Iterable[RaterAnswer], key: BlindingKey) -> list[Judgement]:
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


def outcomes(given: Iterable[Judgement]) -> list[ComparisonResult]:
    """What came of every comparison, as the mean over its raters."""
    points: defaultdict[tuple[str, str, str, str], list[float]] = defaultdict(list)
    for each in given:
        won = _POINTS[each.answer]
        one, other = sorted((each.first, each.second))
        points[each.sample, each.criterion, one, other].append(won if one == each.first else 1 - won)
    return [ComparisonResult(*compared, fmean(values)) for compared, values in points.items()]


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


def judgements_report(given: Sequence[Judgement], *, seed: int = 0) -> ReportDocument:
    """Dominance by each criterion with totals and shares, then ties and how far raters agree.

    Args:
        given: All judgements.
        seed: Of the intervals.
    """
    raters, paragraphs = {each.rater for each in given}, {each.sample for each in given}
    published = ", ".join(f"{system} {total:g}" for system, total in PAPER_TOTALS.items())
    return ReportDocument(
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
            *(
                ReportSection(each.title, table=_dominance(of_it, seed))
                for each in CRITERIA
                if (of_it := _by(each, given))
            ),
            ReportSection("Ties and agreement", _AGREEMENT, table=_agreement(given)),
        ],
    )


def _judged_twice(given: Sequence[Judgement]) -> int:
    """How many paragraphs agreement is computed from."""
    raters: defaultdict[str, set[str]] = defaultdict(set)
    for each in given:
        raters[each.sample].add(each.rater)
    return sum(len(names) > 1 for names in raters.values())


def _by(criterion: SurveyQuestion, given: Sequence[Judgement]) -> list[Judgement]:
    return [each for each in given if each.criterion == criterion.name]


def _dominance(given: Sequence[Judgement], seed: int) -> ReportTable:
    points, won = dominance(given), shares(given, seed=seed)
    rows = [
        ReportRow([*words(row), *(number(cells.get(system)) for system in points)]) for row, cells in points.items()
    ]
    total = ReportRow([*words("total"), *(number(sum_of) for sum_of in totals(points).values())])
    share = ReportRow([*words("share in %"), *(estimate(won[system], scale=100, digits=1) for system in points)])
    return ReportTable(["", *points], [*rows, total, share])


def _agreement(given: Sequence[Judgement]) -> ReportTable:
    with_ties, without_ties = (number(value, 4) for value in PAPER_KAPPA)
    paper = ReportRow([*words("paper", "-", "-", "-"), with_ties, *words("-"), without_ties, *words("-")], paper=True)
    return ReportTable(
        ["criterion", "judgements", "ties in %", "first in %", "kappa", "shared", "kappa without ties", "shared"],
        [*(_raters(each.title, _by(each, given)) for each in CRITERIA), _raters("all", given), paper],
    )


def _raters(title: str, given: Sequence[Judgement]) -> ReportRow:
    with_ties, without_ties = kappa(given, ties=True), kappa(given, ties=False)
    return ReportRow(
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
