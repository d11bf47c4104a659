"""What raters are asked (`questions.toml`) and what they chose."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Final, NamedTuple

from evals.human.blinding import BlindingKey, HiddenItem
from state.errors import BadInput


class AnswerOption(NamedTuple):
    """A possible answer."""

    value: str
    """As an answer holds it."""
    text: str


class SurveyQuestion(NamedTuple):
    """A question with all its answers."""

    name: str
    title: str
    text: str
    options: tuple[AnswerOption, ...]


_ASKED: Final = tomllib.loads(Path(__file__).with_name("questions.toml").read_text(encoding="utf-8"))


def _question(asked: dict[str, str], options: Iterable[tuple[str, str]]) -> SurveyQuestion:
    return SurveyQuestion(asked["name"], asked["title"], asked["text"], tuple(AnswerOption(*each) for each in options))


QUESTIONNAIRE: Final = tuple(
    _question(each, ((str(point), f"{point}: {meaning}") for point, meaning in enumerate(each["scale"], start=1)))
    for each in _ASKED["articles"]
)
"""On an article: what the rater knew of the topic, and what the article is like, each from 1 to 5."""
KNOWLEDGE, *QUALITIES = QUESTIONNAIRE

FIRST, TIE, SECOND = "first", "tie", "second"
_CHOICE = ((FIRST, "The first is better"), (TIE, "No difference"), (SECOND, "The second is better"))
CRITERIA: Final = tuple(_question(each, _CHOICE) for each in _ASKED["comments"])
"""What two comments are compared on."""
GUIDELINES: Final[Sequence[str]] = _ASKED["guidelines"]
"""What raters of comments are told, a paragraph each."""


class RaterAnswer(NamedTuple):
    """An answer to one question about one item; it names no system, so raters may keep it."""

    item: str
    question: str
    rater: str
    value: str
    """Of the chosen option."""
    at: datetime


def revealed(
    answers: Iterable[RaterAnswer], key: BlindingKey, questions: Sequence[SurveyQuestion], *, systems: int
) -> Iterator[tuple[RaterAnswer, HiddenItem]]:
    """Lay the key on the answers: each with what stands behind its item.

    Of several answers of a rater to the same question the last one counts, for raters may change their mind.

    Args:
        answers: In the order in which they were given.
        key: Of the tasks that they are about.
        questions: That were asked.
        systems: How many texts an item shows.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    offered = {(question.name, option.value) for question in questions for option in question.options}
    newest = {(each.rater, each.item, each.question): each for each in answers}
    for answer in newest.values():
        if (answer.question, answer.value) not in offered:
            raise BadInput(
                f"{answer.rater!r} answered {answer.value!r} to {answer.question!r} of {answer.item!r}, which was not "
                "offered; give the answers that belong to this key."
            )
        yield answer, key.reveal(answer.item, systems)
