"""What a person changes in a finished run: decisions on comments, the article, the plain text.

Each is an update of the graph's state, as one of its nodes would write it, so that it is in the checkpoints like all
else, can be gone back on, and stands in every export.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from draftroom.page.keeper import held
from draftroom.systems import find_system
from nodes.journalism.assessment import assess
from nodes.simplification.logger import as_version
from runs.checkpoints import checkpoints_of, open_checkpointer
from runs.driver import config_of, refresh_record
from runs.record import RunRecord, write_record
from state.errors import BadInput
from state.feedback import AuthorDecision
from state.journalism import Draft, JournalismState
from state.records import Values
from state.settings import describe
from tools.checks.omissions import lost_content
from tools.documents.reading import stored_text

_DECISION = TypeAdapter(AuthorDecision)


async def judge(record: RunRecord, comment: str, given: Mapping[str, Any]) -> dict[str, AuthorDecision]:
    """Keep a decision on a comment; returns all of them.

    Raises:
        BadInput: There is no such comment, or it is no decision.
        StateError: The run is under way, or its checkpoints cannot be written.
    """
    try:
        decision = _DECISION.validate_python(given)
    except ValidationError as error:
        raise BadInput(f"This is no decision: {describe(error)}.") from error

    def decided(values: Values) -> dict[str, Any]:
        shown = [item for item in values.get("computed", []) if item["shown"]]
        raised = (*values.get("comments", []), *shown)
        if comment not in {item["id"] for item in raised}:
            raise BadInput(f"The run has no comment {comment[:40]!r}.")
        return {"decisions": {comment: decision}}

    values = await _update(record, decided, "rank_comments")
    return cast("dict[str, AuthorDecision]", values["decisions"])


async def edit_article(record: RunRecord, text: str) -> dict[str, Any]:
    """Keep an edited article as a draft of its own and return its assessment.

    Raises:
        BadInput: The run is none of science journalism, or has no article yet.
        StateError: The run is under way, or its checkpoints cannot be written.
    """

    def edited(values: Values) -> dict[str, Any]:
        number = values["drafts"][-1]["round"] + 1
        assessment = assess(number, text, stored_text(values["source"]))
        return dict(
            JournalismState(
                drafts=[Draft(round=number, text=text, improvements="")],
                assessments=[assessment],
                article=text,
                selected_round=number,
                selected_because="edited by a person",
            )
        )

    _only(record, "science_journalism")
    values = await _update(record, edited, "choose_draft")
    return dict(values["assessments"][-1])


async def edit_plain_text(record: RunRecord, text: str) -> dict[str, Any]:
    """Keep an edited plain text as a version of its own and return what the guard says of it.

    Raises:
        BadInput: The run is none of medical simplification, or has no plain text yet.
        StateError: The run is under way, or its checkpoints cannot be written.
    """

    def edited(values: Values) -> dict[str, Any]:
        number = values["versions"][-1]["number"] + 1
        lost = lost_content(stored_text(values["source"]), text)
        version = as_version(number, "person", text, lost)
        news = {"text": text, "simplified": text, "lost": lost}
        return {**news, "versions": [version], "selected_version": number, "selected_because": "edited by a person"}

    _only(record, "medical_simplification")
    values = await _update(record, edited, "finish")
    return dict(values["versions"][-1])


def _only(record: RunRecord, system: str) -> None:
    if record["system"] != system:
        raise BadInput(f"A run of {record['system']} has no such text.")


async def _update(record: RunRecord, change: Callable[[Values], dict[str, Any]], node: str) -> Values:
    """Write an update of the state as if `node`, the last one, had written it; returns the state with it."""
    runnable = find_system(record["system"]).graph
    async with held(record["id"]):
        address, builder = await asyncio.to_thread(lambda: (checkpoints_of(record), runnable.builder))  # read files
        async with open_checkpointer(address) as saver:
            graph = builder.compile(checkpointer=saver)
            config = config_of(record)
            values = (await graph.aget_state(config)).values
            if not runnable.is_finished(values):
                raise BadInput("The run is not done yet; what it writes can be changed when it is.")
            await graph.aupdate_state(config, await asyncio.to_thread(change, values), as_node=node)
            newest: Values = (await graph.aget_state(config)).values
        await asyncio.to_thread(write_record, refresh_record(record, newest, runnable))
        return newest
