"""What a rater chose, wherever it was asked: the record that the page stores and Label Studio's export is read into."""

from __future__ import annotations

from collections.abc import Iterable

from pydantic import AwareDatetime, BaseModel, ConfigDict

from evals.human.questions import Question
from state.errors import BadInput


class Answer(BaseModel):
    """An answer to one question about one item; it names no system, so raters may keep it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    item: str
    question: str
    rater: str
    value: str
    """Of the chosen option."""
    at: AwareDatetime


def newest(answers: Iterable[Answer]) -> list[Answer]:
    """Of several answers of a rater to the same question the last one, for raters may change their mind.

    Args:
        answers: In the order in which they were given.
    """
    return list({(each.rater, each.item, each.question): each for each in answers}.values())


def check(answer: Answer, questions: Iterable[Question]) -> None:
    """Check that an answer is one of those that were offered.

    Args:
        answer: Of a rater.
        questions: That were asked.

    Raises:
        BadInput: It is not.
    """
    offered = {
        option.value for question in questions if question.name == answer.question for option in question.options
    }
    if answer.value not in offered:
        raise BadInput(
            f"{answer.rater!r} answered {answer.value!r} to {answer.question!r} of {answer.item!r}, which was not "
            "offered; give the answers that belong to this key."
        )
