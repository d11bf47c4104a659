"""What comes of the questionnaire, beside the figures of the paper (LLM-CLBR)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evals.human.cells import estimate, number
from evals.human.questions import QUALITIES, QUESTIONNAIRE
from evals.human.ratings import WITHIN_FROM, Group, Rating, Summary, alphas, summarise
from evals.reports.document import Document, Entry, Grid, Section, papers_entry, words
from evals.reports.notation import what_intervals_are

Published = Mapping[str, tuple[float, ...]]
"""By system, in the order of `QUALITIES`."""

PAPER: dict[Group, Published] = {
    "within": {"LLM-CLBR": (3.95, 3.60, 3.70, 3.55), "GPT-4": (3.80, 3.75, 3.80, 3.40)},
    "outside": {"LLM-CLBR": (3.65, 3.40, 3.55, 3.20), "GPT-4": (3.40, 3.55, 3.70, 3.15)},
}
"""Means that Jiang, Shi and Luo report."""


def ratings_report(given: Sequence[Rating], *, within_from: float = WITHIN_FROM, seed: int = 0) -> Document:
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
    return Document(
        title="Ratings of science journalism",
        facts=[f"{len(given)} answers of {len(raters)} raters to texts about {len(papers)} papers"],
        summary=[f"From 1 to 5, more is better. {what_intervals_are('papers')}"],
        sections=[
            *(
                Section(title, grid=_means([each for each in summaries if each.group == group], PAPER.get(group, {})))
                for group, title in titles.items()
            ),
            Section("Agreement", "Krippendorff's alpha for ordinal data.", grid=_agreement(given)),
        ],
    )


def _means(summaries: Sequence[Summary], published: Published) -> Grid:
    by_system: dict[str, dict[str, Summary]] = {}
    for each in summaries:
        by_system.setdefault(each.system, {})[each.question] = each
    ours = [_entry(system, cells) for system, cells in by_system.items()]
    papers = [papers_entry(system, [*words("-", "-"), *map(number, means)]) for system, means in published.items()]
    return Grid(["system", "ratings", *(question.title for question in QUESTIONNAIRE)], [*ours, *papers])


def _entry(system: str, cells: Mapping[str, Summary]) -> Entry:
    rated = max(cell.ratings for cell in cells.values())
    values = {name: cell.value for name, cell in cells.items()}
    means = (estimate(values.get(question.name)) for question in QUESTIONNAIRE)
    return Entry([*words(system, str(rated)), *means])


def _agreement(given: Sequence[Rating]) -> Grid:
    found = alphas(given)
    return Grid(
        ["quality", "alpha"],
        [Entry([*words(quality.title), number(found[quality.name], 3)]) for quality in QUALITIES],
    )
