"""The local page, running, and people at their browsers."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx

from evals.human.answers import AnswerStore
from evals.human.items import ComparisonItem, comparisons
from evals.human.judgements import CRITERIA
from evals.human.server import AnnotationServer
from tests.support.raters import candidates

SHEETS, KEY = comparisons(candidates(), seed=5)
NAMES = [question.name for question in CRITERIA]


@contextmanager
def running(sheets: Sequence[ComparisonItem], store: AnswerStore) -> Iterator[AnnotationServer]:
    """Serves the comparisons until the block ends."""
    with AnnotationServer(sheets, store) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


class Rater:
    """A person at a browser."""

    def __init__(self, server: AnnotationServer, name: str = "Ada") -> None:
        self.name = name
        self._client = httpx.Client(base_url=server.address(), follow_redirects=True, trust_env=False)

    def __enter__(self) -> Rater:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def look(self, page: str = "", **fields: str | int) -> httpx.Response:
        return self._client.get(page, params=fields)

    def go_on(self) -> httpx.Response:
        """Open the page as somebody who was there before."""
        return self.look("compare", rater=self.name)

    def answer(self, sheet: ComparisonItem, question: str, value: str) -> httpx.Response:
        return self._client.post("answer", data={"rater": self.name, "item": sheet.item, question: value})

    def finish(self, sheet: ComparisonItem, value: str = "tie") -> httpx.Response:
        """Answer all questions about a comparison."""
        return [self.answer(sheet, name, value) for name in NAMES][-1]


def number(page: httpx.Response) -> int:
    """Of the comparison that a page shows."""
    found = re.search(r"<h1>Comparison (\d+) of 18</h1>", page.text)
    assert found, page.text
    return int(found[1])


def pressed(page: httpx.Response) -> dict[str, str]:
    """The answers that a page shows as given, by question."""
    return dict(re.findall(r'<button name="(\w+)" value="(\w+)" aria-pressed="true">', page.text))
