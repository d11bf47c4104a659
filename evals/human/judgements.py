"""What people said: comparisons of focused feedback (SWIF2T), and ratings of science journalism (LLM-CLBR).

Comparisons tell who dominates whom, ties, and how far raters agree. The criteria, in our own words, follow Chamoun,
Schlichtkrull and Vlachos: specificity and actionability, reading comprehension, overall helpfulness, each as a choice
between two comments or a tie. A comparison that several raters have judged counts once, with the mean of what they
gave: the totals that the paper reports have quarters, which whole and half points alone do not add up to.

The questions on articles, in our own words (`questions.toml`), and the ends of the scales follow Jiang, Shi and Luo:
readability, information conveyance, authenticity, interestingness, and what the rater knew of the topic, each from 1 to
5. A rater is within the field of a paper from `within_from` on, on average over what they said of their knowledge of
it: asked again for each text about it, they may answer differently. The paper does not say where it draws the line; by
default it is 3, "I know its basics from my studies or my work", the lowest answer that presupposes some schooling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from pandas import DataFrame, concat

from evals.human.blinding import BlindingKey
from evals.human.label_studio import (
    CRITERIA,
    FIRST,
    KNOWLEDGE,
    QUESTIONNAIRE,
    SECOND,
    TIE,
    RaterAnswer,
    unblind_answers,
)
from evals.reports.document import (
    PAPER_ROW_PREFIX,
    ReportDocument,
    ReportSection,
    build_table,
    describe_intervals,
    format_decimal,
    format_estimate,
)
from evals.statistics import Kappa, compute_mean_kappa, estimate_clustered_mean

_ANSWER_POINTS = {FIRST: 1.0, TIE: 0.5, SECOND: 0.0}
"""Of the comment that is shown first; the other one has what is left of 1."""

PUBLISHED_TOTALS = {"SWIF2T": 171.75, "CoVe": 127.5, "human reviews": 121.25, "single GPT-4": 92.5}
"""Dominance totals of overall helpfulness that Chamoun, Schlichtkrull and Vlachos report."""

PUBLISHED_KAPPA = (0.3927, 0.7793)
"""Their Cohen's kappa with and without ties."""
_AGREEMENT_NOTE = (
    "Cohen's kappa of every two raters, averaged with the number of answers that they share. Without ties: comparisons "
    "that one of the two called a tie are left out. The share of the first is of the comparisons that were decided."
)


_JUDGEMENT_COLUMNS: Final = ["sample", "first", "second", "criterion", "rater", "answer"]


def tabulate_judgements(answers: Iterable[RaterAnswer], key: BlindingKey) -> DataFrame:
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
        for answer, hidden in unblind_answers(answers, key, CRITERIA, systems=2)
    ]
    return DataFrame(lines, columns=_JUDGEMENT_COLUMNS)


def compute_points(given: DataFrame) -> DataFrame:
    """The `points` of `system` against `other` on each `sample`: 1 for a win, 0.5 for a tie, the mean over raters.

    Args:
        given: By one criterion.
    """
    points = given["answer"].map(_ANSWER_POINTS)
    sides = [("first", "second", points), ("second", "first", 1 - points)]
    lines = [
        DataFrame({"sample": given["sample"], "system": given[one], "other": given[other], "points": won})
        for one, other, won in sides
    ]
    return concat(lines).groupby(["sample", "system", "other"], as_index=False)["points"].mean()


def compute_dominance(given: DataFrame) -> DataFrame:
    """The dominance table: the points of the column's system against the row's, summed over samples.

    Args:
        given: By one criterion.
    """
    return compute_points(given).pivot_table(index="other", columns="system", values="points", aggfunc="sum")


def compute_rater_kappa(given: DataFrame, *, ties: bool) -> Kappa:
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
    return compute_mean_kappa(
        {str(rater): dict(of.set_index(compared)["answer"]) for rater, of in counted.groupby("rater")}
    )


def build_judgements_report(given: DataFrame, *, seed: int = 0) -> ReportDocument:
    """Dominance by each criterion with totals and shares, then ties and how far raters agree.

    Args:
        given: All judgements.
        seed: Of the intervals.
    """
    of_sample = given.groupby("sample")["rater"].nunique()
    published = ", ".join(f"{system} {total:g}" for system, total in PUBLISHED_TOTALS.items())
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
            f"Shares are of all the points that a system could have won. {describe_intervals('paragraphs')}",
            f"Totals of overall helpfulness in the paper: {published}.",
        ],
        sections=[
            *(
                ReportSection(title, table=_tabulate_dominance(of, seed))
                for title, of in by_criterion.items()
                if len(of)
            ),
            ReportSection(
                "Ties and agreement", _AGREEMENT_NOTE, table=_tabulate_agreement({**by_criterion, "all": given})
            ),
        ],
    )


def _tabulate_dominance(given: DataFrame, seed: int) -> DataFrame:
    """With the totals of the columns, and the shares of the points at stake with intervals over samples."""
    points = compute_dominance(given)
    shares = [
        estimate_clustered_mean([list(won) for _, won in of_system.groupby("sample")["points"]], seed=seed)
        for _, of_system in compute_points(given).groupby("system")
    ]
    rows = [[str(row), *map(format_decimal, cells)] for row, cells in zip(points.index, points.to_numpy(), strict=True)]
    rows.append(["total", *map(format_decimal, points.sum())])
    rows.append(["share in %", *(format_estimate(share, scale=100, digits=1) for share in shares)])
    return build_table(["", *map(str, points.columns)], rows)


