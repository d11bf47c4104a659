"""What a rater chose, wherever it was asked: the record that the page stores and Label Studio's export is read into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pydantic import AwareDatetime, BaseModel, ConfigDict

from evals.human.blinding import Hidden, Key
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


def revealed(
    answers: Iterable[Answer], key: Key, questions: Sequence[Question], *, systems: int
) -> Iterator[tuple[Answer, Hidden]]:
    """Lay the key on the newest answers: each with what stands behind its item.

    Args:
        answers: In the order in which they were given.
        key: Of the sheets that they are about.
        questions: That were asked.
        systems: How many texts an item shows.

    Raises:
        BadInput: An answer is to something else, or is none that was offered.
    """
    for answer in newest(answers):
        _check(answer, questions)
        yield answer, key.reveal(answer.item, systems)


def _check(answer: Answer, questions: Sequence[Question]) -> None:
    """Refuse an answer that was not offered."""
    offered = {
        option.value for question in questions if question.name == answer.question for option in question.options
    }
    if answer.value not in offered:
        raise BadInput(
            f"{answer.rater!r} answered {answer.value!r} to {answer.question!r} of {answer.item!r}, which was not "
            "offered; give the answers that belong to this key."
        )
