"""Build the data that the page shows: the start page, all runs, and one run with its paper.

Also creates the record of a new run, and answers an orchestrator's readiness probe.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path, PurePath
from typing import Any

from langgraph.types import StateSnapshot
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from draftroom import __version__
from draftroom.doctor import check_checkpoint_store, check_state_folder, list_distinct_models
from draftroom.files import read_result, read_run_input_bytes
from draftroom.page.run_manager import RunManager, ServerRun
from draftroom.systems import SYSTEM_BY_COMMAND, SYSTEMS, RunRequest, find_system, update_run_records
from draftroom.systems.check import NUMBER_CHECK
from runs.graph_state import load_snapshot
from runs.record import RunRecord, count_run_calls, count_run_tokens, determine_status, load_records
from runs.runnable import refresh_record
from state.documents import Document
from state.errors import DraftroomError, InputError, StateError
from state.files import resolve_state_folder
from state.model_settings import ModelSettings
from state.records import Values
from state.settings import SYSTEM_TABLES
from tools.configuration import list_presets, load_settings
from tools.documents.reading import FORMATS, MAX_BYTES, load_document
from tools.models.endpoint import discard_endpoint, fetch_endpoint

PASTED_TEXT_NAME = "pasted text"
# Example papers, and recorded runs on them: in a wheel beside this module, else in the clone.
EXAMPLES_FOLDER = Path(__file__).parent / "examples"
if not EXAMPLES_FOLDER.is_dir():
    EXAMPLES_FOLDER = Path(__file__).parents[2] / "examples"


async def build_start_payload() -> dict[str, Any]:
    """Build the data of the start page: systems with their settings, and whether their models answer."""
    settings = await asyncio.to_thread(load_settings)
    models = list_distinct_models(settings)
    # The start page must not wait as long as a run would.
    brief = [model.model_copy(update={"timeout_s": 5.0}) for model in models.values()]
    errors = await asyncio.gather(*map(_find_endpoint_error, brief))
    endpoints = [
        {
            "roles": roles,
            "model": model.model,
            "base_url": model.address,
            "answers": not error,
            "problem": str(error or ""),
        }
        for (roles, model), error in zip(models.items(), errors, strict=True)
    ]
    systems = []
    for verb, system in SYSTEM_BY_COMMAND.items():
        # A form of the settings that a person may change, with the current values as defaults.
        current = getattr(settings, system.table).model_dump(mode="json")
        schema = SYSTEM_TABLES[system.table].model_json_schema()
        fields = {name: {**schema["properties"][name], "default": current[name]} for name in system.asked}
        form = {"type": "object", "properties": fields, "$defs": schema.get("$defs", {})}
        summary = system.commands[verb].help
        systems.append(
            {"name": system.name, "verb": verb, "title": verb.capitalize(), "summary": summary, "settings": form}
        )
    return {
        "version": __version__,
        "endpoints": endpoints,
        "suffixes": sorted({".pdf", ".docx", ".txt", *FORMATS}),
        "max_bytes": MAX_BYTES,
        "systems": systems,
        "presets": await asyncio.to_thread(list_presets),
        "examples": await asyncio.to_thread(list_examples),
    }


def list_examples() -> list[dict[str, Any]]:
    """List the name, command, paper and models of each recorded run on an example."""
    found = []
    for path in sorted(EXAMPLES_FOLDER.glob("runs/*.json")):
        record, _ = read_result(path)
        verb, models = next(iter(find_system(record["system"]).commands)), dict.fromkeys(record["models"].values())
        found.append({"name": path.stem, "verb": verb, "paper": record["input"]["name"], "models": [*models]})
    return found


def build_runs_payload(manager: RunManager) -> dict[str, Any]:
    """Build the data of all runs that the page can show, newest first, with unreadable records as problems."""
    # Before the records are read: the record of a run that ends in between is up to date.
    active = manager.list_active_attempts()
    problems = update_run_records()
    records = load_records()
    runs = []
    for record in (record for record in records.readable if record["system"] != NUMBER_CHECK.name):
        # A run of another version may be of a system that is unknown here.
        system = SYSTEMS.get(record["system"])
        progress, outcome = system.progress(record["results"]) if system else ("", "")
        summary = {
            **{key: record[key] for key in ("id", "system", "created", "updated")},
            "name": record["input"]["name"],
            "status": "running" if record["id"] in active else determine_status(record),
            "progress": progress,
            "outcome": outcome,
            "calls": count_run_calls(record),
            "tokens": count_run_tokens(record),
            "problem": record["failures"][-1]["message"] if record["failures"] else "",
        }
        runs.append(summary)
    return {"runs": runs, "problems": [*problems, *records.problems]}


async def load_run_view(record: RunRecord) -> tuple[RunRecord, Values, StateSnapshot]:
    """Return a run's record, up to date but not saved, the values of its graph with subgraphs, and the checkpoint."""
    runnable = find_system(record["system"]).graph
    snapshot, values = await load_snapshot(record, runnable)
    # The record of a running attempt is written at its end, so the checkpoints are ahead of it.
    if record["status"] == "running":
        record = refresh_record(record, values, runnable)
    return record, values, snapshot


