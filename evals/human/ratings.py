"""The questionnaire of science journalism: what raters within and outside the field think of each system's texts.

Its questions, in our own words, and the ends of the scales follow Jiang, Shi and Luo: readability, information
conveyance, authenticity, interestingness, and what the rater knew of the topic, each from 1 to 5.

A rater is within the field of a paper from `within_from` on, on average over what they said of their knowledge of it:
asked again for each text about it, they may answer differently. The paper does not say where it draws the line; by
default it is 3, "I know its basics from my studies or my work", the lowest answer that presupposes some schooling.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal, NamedTuple

from evals.human.answers import AnswerOption, RaterAnswer, SurveyQuestion, revealed
from evals.human.blinding import BlindingKey
from evals.reports.document import (
    ReportDocument,
    ReportRow,
    ReportSection,
    ReportTable,
    estimate,
    number,
    published_row,
    what_intervals_are,
    words,
)
from evals.statistics import Interval, clustered_mean, krippendorff_alpha

WITHIN_FROM = 3.0

Group = Literal["all", "within", "outside"]


def _scale(*anchors: str) -> tuple[AnswerOption, ...]:
    return tuple(AnswerOption(str(point), f"{point}: {anchor}") for point, anchor in enumerate(anchors, start=1))


KNOWLEDGE = SurveyQuestion(
    "knowledge",
    "Your knowledge",
    "How much did you know about the topic before you read anything here?",
    _scale(
        "I had never heard of it",
        "I had heard of it, but could not have explained it",
        "I know its basics from my studies or my work",
        "I work or do research in this field",
        "I have published on it",
    ),
)

QUALITIES = (
    SurveyQuestion(
        "readability",
        "Readability",
        "How easy is the text to read for somebody outside the field?",
        _scale(
            "I could hardly follow it",
            "Hard: I had to read many sentences twice",
            "Readable with some effort",
            "Easy, but for a few places",
            "Easy from beginning to end",
        ),
    ),
    SurveyQuestion(
        "information",
        "Information",
        "How much does the text tell of the research: what was asked, what was done, what was found, why it matters?",
        _scale(
            "Next to nothing",
            "Some of it, with important parts missing",
            "About half of what I would want to know",
            "Most of it",
            "All that matters",
        ),
    ),
    SurveyQuestion(
        "authenticity",
        "Authenticity",
        "Held against the paper beside it: how far is what the text says true to the research?",
        _scale(
            "Much of it seems wrong or made up",
            "Several statements seem doubtful",
            "I cannot tell",
            "It seems right, but for details",
            "I have no doubt about any of it",
        ),
    ),
    SurveyQuestion(
        "interest",
        "Interest",
        "How interesting is the text?",
        _scale(
            "I would have stopped reading at once",
            "Rather dull",
            "Neither dull nor interesting",
            "I read it with interest",
            "I would tell others about it, or look for more",
        ),
    ),
)
"""What a text of science journalism is rated on."""

QUESTIONNAIRE = (KNOWLEDGE, *QUALITIES)

PAPER: dict[Group, Mapping[str, tuple[float, ...]]] = {
    "within": {"LLM-CLBR": (3.95, 3.60, 3.70, 3.55), "GPT-4": (3.80, 3.75, 3.80, 3.40)},
    "outside": {"LLM-CLBR": (3.65, 3.40, 3.55, 3.20), "GPT-4": (3.40, 3.55, 3.70, 3.15)},
}
"""Means that Jiang, Shi and Luo report, by system, in the order of `QUALITIES`."""


class Rating(NamedTuple):
    """What a rater thinks of a text in one respect."""

    sample: str
    system: str
    rater: str
    question: str
    value: int
    """1 to 5."""


class Summary(NamedTuple):
    """What a group of raters thinks of a system's texts in one respect."""

    system: str
    question: str
    group: Group
    ratings: int
    value: Interval
    """Mean over the ratings; the interval is over samples."""


