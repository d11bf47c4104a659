"""Results of human evaluations: comparisons of focused feedback (SWIF2T) and ratings of science journalism (LLM-CLBR).

Comparisons give a dominance table, the share of ties, and the agreement of raters. The criteria, in Draftroom's
wording, follow Chamoun, Schlichtkrull and Vlachos: specificity and actionability, reading comprehension, overall
helpfulness, each as a choice between two comments or a tie. A comparison with several raters counts once, with the mean
of their points: the paper's totals have quarters, which cannot result from whole and half points.

The questions on articles, in Draftroom's wording (`questions.toml`), and the ends of the scales follow Jiang, Shi and
Luo: readability, information conveyance, authenticity, interestingness, and the rater's knowledge of the topic, each
from 1 to 5. A rater is within the field of a paper if the mean of their answers on its topic, which are asked again
for each text, is at least `within_from`. The paper does not give its threshold. The default is 3, "I know its basics
from my studies or my work", the lowest answer that presupposes some schooling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

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
    SurveyQuestion,
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
from state.errors import InputError

# Points of the comment that is shown first; the points of the two comments add up to 1.
_ANSWER_POINTS = {FIRST: 1.0, TIE: 0.5, SECOND: 0.0}

# From Chamoun, Schlichtkrull and Vlachos: dominance totals of overall helpfulness, kappa with and without ties.
PUBLISHED_TOTALS = {"SWIF2T": 171.75, "CoVe": 127.5, "human reviews": 121.25, "single GPT-4": 92.5}
PUBLISHED_KAPPA = (0.3927, 0.7793)

_AGREEMENT_NOTE = (
    "Cohen's kappa of every two raters, averaged with the number of answers that they share. Without ties: comparisons "
    "that one of the two called a tie are left out. The share of the first is of the comparisons that were decided."
)


def tabulate_answers(
    answers: Iterable[RaterAnswer], key: BlindingKey, questions: Sequence[SurveyQuestion], sides: Sequence[str]
) -> DataFrame:
    """Tabulate each rater's last answer to each question on an item, with the item's systems; `answers` by their time.

    Returns:
        A row for each answer: `sample`, the system on each of the `sides`, in the order shown, `question`, `rater` and
        `value`.

    Raises:
        InputError: The key belongs to other tasks, or an answer was not offered.
    """
    offered = {(question.name, value) for question in questions for value in question.options}
    # Raters may change their mind: the last answer to a question counts.
    newest = {(each.rater, each.item, each.question): each for each in answers}
    rows = []
    for answer in newest.values():
        if (answer.question, answer.value) not in offered:
            raise InputError(
                f"{answer.rater!r} answered {answer.value!r} to {answer.question!r} of {answer.item!r}, which was not "
                "offered; give the answers that belong to this key."
            )
        hidden = key.find_hidden_item(answer.item, len(sides))
        rows.append((hidden.sample, *hidden.systems, answer.question, answer.rater, answer.value))
    return DataFrame(rows, columns=["sample", *sides, "question", "rater", "value"])


def compute_comparison_points(given: DataFrame) -> DataFrame:
    """Tabulate the `points` (0 to 1, mean over raters) of each `system` against each `other` on each `sample`."""
    points = given["value"].map(_ANSWER_POINTS)
    # Each judgement gives a line for either side, whose points add up to 1.
    sides = [("first", "second", points), ("second", "first", 1 - points)]
    lines = [
        DataFrame({"sample": given["sample"], "system": given[one], "other": given[other], "points": won})
        for one, other, won in sides
    ]
    return concat(lines).groupby(["sample", "system", "other"], as_index=False)["points"].mean()


def compute_dominance(given: DataFrame) -> DataFrame:
    """Tabulate the points of each system (column) against each other (row), summed over samples; one criterion."""
    return compute_comparison_points(given).pivot_table(index="other", columns="system", values="points", aggfunc="sum")


def compute_rater_kappa(given: DataFrame, *, ties: bool) -> Kappa:
    """Compute the raters' mean Cohen's kappa over the comparisons that two of them share, with or without ties."""
    # Categories are the answers as given. Sides are random, so chance agreement is that of guessing.
    # Without ties, two raters share only the comparisons that neither called a tie.
    counted = given if ties else given[given["value"] != TIE]
    compared = ["sample", "first", "second", "question"]
    answers = {str(rater): dict(rows.set_index(compared)["value"]) for rater, rows in counted.groupby("rater")}
    return compute_mean_kappa(answers)


def build_judgements_report(given: DataFrame, *, seed: int = 0) -> ReportDocument:
    """Build the report of comparisons: dominance by each criterion, ties, and the agreement of raters."""
    raters = given.groupby("sample")["rater"].nunique()
    published = ", ".join(f"{system} {total:g}" for system, total in PUBLISHED_TOTALS.items())
    by_criterion = {each.title: given[given["question"] == each.name] for each in CRITERIA}
    dominance = [
        ReportSection(title, table=_tabulate_dominance(judged, seed))
        for title, judged in by_criterion.items()
        if len(judged)
    ]
    agreement = _tabulate_agreement({**by_criterion, "all": given})
    return ReportDocument(
        title="Comparisons of feedback",
        facts=[
            f"{len(given)} judgements of {given['rater'].nunique()} raters on {len(raters)} paragraphs, "
            f"{(raters > 1).sum()} of which two raters or more have judged"
        ],
        summary=[
            "A cell holds the points of the column's system against the row's: 1 for a win, 0.5 for a tie. A "
            "comparison with several raters counts once, with the mean of their points.",
            f"Shares are of all the points that a system could have won. {describe_intervals('paragraphs')}",
            f"Totals of overall helpfulness in the paper: {published}.",
        ],
        sections=[*dominance, ReportSection("Ties and agreement", _AGREEMENT_NOTE, table=agreement)],
    )


def _tabulate_dominance(given: DataFrame, seed: int) -> DataFrame:
    """Tabulate, as text, dominance by one criterion, totals, and shares in % of the possible points."""
    points = compute_dominance(given)
    shares = [
        estimate_clustered_mean(own["points"], own["sample"], seed=seed)
        for _, own in compute_comparison_points(given).groupby("system")
    ]
    rows = [[str(row), *map(format_decimal, cells)] for row, cells in zip(points.index, points.to_numpy(), strict=True)]
    rows.append(["total", *map(format_decimal, points.sum())])
    rows.append(["share in %", *(format_estimate(share, scale=100, digits=1) for share in shares)])
    return build_table(["", *map(str, points.columns)], rows)


def _tabulate_agreement(judged: dict[str, DataFrame]) -> DataFrame:
    """Tabulate ties, the share of the comment shown first, and kappa by criterion, and the paper's kappa."""
    rows = []
    for title, given in judged.items():
        ties = given["value"] == TIE
        # A share of the first comment far from 50 % would show a bias of the raters towards a side.
        shares = (ties.mean(), (given[~ties]["value"] == FIRST).mean())
        row = [title, str(len(given)), *(format_decimal(100 * share, 1) for share in shares)]
        for found in (compute_rater_kappa(given, ties=True), compute_rater_kappa(given, ties=False)):
            row += [format_decimal(found.kappa, 4), str(found.shared)]
        rows.append(row)
    with_ties, without_ties = (format_decimal(value, 4) for value in PUBLISHED_KAPPA)
    rows.append([f"{PAPER_ROW_PREFIX}SWIF2T", "-", "-", "-", with_ties, "-", without_ties, "-"])
    header = ["criterion", "judgements", "ties in %", "first in %", "kappa", "shared", "kappa without ties", "shared"]
    return build_table(header, rows)