def build_run_payload(
    record: RunRecord, values: Values, snapshot: StateSnapshot, active: ServerRun | None
) -> dict[str, Any]:
    """Build the data of one run: its paper, its result so far, and the question at which it is paused.

    `active` is the server's run while it is under way.
    """
    rendering = find_system(record["system"]).rendering
    result = json.loads(rendering.formats[".json"](record, values))
    result.pop("run")
    paper: dict[str, Any]
    try:
        paper = build_source_payload(load_document(record["input"]["paper"]))
    except StateError as error:  # the stored document is gone; the rest can be shown
        paper = {"title": record["input"]["name"], "format": "", "pages": 0, "warnings": [str(error)], "paragraphs": []}
    question = snapshot.interrupts[0].value if snapshot.interrupts and not active else None
    paper_format = record["input"]["paper"]["format"]
    return {
        "record": record,
        "result": result,
        "status": "running" if active else determine_status(record),
        "thread": record["thread"],
        "run": active.run if active else None,
        "source": paper,
        "question": question and {**question, "items": question["advice"]},
        "decisions": values.get("decisions") or {},
        "formats": [name for name in rendering.formats if not rendering.describe_refusal(name, paper_format)],
    }


def build_source_payload(document: Document) -> dict[str, Any]:
    """Build the data of a paper: its title, format, pages, warnings and paragraphs."""
    return {
        **{key: document[key] for key in ("title", "format", "pages", "warnings")},
        "paragraphs": [
            {key: paragraph[key] for key in ("id", "section", "page", "text")} for paragraph in document["paragraphs"]
        ],
    }


def normalize_file_name(name: str) -> str:
    """Return the last part of an uploaded file's path, or `pasted text` if it is empty."""
    # Browsers send the name without its folder, but other clients may send any path.
    return PurePath(name.replace("\\", "/").replace("\0", "")).name[-200:] or PASTED_TEXT_NAME


def create_run_record(
    verb: str, data: bytes, name: str, chosen: Mapping[str, Any], request: Mapping[str, Any]
) -> RunRecord:
    """Read and store an uploaded paper, and return the record of a new run, which is neither saved nor started.

    Args:
        verb: Command: explain, simplify or review.
        data: Bytes of the paper.
        name: Name of its file; empty for pasted text.
        chosen: Settings of the system that a person has changed, and optionally `preset`.
        request: Further input of the graph, such as the section to review.
    """
    if verb not in SYSTEM_BY_COMMAND:
        raise InputError(f"There is nothing called {verb[:40]!r} to do; choose one of {', '.join(SYSTEM_BY_COMMAND)}.")
    system = SYSTEM_BY_COMMAND[verb]
    own = {field: value for field, value in chosen.items() if field != "preset"}
    if unknown := own.keys() - set(system.asked):
        raise InputError(f"The page has no setting {unknown.pop()[:40]!r}; it belongs in draftroom.toml.")
    preset = chosen.get("preset")
    # Only names: load_settings would also read a preset from a path.
    if preset and preset not in list_presets():
        raise InputError(f"There is no preset {str(preset)[:40]!r}; choose one of {', '.join(list_presets())}.")
    settings = load_settings({system.table: own, **({"preset": preset} if preset else {})})
    read = partial(read_run_input_bytes, data, normalize_file_name(name))
    return RunRequest(system, settings, request).prepare_record(read)


async def serve_readiness(_: Request) -> Response:
    """Answer a readiness probe: 200 if a run could start now, otherwise 503 with the kinds of problems.

    LangGraph's own `/ok` reports that the server is alive. This checks its state folder, checkpoints and model
    endpoints, and reveals no paths or addresses.
    """
    # The quick checks of `draftroom doctor`, which ask no model for an answer.
    try:
        settings = await asyncio.to_thread(load_settings)
    except DraftroomError as error:
        problems = {"settings": error.kind}
    else:
        folder = await asyncio.to_thread(check_state_folder, resolve_state_folder().absolute())
        checks = [folder, await check_checkpoint_store(settings.checkpoints)]
        problems = {check.name: check.kind for check in checks if check.kind}
        models = list_distinct_models(settings).values()
        for model in models:
            discard_endpoint(model)  # an earlier answer is cached
        errors = await asyncio.gather(*map(_find_endpoint_error, models))
        if kinds := [error.kind for error in errors if error]:
            problems["models"] = kinds[0]
    return JSONResponse({"ready": not problems, "problems": problems}, 503 if problems else 200)


async def _find_endpoint_error(model: ModelSettings) -> DraftroomError | None:
    """Ask a model's endpoint once; return the error of a run that would start now, or None if there is none."""
    try:
        await fetch_endpoint(model.model_copy(update={"retries": 0, "startup_wait_s": 0}))
    except DraftroomError as error:
        return error
    return None
