"""Save a person's changes to a finished run: decisions on comments, an edited article, an edited plain text.

Each change is an update of the graph's state, written as if by one of its nodes. So it is stored in the checkpoints,
can be reverted, and appears in every export.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from draftroom.systems import find_system
from nodes.journalism.assessment import measure_draft
from nodes.simplification.logger import measure_version
from runs.checkpoints import open_checkpointer, resolve_checkpoint_address
from runs.graph_state import build_graph_config
from runs.record import RunRecord, write_record
from runs.recorder import refresh_record
from runs.threads import hold_thread
from state.errors import InputError
from state.feedback import AuthorDecision
from state.journalism import Draft
from state.records import Values
from state.settings import describe_validation_error
from tools.checks.omissions import find_lost_details
from tools.documents.reading import load_source_text

_DECISION = TypeAdapter(AuthorDecision)


async def save_decision(record: RunRecord, comment: str, given: Mapping[str, Any]) -> dict[str, AuthorDecision]:
    """Save a decision on a comment in the run's checkpoints, and return all decisions by comment id."""
    try:
        decision = _DECISION.validate_python(given)
    except ValidationError as error:
        raise InputError(f"This is no decision: {describe_validation_error(error)}.") from error

    def build_update(values: Values) -> dict[str, Any]:
        """Return the update of the decisions; InputError if the run has no such comment."""
        shown = [item for item in values.get("computed", []) if item["shown"]]
        raised = (*values.get("comments", []), *shown)
        if comment not in {item["id"] for item in raised}:
            raise InputError(f"The run has no comment {comment[:40]!r}.")
        return {"decisions": {comment: decision}}

    values = await _update_state(record, build_update, "rank_comments")
    return cast("dict[str, AuthorDecision]", values["decisions"])


async def edit_article(record: RunRecord, text: str) -> dict[str, Any]:
    """Save an edited article as a new, selected draft, and return its assessment."""

    def build_update(values: Values) -> dict[str, Any]:
        """Return the new draft, its assessment and its selection."""
        number = values["drafts"][-1]["round"] + 1
        return {
            "drafts": [Draft(round=number, text=text, improvements="")],
            "assessments": [measure_draft(number, text, load_source_text(values["source"]))],
            "article": text,
            "selected_round": number,
            "selected_because": "edited by a person",
        }

    values = await _update_state(record, build_update, "choose_draft", "science_journalism")
    return dict(values["assessments"][-1])


async def edit_plain_text(record: RunRecord, text: str) -> dict[str, Any]:
    """Save an edited plain text as a new, selected version, and return it with its lost details."""

    def build_update(values: Values) -> dict[str, Any]:
        """Return the new version, its lost details and its selection."""
        number = values["versions"][-1]["number"] + 1
        lost = find_lost_details(load_source_text(values["source"]), text)
        return {
            "text": text,
            "simplified": text,
            "lost": lost,
            "versions": [measure_version(number, "person", text, lost)],
            "selected_version": number,
            "selected_because": "edited by a person",
        }

    values = await _update_state(record, build_update, "finish", "medical_simplification")
    return dict(values["versions"][-1])


async def _update_state(
    record: RunRecord, build_update: Callable[[Values], dict[str, Any]], node: str, system: str = ""
) -> Values:
    """Write an update to a finished run and its record as if `node` had made it; return the new state.

    Raises:
        InputError: The run is not done, or is not of `system`, if one is given.
    """
    if system and record["system"] != system:
        raise InputError(f"A run of {record['system']} has no such text.")
    runnable = find_system(record["system"]).graph
    async with hold_thread(record["thread"]):
        # Both read files, which must not block the event loop.
        address, builder = await asyncio.to_thread(lambda: (resolve_checkpoint_address(record), runnable.builder))
        async with open_checkpointer(address) as saver:
            graph = builder.compile(checkpointer=saver)
            config = build_graph_config(record["thread"])
            values = (await graph.aget_state(config)).values
            if not runnable.is_finished(values):
                raise InputError("The run is not done yet; what it writes can be changed when it is.")
            await graph.aupdate_state(config, await asyncio.to_thread(build_update, values), as_node=node)
            newest: Values = (await graph.aget_state(config)).values
        await asyncio.to_thread(write_record, refresh_record(record, newest, runnable))
        return newest
