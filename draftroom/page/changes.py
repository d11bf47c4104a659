"""What a person changes in a finished run: decisions on comments, the article, the plain text.

Each is an update of the graph's state, as one of its nodes would write it, so that it is in the checkpoints like all
else, can be gone back on, and stands in every export.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from draftroom.page.run_manager import hold_run_async
from draftroom.systems import find_system
from nodes.journalism.assessment import measure_draft
from nodes.simplification.logger import measure_version
from runs.checkpoints import open_checkpointer, resolve_checkpoint_address
from runs.graph_state import build_graph_config
from runs.record import RunRecord, write_record
from runs.recorder import refresh_record
from state.errors import InputError
from state.feedback import AuthorDecision
from state.journalism import Draft, JournalismState
from state.records import Values
from state.settings import describe_validation_error
from tools.checks.omissions import find_lost_details
from tools.documents.reading import load_source_text

_DECISION = TypeAdapter(AuthorDecision)


async def save_decision(record: RunRecord, comment: str, given: Mapping[str, Any]) -> dict[str, AuthorDecision]:
    """Keep a decision on a comment; returns all of them.

    Raises:
        BadInput: There is no such comment, or it is no decision.
        StateError: The run is under way, or its checkpoints cannot be written.
    """
    try:
        decision = _DECISION.validate_python(given)
    except ValidationError as error:
        raise InputError(f"This is no decision: {describe_validation_error(error)}.") from error

    def decided(values: Values) -> dict[str, Any]:
        shown = [item for item in values.get("computed", []) if item["shown"]]
        raised = (*values.get("comments", []), *shown)
        if comment not in {item["id"] for item in raised}:
            raise InputError(f"The run has no comment {comment[:40]!r}.")
        return {"decisions": {comment: decision}}

    values = await _update_state(record, decided, "rank_comments")
    return cast("dict[str, AuthorDecision]", values["decisions"])


async def edit_article(record: RunRecord, text: str) -> dict[str, Any]:
    """Keep an edited article as a draft of its own and return its assessment.

    Raises:
        BadInput: The run is none of science journalism, or has no article yet.
        StateError: The run is under way, or its checkpoints cannot be written.
    """

    def edited(values: Values) -> dict[str, Any]:
        number = values["drafts"][-1]["round"] + 1
        assessment = measure_draft(number, text, load_source_text(values["source"]))
        return dict(
            JournalismState(
                drafts=[Draft(round=number, text=text, improvements="")],
                assessments=[assessment],
                article=text,
                selected_round=number,
                selected_because="edited by a person",
            )
        )

    _check_system(record, "science_journalism")
    values = await _update_state(record, edited, "choose_draft")
    return dict(values["assessments"][-1])


async def edit_plain_text(record: RunRecord, text: str) -> dict[str, Any]:
    """Keep an edited plain text as a version of its own and return what the guard says of it.

    Raises:
        BadInput: The run is none of medical simplification, or has no plain text yet.
        StateError: The run is under way, or its checkpoints cannot be written.
    """

    def edited(values: Values) -> dict[str, Any]:
        number = values["versions"][-1]["number"] + 1
        lost = find_lost_details(load_source_text(values["source"]), text)
        version = measure_version(number, "person", text, lost)
        news = {"text": text, "simplified": text, "lost": lost}
        return {**news, "versions": [version], "selected_version": number, "selected_because": "edited by a person"}

    _check_system(record, "medical_simplification")
    values = await _update_state(record, edited, "finish")
    return dict(values["versions"][-1])


def _check_system(record: RunRecord, system: str) -> None:
    if record["system"] != system:
        raise InputError(f"A run of {record['system']} has no such text.")


async def _update_state(record: RunRecord, change: Callable[[Values], dict[str, Any]], node: str) -> Values:
    """Write an update of the state as if `node`, the last one, had written it; returns the state with it."""
    runnable = find_system(record["system"]).graph
    async with hold_run_async(record["id"]):
        address, builder = await asyncio.to_thread(
            lambda: (resolve_checkpoint_address(record), runnable.builder)
        )  # read files
        async with open_checkpointer(address) as saver:
            graph = builder.compile(checkpointer=saver)
            config = build_graph_config(record["thread"])
            values = (await graph.aget_state(config)).values
            if not runnable.is_finished(values):
                raise InputError("The run is not done yet; what it writes can be changed when it is.")
            await graph.aupdate_state(config, await asyncio.to_thread(change, values), as_node=node)
            newest: Values = (await graph.aget_state(config)).values
        await asyncio.to_thread(write_record, refresh_record(record, newest, runnable))
        return newest