def _tabulate_agreement(judged: dict[str, DataFrame]) -> DataFrame:
    rows = []
    for title, given in judged.items():
        decided = given[given["answer"] != TIE]["answer"] == FIRST
        row = [
            title,
            str(len(given)),
            _format_percent((given["answer"] == TIE).mean()),
            _format_percent(decided.mean()),
        ]
        for found in (compute_rater_kappa(given, ties=True), compute_rater_kappa(given, ties=False)):
            row += [format_decimal(found.kappa, 4), str(found.shared)]
        rows.append(row)
    with_ties, without_ties = (format_decimal(value, 4) for value in PUBLISHED_KAPPA)
    rows.append([f"{PAPER_ROW_PREFIX}SWIF2T", "-", "-", "-", with_ties, "-", without_ties, "-"])
    header = ["criterion", "judgements", "ties in %", "first in %", "kappa", "shared", "kappa without ties", "shared"]
    return build_table(header, rows)


def _format_percent(share: float) -> str:
    return format_decimal(100 * share, 1)


FIELD_KNOWLEDGE_THRESHOLD = 3.0

RaterGroup = Literal["all", "within", "outside"]


PUBLISHED_MEANS: dict[RaterGroup, Mapping[str, tuple[float, ...]]] = {
    "within": {"LLM-CLBR": (3.95, 3.60, 3.70, 3.55), "GPT-4": (3.80, 3.75, 3.80, 3.40)},
    "outside": {"LLM-CLBR": (3.65, 3.40, 3.55, 3.20), "GPT-4": (3.40, 3.55, 3.70, 3.15)},
}
"""Means that Jiang, Shi and Luo report, by system, in the order of the questionnaire's qualities.

Their raters saw the plain summaries and the articles of Qwen1.5-7B alone, too, whose means we do not have.
"""


_RATING_COLUMNS: Final = ["sample", "system", "rater", "question", "value"]


def tabulate_ratings(answers: Iterable[RaterAnswer], key: BlindingKey) -> DataFrame:
    """Lay the key on the answers: a line for each, with `sample`, `system`, `rater`, `question` and `value`, 1 to 5.

    Args:
        answers: In the order in which they were given; of those to the same question the newest counts.
        key: Of these texts.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    lines = [
        (hidden.sample, hidden.systems[0], answer.rater, answer.question, int(answer.value))
        for answer, hidden in unblind_answers(answers, key, QUESTIONNAIRE, systems=1)
    ]
    return DataFrame(lines, columns=_RATING_COLUMNS)


def select_rater_group(
    given: DataFrame, group: RaterGroup, within_from: float = FIELD_KNOWLEDGE_THRESHOLD
) -> DataFrame:
    """The ratings of raters within or outside the field of what they rated; of all raters, those who said neither, too.

    Args:
        given: All ratings.
        group: Which ones.
        within_from: Mean knowledge of a sample's topic from which on a rater is within its field.
    """
    if group == "all":
        return given
    known = given[given["question"] == KNOWLEDGE.name].groupby(["rater", "sample"])["value"].mean()
    chosen = known[(known >= within_from) == (group == "within")].index
    return given[given.set_index(["rater", "sample"]).index.isin(chosen)]


def tabulate_means(given: DataFrame, published: Mapping[str, tuple[float, ...]], *, seed: int = 0) -> DataFrame:
    """Mean ratings by system and question with intervals over samples, and what the paper reports below them.

    Args:
        given: Ratings of a group.
        published: Of this group.
        seed: Of the intervals.
    """
    rows = []
    for system, of_system in given.groupby("system"):
        cells = {
            question: estimate_clustered_mean(
                [list(values) for _, values in cell.groupby("sample")["value"]], seed=seed
            )
            for question, cell in of_system.groupby("question")
        }
        rated = str(of_system.groupby("question").size().max())
        rows.append([str(system), rated, *(format_estimate(cells.get(question.name)) for question in QUESTIONNAIRE)])
    rows += [
        [PAPER_ROW_PREFIX + system, "-", "-", *map(format_decimal, values)] for system, values in published.items()
    ]
    return build_table(["system", "ratings", *(question.title for question in QUESTIONNAIRE)], rows)


def build_ratings_report(
    given: DataFrame, *, within_from: float = FIELD_KNOWLEDGE_THRESHOLD, seed: int = 0
) -> ReportDocument:
    """Means with intervals for all raters, those within and those outside the field.

    Args:
        given: All ratings.
        within_from: Mean knowledge of a sample's topic from which on a rater is within its field.
        seed: Of the intervals.
    """
    titles: dict[RaterGroup, str] = {
        "all": "All raters",
        "within": f"Within the field: knowledge of the topic {within_from:g} or more",
        "outside": "Outside the field",
    }
    raters, papers = given["rater"].nunique(), given["sample"].nunique()
    return ReportDocument(
        title="Ratings of science journalism",
        facts=[f"{len(given)} answers of {raters} raters to texts about {papers} papers"],
        summary=[f"From 1 to 5, more is better. {describe_intervals('papers')}"],
        sections=[
            ReportSection(
                title,
                table=tabulate_means(
                    select_rater_group(given, group, within_from), PUBLISHED_MEANS.get(group, {}), seed=seed
                ),
            )
            for group, title in titles.items()
        ],
    )
