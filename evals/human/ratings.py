"""The questionnaire of science journalism: what raters within and outside the field think of each system's texts.

A rater is within the field of a paper from `within_from` on, on average over what they said of their knowledge of it:
asked again for each text about it, they may answer differently. The paper does not say where it draws the line; by
default it is 3, "I know its basics from my studies or my work", the lowest answer that presupposes some schooling.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import Literal, NamedTuple

from evals.human.agreement import krippendorff_alpha
from evals.human.answers import Answer, revealed
from evals.human.blinding import Key
from evals.human.intervals import clustered_mean
from evals.human.questions import KNOWLEDGE, QUALITIES, QUESTIONNAIRE
from evals.metrics.bootstrap import Interval

WITHIN_FROM = 3.0

Group = Literal["all", "within", "outside"]


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


def ratings(answers: Iterable[Answer], key: Key) -> list[Rating]:
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