def ratings(answers: Iterable[RaterAnswer], key: BlindingKey) -> list[Rating]:
    """Lay the key on the answers.

    Args:
        answers: In the order in which they were given; of those to the same question the newest counts.
        key: Of these texts.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    return [
        Rating(hidden.sample, hidden.systems[0], answer.rater, answer.question, int(answer.value))
        for answer, hidden in revealed(answers, key, QUESTIONNAIRE, systems=1)
    ]


def summarise(given: Sequence[Rating], *, within_from: float = WITHIN_FROM, seed: int = 0) -> list[Summary]:
    """Means by system, question and group of raters, sorted; what nobody rated is left out.

    Args:
        given: All ratings.
        within_from: Mean knowledge of a sample's topic from which on a rater is within its field.
        seed: Of the intervals.
    """
    fields = _fields(given, within_from)
    cells: defaultdict[tuple[str, str, Group], defaultdict[str, list[float]]]
    cells = defaultdict(lambda: defaultdict(list))
    for each in given:
        groups: list[Group] = ["all", *fields.get((each.rater, each.sample), [])]
        for group in groups:
            cells[each.system, each.question, group][each.sample].append(each.value)
    return [
        Summary(*cell, sum(map(len, samples.values())), clustered_mean(samples.values(), seed=seed))
        for cell, samples in sorted(cells.items())
    ]


def alphas(given: Iterable[Rating]) -> dict[str, float | None]:
    """Krippendorff's alpha of the ratings of each quality; what raters say of themselves is not to agree."""
    texts: dict[str, defaultdict[tuple[str, str], list[int]]] = {each.name: defaultdict(list) for each in QUALITIES}
    for each in given:
        if each.question in texts:
            texts[each.question][each.sample, each.system].append(each.value)
    return {question: krippendorff_alpha(units.values()) for question, units in texts.items()}


def _fields(given: Iterable[Rating], within_from: float) -> dict[tuple[str, str], list[Group]]:
    """Which group a rater belongs to for a sample."""
    known: defaultdict[tuple[str, str], list[int]] = defaultdict(list)
    for each in given:
        if each.question == KNOWLEDGE.name:
            known[each.rater, each.sample].append(each.value)
    return {about: ["within" if fmean(values) >= within_from else "outside"] for about, values in known.items()}


def ratings_report(given: Sequence[Rating], *, within_from: float = WITHIN_FROM, seed: int = 0) -> ReportDocument:
    """Means with intervals for all raters, those within and those outside the field, and how far raters agree.

    Args:
        given: All ratings.
        within_from: Mean knowledge of a sample's topic from which on a rater is within its field.
        seed: Of the intervals.
    """
    raters, papers = {each.rater for each in given}, {each.sample for each in given}
    summaries = summarise(given, within_from=within_from, seed=seed)
    titles: dict[Group, str] = {
        "all": "All raters",
        "within": f"Within the field: knowledge of the topic {within_from:g} or more",
        "outside": "Outside the field",
    }
    return ReportDocument(
        title="Ratings of science journalism",
        facts=[f"{len(given)} answers of {len(raters)} raters to texts about {len(papers)} papers"],
        summary=[f"From 1 to 5, more is better. {what_intervals_are('papers')}"],
        sections=[
            *(
                ReportSection(
                    title, table=_means([each for each in summaries if each.group == group], PAPER.get(group, {}))
                )
                for group, title in titles.items()
            ),
            ReportSection("Agreement", "Krippendorff's alpha for ordinal data.", table=_agreement(given)),
        ],
    )


def _means(summaries: Sequence[Summary], published: Mapping[str, tuple[float, ...]]) -> ReportTable:
    by_system: dict[str, dict[str, Summary]] = {}
    for each in summaries:
        by_system.setdefault(each.system, {})[each.question] = each
    ours = [_entry(system, cells) for system, cells in by_system.items()]
    papers = [published_row(system, [*words("-", "-"), *map(number, means)]) for system, means in published.items()]
    return ReportTable(["system", "ratings", *(question.title for question in QUESTIONNAIRE)], [*ours, *papers])


def _entry(system: str, cells: Mapping[str, Summary]) -> ReportRow:
    rated = max(cell.ratings for cell in cells.values())
    values = {name: cell.value for name, cell in cells.items()}
    means = (estimate(values.get(question.name)) for question in QUESTIONNAIRE)
    return ReportRow([*words(system, str(rated)), *means])


def _agreement(given: Sequence[Rating]) -> ReportTable:
    found = alphas(given)
    return ReportTable(
        ["quality", "alpha"],
        [ReportRow([*words(quality.title), number(found[quality.name], 3)]) for quality in QUALITIES],
    )
