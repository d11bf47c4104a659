"""The questionnaire of science journalism: what raters within and outside the field think of each system's texts.

Its questions, in our own words (`questions.toml`), and the ends of the scales follow Jiang, Shi and Luo: readability,
information conveyance, authenticity, interestingness, and what the rater knew of the topic, each from 1 to 5.

A rater is within the field of a paper from `within_from` on, on average over what they said of their knowledge of it:
asked again for each text about it, they may answer differently. The paper does not say where it draws the line; by
default it is 3, "I know its basics from my studies or my work", the lowest answer that presupposes some schooling.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from pandas import DataFrame

from evals.human.answers import KNOWLEDGE, QUESTIONNAIRE, RaterAnswer, revealed
from evals.human.blinding import BlindingKey
from evals.reports.document import PAPER, ReportDocument, ReportSection, estimate, figure, table, what_intervals_are
from evals.statistics import clustered_mean

WITHIN_FROM = 3.0

Group = Literal["all", "within", "outside"]


PAPER_MEANS: dict[Group, Mapping[str, tuple[float, ...]]] = {
    "within": {"LLM-CLBR": (3.95, 3.60, 3.70, 3.55), "GPT-4": (3.80, 3.75, 3.80, 3.40)},
    "outside": {"LLM-CLBR": (3.65, 3.40, 3.55, 3.20), "GPT-4": (3.40, 3.55, 3.70, 3.15)},
}
"""Means that Jiang, Shi and Luo report, by system, in the order of the questionnaire's qualities.

Their raters saw the plain summaries and the articles of Qwen1.5-7B alone, too, whose means we do not have.
"""


_COLUMNS: Final = ["sample", "system", "rater", "question", "value"]


def ratings(answers: Iterable[RaterAnswer], key: BlindingKey) -> DataFrame:
    """Lay the key on the answers: a line for each, with `sample`, `system`, `rater`, `question` and `value`, 1 to 5.

    Args:
        answers: In the order in which they were given; of those to the same question the newest counts.
        key: Of these texts.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    lines = [
        (hidden.sample, hidden.systems[0], answer.rater, answer.question, int(answer.value))
        for answer, hidden in revealed(answers, key, QUESTIONNAIRE, systems=1)
    ]
    return DataFrame(lines, columns=_COLUMNS)


def in_group(given: DataFrame, group: Group, within_from: float = WITHIN_FROM) -> DataFrame:
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


def means(given: DataFrame, published: Mapping[str, tuple[float, ...]], *, seed: int = 0) -> DataFrame:
    """Mean ratings by system and question with intervals over samples, and what the paper reports below them.

    Args:
        given: Ratings of a group.
        published: Of this group.
        seed: Of the intervals.
    """
    rows = []
    for system, of_system in given.groupby("system"):
        cells = {
            question: clustered_mean([list(values) for _, values in cell.groupby("sample")["value"]], seed=seed)
            for question, cell in of_system.groupby("question")
        }
        rated = str(of_system.groupby("question").size().max())
        rows.append([str(system), rated, *(estimate(cells.get(question.name)) for question in QUESTIONNAIRE)])
    rows += [[PAPER + system, "-", "-", *map(figure, values)] for system, values in published.items()]
    return table(["system", "ratings", *(question.title for question in QUESTIONNAIRE)], rows)


def ratings_report(given: DataFrame, *, within_from: float = WITHIN_FROM, seed: int = 0) -> ReportDocument:
    """Means with intervals for all raters, those within and those outside the field.

    Args:
        given: All ratings.
        within_from: Mean knowledge of a sample's topic from which on a rater is within its field.
        seed: Of the intervals.
    """
    titles: dict[Group, str] = {
        "all": "All raters",
        "within": f"Within the field: knowledge of the topic {within_from:g} or more",
        "outside": "Outside the field",
    }
    raters, papers = given["rater"].nunique(), given["sample"].nunique()
    return ReportDocument(
        title="Ratings of science journalism",
        facts=[f"{len(given)} answers of {raters} raters to texts about {papers} papers"],
        summary=[f"From 1 to 5, more is better. {what_intervals_are('papers')}"],
        sections=[
            ReportSection(
                title, table=means(in_group(given, group, within_from), PAPER_MEANS.get(group, {}), seed=seed)
            )
            for group, title in titles.items()
        ],
    )