FIELD_KNOWLEDGE_THRESHOLD = 3.0  # see the docstring of the module

RaterGroup = Literal["all", "within", "outside"]

# From Jiang, Shi and Luo, in the order of the questionnaire's qualities. Their raters also saw the plain summaries and
# the articles of Qwen1.5-7B alone, whose means are not available.
PUBLISHED_MEANS: dict[RaterGroup, Mapping[str, tuple[float, ...]]] = {
    "within": {"LLM-CLBR": (3.95, 3.60, 3.70, 3.55), "GPT-4": (3.80, 3.75, 3.80, 3.40)},
    "outside": {"LLM-CLBR": (3.65, 3.40, 3.55, 3.20), "GPT-4": (3.40, 3.55, 3.70, 3.15)},
}


def select_rater_group(
    given: DataFrame, group: RaterGroup, within_from: float = FIELD_KNOWLEDGE_THRESHOLD
) -> DataFrame:
    """Return all ratings, or those by raters within the field (mean knowledge at least `within_from`) or outside it."""
    # All raters include those who did not answer the question on their knowledge.
    if group == "all":
        return given
    known = given[given["question"] == KNOWLEDGE.name].groupby(["rater", "sample"])["value"].mean()
    chosen = known[(known >= within_from) == (group == "within")].index
    return given[given.set_index(["rater", "sample"]).index.isin(chosen)]


def tabulate_means(given: DataFrame, published: Mapping[str, tuple[float, ...]], *, seed: int = 0) -> DataFrame:
    """Tabulate, as text, mean ratings by system and question, then the published means of this group of raters."""
    rows = []
    for system, own in given.groupby("system"):
        cells = {}
        for question, answers in own.groupby("question"):
            # Ratings of a sample by several raters are not independent.
            cells[question] = estimate_clustered_mean(answers["value"], answers["sample"], seed=seed)
        rated = str(own.groupby("question").size().max())
        rows.append([str(system), rated, *(format_estimate(cells.get(question.name)) for question in QUESTIONNAIRE)])
    rows += [
        [PAPER_ROW_PREFIX + system, "-", "-", *map(format_decimal, values)] for system, values in published.items()
    ]
    return build_table(["system", "ratings", *(question.title for question in QUESTIONNAIRE)], rows)


def build_ratings_report(
    given: DataFrame, *, within_from: float = FIELD_KNOWLEDGE_THRESHOLD, seed: int = 0
) -> ReportDocument:
    """Build the report of ratings: means of all raters, and of those within and outside the field."""
    titles: dict[RaterGroup, str] = {
        "all": "All raters",
        "within": f"Within the field: knowledge of the topic {within_from:g} or more",
        "outside": "Outside the field",
    }
    given = given.astype({"value": int})
    raters, papers = given["rater"].nunique(), given["sample"].nunique()
    sections = []
    for group, title in titles.items():
        ratings = select_rater_group(given, group, within_from)
        table = tabulate_means(ratings, PUBLISHED_MEANS.get(group, {}), seed=seed)
        sections.append(ReportSection(title, table=table))
    return ReportDocument(
        title="Ratings of science journalism",
        facts=[f"{len(given)} answers of {raters} raters to texts about {papers} papers"],
        summary=[f"From 1 to 5, more is better. {describe_intervals('papers')}"],
        sections=sections,
    )
