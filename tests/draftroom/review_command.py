"""What the tests of `draftroom review` share: agents with two opinions, and what came of a run."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.fake_endpoint import Json, RecordedRequest, Reply
from tests.support.review_room import METHODS, NOT_NEEDED, REVIEW, SOUND, Room

if TYPE_CHECKING:
    from tests.draftroom.conftest import Command

QUOTE = str(REVIEW["quote"])


class TwoMinds(Room):
    """Agents that find nothing to say about the methods, and something about the rest."""

    def __call__(self, request: RecordedRequest) -> Reply:
        """The next answer of the agent that is asked."""
        if f"# The paragraph\n\n{METHODS[:40]}" in request.text:
            if request.schema_name == "Weaknesses":
                return Json(SOUND)
            if request.schema_name == "Review":
                return Json(NOT_NEEDED)
        return super().__call__(request)


def asked(draftroom: Command) -> list[str]:
    """What was asked for, in order, by the names of the answers' schemas."""
    return [str(request.schema_name) for request in draftroom.endpoint.chat_requests]


def result_of(draftroom: Command) -> dict[str, Any]:
    """The newest run as JSON, from the checkpoints."""
    path = draftroom.home / "result.json"
    assert draftroom("show", "last", "-o", path).exit_code == 0
    return dict(json.loads(path.read_text(encoding="utf-8")))


def reviewed(draftroom: Command) -> list[str]:
    """Ids of the paragraphs of the newest run."""
    return [review["paragraph"] for review in draftroom.records()[-1]["results"]["reviews"]]
