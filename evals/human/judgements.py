"""The comparisons of focused feedback: who dominates whom, ties, and how far raters agree (SWIF2T).

The criteria, in our own words, follow Chamoun, Schlichtkrull and Vlachos: specificity and actionability, reading
comprehension, overall helpfulness, each as a choice between two comments or a tie.

A comparison that several raters have judged counts once, with the mean of what they gave: the totals that the paper
reports have quarters, which whole and half points alone do not add up to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from pandas import DataFrame, concat

from evals.human.answers import CRITERIA, FIRST, SECOND, TIE, RaterAnswer, revealed
from evals.human.blinding import BlindingKey
from evals.reports.document import PAPER, ReportDocument, ReportSection, estimate, figure, table, what_intervals_are
from evals.statistics import Kappa, clustered_mean, mean_kappa

_POINTS = {FIRST: 1.0, TIE: 0.5, SECOND: 0.0}
"""Of the comment that is shown first; the other one has what is left of 1."""

PAPER_TOTALS = {"SWIF2T": 171.75, "CoVe": 127.5, "human reviews": 121.25, "single GPT-4": 92.5}
"""Dominance totals of overall helpfulness that Chamoun, Schlichtkrull and Vlachos report."""

PAPER_KAPPA = (0.3927, 0.7793)
"""Their Cohen's kappa with and without ties."""
_AGREEMENT = (
    "Cohen's kappa of every two raters, averaged with the number of answers that they share. Without ties: comparisons "
    "that one of the two called a tie are left out. The share of the first is of the comparisons that were decided."
)


_COLUMNS: Final = ["sample", "first", "second", "criterion", "rater", "answer"]


def judgements(answers: Iterable[RaterAnswer], key: BlindingKey) -> DataFrame:
    """Lay the key on the answers: a line for each.

    Its columns are `sample`, `first` and `second` (the systems, as their comments were shown), `criterion`, `rater` and
    `answer`: first, tie or second.

    Args:
        answers: In the order in which they were given; of those to the same question the newest counts.
        key: Of these comparisons.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    lines = [
        (hidden.sample, *hidden.systems, answer.question, answer.rater, answer.value)
        for answer, hidden in revealed(answers, key, CRITERIA, systems=2)
    ]
    return DataFrame(lines, columns=_COLUMNS)


def outcomes(given: DataFrame) -> DataFrame:
    """The `points` of `system` against `other` on each `sample`: 1 for a win, 0.5 for a tie, the mean over raters.

    Args:
        given: By one criterion.
    """
    points = given["answer"].map(_POINTS)
    sides = [("first", "second", points), ("second", "first", 1 - points)]
    lines = [
        DataFrame({"sample": given["sample"], "system": given[one], "other": given[other], "points": won})
        for one, other, won in sides
    ]
    return concat(lines).groupby(["sample", "system", "other"], as_index=False)["points"].mean()


def dominance(given: DataFrame) -> DataFrame:
    """The dominance table: the points of the column's system against the row's, summed over samples.

    Args:
        given: By one criterion.
    """
    return outcomes(given).pivot_table(index="other", columns="system", values="points", aggfunc="sum")


def kappa(given: DataFrame, *, ties: bool) -> Kappa:
    """Cohen's kappa over judgements of the same comparisons.

    Categories are the answers as they were given. As sides are random, no side stands for a system, and chance is what
    guessing would bring about.

    Args:
        given: By one criterion, or by all.
        ties: Whether "no difference" is a category; otherwise comparisons that either of two raters gave it are left
            out of what these two share.
    """
    counted = given if ties else given[given["answer"] != TIE]
    compared = ["sample", "first", "second", "criterion"]
    return mean_kappa({str(rater): dict(of.set_index(compared)["answer"]) for rater, of in counted.groupby("rater")})


def judgements_report(given: DataFrame, *, seed: int = 0) -> ReportDocument:
    """Dominance by each criterion with totals and shares, then ties and how far raters agree.

    Args:
        given: All judgements.
        seed: Of the intervals.
    """
    of_sample = given.groupby("sample")["rater"].nunique()
    published = ", ".join(f"{system} {total:g}" for system, total in PAPER_TOTALS.items())
    by_criterion = {each.title: given[given["criterion"] == each.name] for each in CRITERIA}
    return ReportDocument(
        title="Comparisons of feedback",
        facts=[
            f"{len(given)} judgements of {given['rater'].nunique()} raters on {len(of_sample)} paragraphs, "
            f"{(of_sample > 1).sum()} of which two raters or more have judged"
        ],
        summary=[
            "A cell holds the points of the column's system against the row's: 1 for a win, 0.5 for a tie. A "
            "comparison with several raters counts once, with the mean of their points.",
            f"Shares are of all the points that a system could have won. {what_intervals_are('paragraphs')}",
            f"Totals of overall helpfulness in the paper: {published}.",
        ],
        sections=[
            *(ReportSection(title, table=_dominance(of, seed)) for title, of in by_criterion.items() if len(of)),
            ReportSection("Ties and agreement", _AGREEMENT, table=_agreement({**by_criterion, "all": given})),
        ],
    )


def _dominance(given: DataFrame, seed: int) -> DataFrame:
    """With the totals of the columns, and the shares of the points at stake with intervals over samples."""
    points = dominance(given)
    shares = [
        clustered_mean([list(won) for _, won in of_system.groupby("sample")["points"]], seed=seed)
        for _, of_system in outcomes(given).groupby("system")
    ]
    rows = [[str(row), *map(figure, cells)] for row, cells in zip(points.index, points.to_numpy(), strict=True)]
    rows.append(["total", *map(figure, points.sum())])
    rows.append(["share in %", *(estimate(share, scale=100, digits=1) for share in shares)])
    return table(["", *map(str, points.columns)], rows)


def _agreement(judged: dict[str, DataFrame]) -> DataFrame:
    rows = []
    for title, given in judged.items():
        decided = given[given["answer"] != TIE]["answer"] == FIRST
        row = [title, str(len(given)), _percent((given["answer"] == TIE).mean()), _percent(decided.mean())]
        for found in (kappa(given, ties=True), kappa(given, ties=False)):
            row += [figure(found.kappa, 4), str(found.shared)]
        rows.append(row)
    with_ties, without_ties = (figure(value, 4) for value in PAPER_KAPPA)
    rows.append([f"{PAPER}SWIF2T", "-", "-", "-", with_ties, "-", without_ties, "-"])
    header = ["criterion", "judgements", "ties in %", "first in %", "kappa", "shared", "kappa without ties", "shared"]
    return table(header, rows)


def _percent(share: float) -> str:
    return figure(100 * share, 1)
