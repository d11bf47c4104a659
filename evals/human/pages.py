"""What the local page says: guidelines, one comparison after the other, and the end.

Plain forms without a script: every answer is a button that sends it, so that it is stored at once, works by keyboard
and on a phone, and nothing on the page can be run. What systems wrote is data and is escaped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, NamedTuple
from urllib.parse import urlencode

from evals.human.answers import Answer, newest
from evals.human.questions import CRITERIA, GUIDELINES
from evals.human.sheets import Comparison
from evals.human.store import AnswerStore
from state.errors import BadInput, DraftroomError
from tools.html_pages import templates

_LONGEST_NAME = 60  # characters

Given = Mapping[tuple[str, str], str]
"""A rater's newest answers, by item and question."""


class Reply(NamedTuple):
    """What is sent back: a page, or where to go."""

    status: HTTPStatus
    page: str = ""
    location: str = ""
    """Relative to the address of the request."""


class Pages:
    """The pages of one set of comparisons.

    Args:
        comparisons: In the order in which they are shown.
        store: Where answers go.

    Raises:
        BadInput: There is nothing to compare, or the store cannot be read or holds answers to something else.
    """

    def __init__(self, comparisons: Sequence[Comparison], store: AnswerStore) -> None:
        if not comparisons:
            raise BadInput("There is nothing to compare; give a file with comparisons.", kind="empty_input")
        self._comparisons = comparisons
        self._numbers = {each.item: number for number, each in enumerate(comparisons, start=1)}
        self._store = store
        self._shown: Mapping[tuple[str, str], Callable[[Mapping[str, str]], Reply]] = {
            ("GET", ""): self._start,
            ("GET", "compare"): self._compare,
            ("GET", "paper"): self._paper,
            ("POST", "answer"): self._answer,
        }
        if any(answer.item not in self._numbers for answer in store.answers()):
            raise BadInput(
                f"{store.path} holds answers to other comparisons; name another file for the answers, or give the "
                "comparisons of then."
            )

    def reply(self, method: str, name: str, fields: Mapping[str, str]) -> Reply:
        """Answer a request.

        Args:
            method: Of HTTP.
            name: Of the page: empty, "compare", "paper", or "answer", which takes what a form sends.
            fields: Of the query or the form.
        """
        shown = self._shown.get((method, name))
        if shown is None:
            return problem(HTTPStatus.NOT_FOUND, "There is no such page.")
        try:
            return shown(fields)
        except BadInput as error:
            return problem(HTTPStatus.BAD_REQUEST, str(error))
        except DraftroomError as error:
            return problem(HTTPStatus.INTERNAL_SERVER_ERROR, str(error))

    def _start(self, _: Mapping[str, str]) -> Reply:
        answered = Counter(answer.rater for answer in newest(self._store.answers()))
        return _page(
            "start.html",
            guidelines=GUIDELINES,
            answered=answered,
            longest_name=_LONGEST_NAME,
            questions=self._questions,
            total=self._total,
        )

    def _compare(self, fields: Mapping[str, str]) -> Reply:
        rater = _rater(fields)
        given = self._given(rater)
        if "n" in fields:
            return self._comparison(rater, self._number(fields["n"]), given)
        unfinished = (number for item, number in self._numbers.items() if _open_question(item, given))
        number = next(unfinished, None)
        return _go_to(rater, number) if number else _page("finished.html", rater=rater, total=self._total)

    def _comparison(self, rater: str, number: int, given: Given) -> Reply:
        comparison = self._comparisons[number - 1]
        chosen = {question.name: given.get((comparison.item, question.name)) for question in CRITERIA}
        return _page(
            "comparison.html",
            rater=rater,
            number=number,
            total=self._total,
            comparison=comparison,
            criteria=CRITERIA,
            chosen=chosen,
            answered=len(given),
            questions=self._questions,
        )

    def _paper(self, fields: Mapping[str, str]) -> Reply:
        """The paper of a comparison, where no link leads to it."""
        return _page("paper.html", comparison=self._comparisons[self._number(fields.get("n", "")) - 1])

    def _answer(self, fields: Mapping[str, str]) -> Reply:
        rater, item = _rater(fields), fields.get("item", "")
        if item not in self._numbers:
            raise BadInput("This page is out of date: go back to the start.")
        question, value = _choice(fields)
        before = self._given(rater)
        self._store.add(Answer(item=item, question=question, rater=rater, value=value, at=datetime.now(UTC)))
        still_open = _open_question(item, {**before, (item, question): value})
        if _open_question(item, before) and not still_open:
            return _go_to(rater)
        return _go_to(rater, self._numbers[item], still_open or question)

    @property
    def _total(self) -> int:
        return len(self._comparisons)

    @property
    def _questions(self) -> int:
        return self._total * len(CRITERIA)

    def _given(self, rater: str) -> Given:
        return {(each.item, each.question): each.value for each in self._store.answers() if each.rater == rater}

    def _number(self, text: str) -> int:
        number = next((number for number in self._numbers.values() if str(number) == text), None)
        if number is None:
            raise BadInput(f"There are the comparisons 1 to {self._total}.")
        return number


def problem(status: HTTPStatus, message: str) -> Reply:
    """A page that says what is wrong."""
    return _page("problem.html", status=status, message=message)


def _page(template: str, *, status: HTTPStatus = HTTPStatus.OK, **values: Any) -> Reply:
    return Reply(status, _TEMPLATES.get_template(template).render(status=status, **values))


def _go_to(rater: str, n: int | None = None, question: str = "") -> Reply:
    """To a comparison, at one of its questions, or to the first comparison that is not finished."""
    fields = {"rater": rater} if n is None else {"rater": rater, "n": str(n)}
    fragment = f"#{question}" if question else ""
    return Reply(HTTPStatus.SEE_OTHER, location=f"compare?{urlencode(fields)}{fragment}")


def _rater(fields: Mapping[str, str]) -> str:
    name = " ".join(fields.get("rater", "").split())
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise BadInput(f"Please give a name of at most {_LONGEST_NAME} letters.")
    return name


def _choice(fields: Mapping[str, str]) -> tuple[str, str]:
    """The question that a form answers, and how."""
    for question in CRITERIA:
        for option in question.options:
            if fields.get(question.name) == option.value:
                return question.name, option.value
    raise BadInput("The form held no answer: go back and press one of the buttons.")


def _open_question(item: str, given: Given) -> str | None:
    """The first one of a comparison that a rater has not answered."""
    return next((question.name for question in CRITERIA if (item, question.name) not in given), None)


_TEMPLATES = templates("evals.human")
