"""What the page is told: what can be done here, what a person begins, all runs, and one run with its paper.

For an orchestrator: whether the server could do a run now.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import Any, NamedTuple

from langgraph.types import StateSnapshot
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from draftroom import __version__
from draftroom.doctor import (
    CheckResult,
    build_failed_check,
    check_checkpoint_store,
    check_state_folder,
    list_distinct_models,
)
from draftroom.files import read_run_input_bytes
from draftroom.page.run_manager import RunManager, ServerRun
from draftroom.systems import SYSTEMS, RunRequest, System, find_system
from draftroom.systems.check import NUMBER_CHECK
from runs.graph_state import StreamState, load_snapshot
from runs.record import RunRecord, count_run_calls, count_run_tokens, determine_status, load_records
from runs.recorder import refresh_record
from state.documents import Document, Word
from state.errors import DraftroomError, InputError, StateError
from state.files import resolve_state_folder
from state.model_settings import ModelSettings
from state.records import Values
from state.settings import SYSTEM_TABLES
from tools.configuration import list_presets, load_settings
from tools.documents.reading import FORMATS, MAX_BYTES, load_document
from tools.models.endpoint import discard_endpoint, fetch_endpoint


class RunView(NamedTuple):
    """A run as it stands now."""

    record: RunRecord
    values: Values
    snapshot: StateSnapshot


async def build_start_payload() -> dict[str, Any]:
    """What can be done here, with which settings, and whether the models answer."""
    settings = await asyncio.to_thread(load_settings)
    answers = await asyncio.gather(
        *(_build_endpoint_payload(model) for model in list_distinct_models(settings).values())
    )
    systems = []
    for verb, system in SYSTEM_BY_VERB.items():
        # What a person may change, each with the value that holds if they do not.
        now = getattr(settings, system.table).model_dump(mode="json")
        schema = SYSTEM_TABLES[system.table].model_json_schema()
        fields = {name: {**schema["properties"][name], "default": now[name]} for name in system.asked}
        form = {"type": "object", "properties": fields, "$defs": schema.get("$defs", {})}
        told = {"name": system.name, "verb": verb, "title": verb.capitalize(), "summary": system.commands[verb].help}
        systems.append({**told, "settings": form})
    return {
        "version": __version__,
        "endpoints": [
            {"roles": name, **answer} for name, answer in zip(list_distinct_models(settings), answers, strict=True)
        ],
        "suffixes": sorted({".pdf", ".docx", ".txt", *FORMATS}),
        "max_bytes": MAX_BYTES,
        "systems": systems,
        "presets": await asyncio.to_thread(list_presets),
    }


async def _build_endpoint_payload(model: Any) -> dict[str, Any]:
    patient = model.model_copy(update={"timeout_s": 5.0, "retries": 0})
    told = {"model": model.model, "base_url": model.base_url}
    try:
        await fetch_endpoint(patient)
    except DraftroomError as error:
        return {**told, "answers": False, "problem": str(error)}
    return {**told, "answers": True, "problem": ""}


def build_runs_payload(keeper: RunManager) -> dict[str, Any]:
    """All runs of what the page can show, newest first, and what is wrong with records that cannot be read."""
    driven = keeper.list_active_attempts()  # before the records: one that ends now has the right one by then
    records = load_records()
    shown = (record for record in records.readable if record["system"] != NUMBER_CHECK.name)
    return {"runs": [_summarize_run(record, driven) for record in shown], "problems": records.problems}


def _summarize_run(record: RunRecord, driven: Mapping[str, ServerRun]) -> dict[str, Any]:
    try:
        progress, outcome = find_system(record["system"]).progress(record["results"])
    except StateError:  # of another version
        progress, outcome = "", ""
    return {
        **{key: record[key] for key in ("id", "system", "created", "updated")},
        "name": record["input"]["name"],
        "status": "running" if record["id"] in driven else determine_status(record),
        "progress": progress,
        "outcome": outcome,
        "calls": count_run_calls(record),
        "tokens": count_run_tokens(record),
        "problem": record["failures"][-1]["message"] if record["failures"] else "",
    }


async def load_run_view(record: RunRecord) -> RunView:
    """A run by its checkpoints, which may be ahead of its record.

    Raises:
        StateError: If they cannot be read.
    """
    runnable = find_system(record["system"]).graph
    snapshot = await load_snapshot(record, runnable)
    values = StreamState(snapshot).merge_subgraphs(runnable)
    if record["status"] == "running":
        record = refresh_record(record, values, runnable)
    return RunView(record, values, snapshot)


def build_run_payload(view: RunView, driven: ServerRun | None) -> dict[str, Any]:
    """One run with its paper, its result so far, and what it waits for.

    Args:
        view: Of the run.
        driven: The attempt that this server was making before its record was read.
    """
    record, values, snapshot = view
    rendering = find_system(record["system"]).rendering
    result = json.loads(rendering.formats[".json"](record, values))
    result.pop("run")
    paper: dict[str, Any]
    try:
        paper = build_source_payload(load_document(record["input"]["paper"]))
    except StateError as error:  # it is gone; the rest can be shown
        paper = {"title": record["input"]["name"], "format": "", "pages": 0, "warnings": [str(error)], "paragraphs": []}
    question = snapshot.interrupts[0].value if snapshot.interrupts and not driven else None
    return {
        "record": record,
        "result": result,
        "status": "running" if driven else determine_status(record),
        "thread": record["thread"],
        "run": driven.run if driven else None,
        "source": paper,
        "question": question and {**question, "items": question["advice"]},
        "decisions": values.get("decisions") or {},
        "formats": [
            name
            for name in rendering.formats
            if name != ".markdown" and not rendering.describe_refusal(name, record["input"]["paper"]["format"])
        ],
    }


def build_source_payload(document: Document) -> dict[str, Any]:
    """A paper as the page shows it."""
    return {
        **{key: document[key] for key in ("title", "format", "pages", "warnings")},
        "paragraphs": [
            {key: paragraph[key] for key in ("id", "section", "page", "text")} for paragraph in document["paragraphs"]
        ],
    }


def load_word_positions(record: RunRecord) -> dict[str, list[Word]]:
    """Where the words of each paragraph stand on the pages of a PDF.

    Raises:
        StateError: The paper as it was read is gone.
    """
    return {paragraph["id"]: paragraph["words"] for paragraph in load_document(record["input"]["paper"])["paragraphs"]}


PASTED_TEXT_NAME = "pasted text"

SYSTEM_BY_VERB: Mapping[str, System] = {verb: system for system in SYSTEMS.values() for verb in system.commands}
"""What a person can have done, and the system that does it."""


def normalize_file_name(told: str) -> str:
    """A browser tells the name of a file without its folder, others tell what they like; pasted text has none."""
    return PurePath(told.replace("\\", "/").replace("\0", "")).name[-200:] or PASTED_TEXT_NAME


def create_run_record(
    verb: str, data: bytes, name: str, chosen: Mapping[str, Any], request: Mapping[str, Any]
) -> RunRecord:
    """The record of a run that may begin now.

    Args:
        verb: explain, simplify or review.
        data: The paper.
        name: Of its file; empty if the text was pasted.
        chosen: Settings of the system that a person has changed, and perhaps `preset`.
        request: What is asked of the graph beside its paper: a section to review.

    Raises:
        DraftroomError: What is wrong with the settings, the paper or the request.
    """
    if verb not in SYSTEM_BY_VERB:
        raise InputError(f"There is nothing called {verb[:40]!r} to do; choose one of {', '.join(SYSTEM_BY_VERB)}.")
    system = SYSTEM_BY_VERB[verb]
    own = {field: value for field, value in chosen.items() if field != "preset"}
    if strange := own.keys() - set(system.asked):
        raise InputError(f"The page has no setting {strange.pop()[:40]!r}; it belongs in draftroom.toml.")
    preset = chosen.get("preset")
    if preset and preset not in list_presets():  # a path would be read
        raise InputError(f"There is no preset {str(preset)[:40]!r}; choose one of {', '.join(list_presets())}.")
    settings = load_settings({system.table: own, **({"preset": preset} if preset else {})})
    take = partial(read_run_input_bytes, data, normalize_file_name(name))
    return RunRequest(system, settings, request).prepare_record(take)


async def serve_readiness(_: Request) -> Response:
    """200 if everything that a run needs can be used, otherwise 503; the names of what cannot, and why by kind.

    LangGraph's own `/ok` tells that the server is alive. This tells whether its state folder, its checkpoints and the
    endpoints of its models can be used, without a word on where they are.
    """
    problems = {check.name: check.kind for check in await run_readiness_checks() if check.status == "failed"}
    return JSONResponse({"ready": not problems, "problems": problems}, 503 if problems else 200)


async def run_readiness_checks() -> list[CheckResult]:
    """The checks of `draftroom doctor` that take no more than a moment and ask no model for an answer."""
    try:
        settings = await asyncio.to_thread(load_settings)
    except DraftroomError as error:
        return [build_failed_check("settings", error)]
    models = list_distinct_models(settings).values()
    return [
        await asyncio.to_thread(check_state_folder, resolve_state_folder().absolute()),
        await check_checkpoint_store(settings.checkpoints),
        *await asyncio.gather(*map(check_endpoint, models)),
    ]


async def check_endpoint(model: ModelSettings) -> CheckResult:
    """Whether an endpoint answers now, and serves its model."""
    discard_endpoint(model)
    try:
        await fetch_endpoint(model)
    except DraftroomError as error:
        return build_failed_check("models", error)
    return CheckResult("models", "ok", "It answers.")
