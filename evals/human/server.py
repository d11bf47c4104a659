"""The comparisons on a local page, for teams without a Label Studio: guidelines, one after the other, and the end.

Plain forms without a script: every answer is a button that sends it, so that it is stored at once, works by keyboard
and on a phone, and nothing on the page can be run. What systems wrote is data and is escaped.

It is served on loopback only. Other pages in the same browser could still send it requests, so its address holds a
random token that they cannot know, and a request by another host name than ours, as after DNS rebinding, is refused.
"""

from __future__ import annotations

import secrets
import socketserver
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode

from evals.human.answers import AnswerStore, RaterAnswer, newest
from evals.human.items import ComparisonItem
from evals.human.judgements import CRITERIA, GUIDELINES
from state.errors import BadInput, DraftroomError, SettingsError
from tools.html_pages import templates

_LOOPBACK = "127.0.0.1"
_LARGEST_FORM = 65_536  # bytes
_HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",  # it would tell the token to the site of a paper
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",  # going back shows the answers as they are now
}
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

    def __init__(self, comparisons: Sequence[ComparisonItem], store: AnswerStore) -> None:
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
        self._store.add(RaterAnswer(item=item, question=question, rater=rater, value=value, at=datetime.now(UTC)))
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


class AnnotationServer(ThreadingHTTPServer):
    """The page; `serve_forever` runs it, and leaving it as a context manager closes it.

    Args:
        comparisons: In the order in which they are shown.
        store: Where answers go; raters that are in it go on where they stopped.
        port: To listen on; 0 takes any that is free.

    Raises:
        BadInput: There is nothing to compare, or the store cannot be read or holds answers to something else.
        SettingsError: The port is in use.
    """

    def __init__(self, comparisons: Sequence[ComparisonItem], store: AnswerStore, *, port: int = 0) -> None:
        self.pages = Pages(comparisons, store)
        self.prefix = f"/{secrets.token_urlsafe(16)}/"
        try:
            super().__init__((_LOOPBACK, port), _Handler)
        except OSError as error:
            raise SettingsError(f"Port {port} cannot be used ({error.strerror}); choose another.") from error

    def server_bind(self) -> None:
        """Without looking up the name of this machine, as `HTTPServer` does."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = _LOOPBACK, self.server_address[1]

    @property
    def hosts(self) -> set[str]:
        """Names that a browser may know the page by."""
        return {f"{name}:{self.server_port}" for name in (_LOOPBACK, "localhost")}

    def address(self, rater: str = "") -> str:
        """What to open in a browser.

        Args:
            rater: Go on as this rater at once; empty: begin with the guidelines.
        """
        page = f"compare?{urlencode({'rater': rater})}" if rater else ""
        return f"http://{_LOOPBACK}:{self.server_port}{self.prefix}{page}"


class _Handler(BaseHTTPRequestHandler):
    server: AnnotationServer
    server_version = "Draftroom"
    sys_version = ""
    timeout = 30  # seconds for a request to arrive

    def do_GET(self) -> None:
        self._send(self._reply(self.path.partition("?")[2]))

    def do_POST(self) -> None:
        form = self.rfile.read(_size(self.headers.get("Content-Length", "")))
        self._send(self._reply(form.decode(errors="replace")))

    def _reply(self, fields: str) -> Reply:
        path, prefix = self.path.partition("?")[0], self.server.prefix
        ours = secrets.compare_digest(path[: len(prefix)].encode(), prefix.encode())
        if not ours or self.headers.get("Host") not in self.server.hosts:
            return problem(HTTPStatus.FORBIDDEN, "Open the page by the whole address that was printed at the start.")
        return self.server.pages.reply(self.command, path[len(prefix) :], dict(parse_qsl(fields)))

    def _send(self, reply: Reply) -> None:
        body = reply.page.encode()
        headers = {**_HEADERS, "Content-Length": str(len(body))}
        if reply.location:
            headers["Location"] = reply.location
        with suppress(ConnectionError):  # the browser has gone elsewhere
            self.send_response(reply.status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing: addresses hold the token."""


def _size(length: str) -> int:
    """How much of a form to read."""
    try:
        return min(max(int(length), 0), _LARGEST_FORM)
    except ValueError:
        return 0


_TEMPLATES = templates("evals.human")
