"""Answers written down in advance."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.fake_endpoint.filler import fill
from tests.fake_endpoint.replies import Answer, Reply
from tests.fake_endpoint.request_log import RecordedRequest


@dataclass(frozen=True)
class When:
    """A reply to the requests that match all of what is given.

    Args:
        reply: The reply.
        model: Name of the model asked for.
        prompt: Text that occurs in the messages.
        schema: Name of the schema asked for.
        where: Any other condition.
        times: How often the reply is used; None for always.
    """

    reply: Reply
    model: str | None = None
    prompt: str | None = None
    schema: str | None = None
    where: Callable[[RecordedRequest], bool] | None = None
    times: int | None = None

    def matches(self, request: RecordedRequest) -> bool:
        """Whether this reply is for `request`."""
        return (
            self.model in {None, request.model}
            and self.schema in {None, request.schema_name}
            and (self.prompt is None or self.prompt in request.text)
            and (self.where is None or self.where(request))
        )


class Script:
    """Answers each request with the first entry that matches and is not used up.

    A bare reply matches every request and is used once, so that a list of replies is given in order.

    Args:
        entries: The replies, with or without their condition.
        otherwise: Answers the requests that no entry is left for.
    """

    def __init__(self, entries: Iterable[Reply | When], otherwise: Answer = fill) -> None:
        whens = [entry if isinstance(entry, When) else When(entry, times=1) for entry in entries]
        self._left: list[tuple[When, int | None]] = [(when, when.times) for when in whens]
        self._otherwise = otherwise
        self._lock = threading.Lock()

    def __call__(self, request: RecordedRequest) -> Reply:
        with self._lock:
            for place, (when, left) in enumerate(self._left):
                if left != 0 and when.matches(request):
                    self._left[place] = (when, left and left - 1)
                    return when.reply
        return self._otherwise(request)
