"""Routes of the page: runs, uploads, exports, and a person's changes to a finished run.

A change is an update of the graph's state, written as if by one of its nodes. So it is stored in the checkpoints, can
be reverted, and appears in every export.

`langgraph.json` mounts this app into LangGraph's server. There is a page only if `draftroom open` started the server.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from draftroom.commands.check import build_paper_report
from draftroom.exit_codes import HTTP_STATUSES
from draftroom.files import read_result, read_run_input_bytes
from draftroom.page import views
from draftroom.page.access import ACCESS_VARIABLE, AccessMiddleware, AccessPolicy
from draftroom.page.mcp import ToolCallMiddleware
from draftroom.page.run_manager import RunManager, ThreadMiddleware
from draftroom.systems import find_system
from draftroom.systems.journalism import JOURNALISM
from draftroom.systems.simplification import SIMPLIFICATION
from nodes.journalism.assessment import measure_draft
from nodes.simplification.logger import measure_version
from runs.checkpoints import open_checkpointer, resolve_checkpoint_address
from runs.deletion import delete_run
from runs.graph_state import build_graph_config
from runs.record import RunRecord, find_record, write_record
from runs.runnable import refresh_record
from runs.threads import hold_thread
from state.computed_findings import DEFAULT_SEVERITY
from state.errors import DraftroomError, InputError
from state.feedback import AuthorDecision
from state.journalism import Draft
from state.records import Values
from state.settings import describe_validation_error
from tools.checks.omissions import find_lost_details
from tools.documents.reading import MAX_BYTES, load_document, load_source_text

STATIC_FOLDER = Path(__file__).parent / "static"  # built from `web/` by `make web`
MAX_REQUEST_BYTES = MAX_BYTES + 1_000_000  # a paper, and room for the other fields of the form
run_manager = RunManager()


@asynccontextmanager
async def manage_lifespan(_: Starlette) -> AsyncIterator[None]:
    """Context manager of the app: cancel attempts of an earlier process."""
    await run_manager.cancel_inherited_attempts()
    yield


async def serve_start(_: Request) -> Response:
    """Answer with the systems, settings and endpoints of the start page."""
    return JSONResponse(await views.build_start_payload())


async def serve_example(request: Request) -> Response:
    """Answer with the result of a recorded run on an example, as a page of its own."""
    path = views.EXAMPLES_FOLDER / "runs" / f"{request.path_params['name']}.json"
    record, values = await asyncio.to_thread(read_result, path)
    page = await asyncio.to_thread(find_system(record["system"]).rendering.formats[".html"], record, values)
    # Its style is in it, and it has no script.
    policy = {"content-security-policy": "default-src 'none'; style-src 'unsafe-inline'"}
    return Response(page, headers=policy, media_type="text/html")


async def serve_runs(request: Request) -> Response:
    """Answer a GET with all runs, and a POST by starting a run on the uploaded paper."""
    if request.method == "GET":
        return JSONResponse(await asyncio.to_thread(views.build_runs_payload, run_manager))
    data, name, form = await read_upload(request)
    settings = _parse_json_object(form.get("settings"), "The settings are")
    options = {key: form[key].strip() for key in ("section", "since") if form.get(key, "").strip()}
    record = await asyncio.to_thread(views.create_run_record, form.get("verb", ""), data, name, settings, options)
    started = await run_manager.start_attempt(record)
    return JSONResponse({"id": record["id"], **started._asdict()}, 201)


async def serve_run(request: Request) -> Response:
    """Answer a GET with a run, its paper and its result so far; a DELETE stops and deletes it."""
    # Before the record is read: the record of a run that ends in between is up to date.
    active = run_manager.list_active_attempts()
    record = await _find_requested_record(request)
    if request.method == "DELETE":
        await run_manager.stop_attempt(record["id"])
        await asyncio.to_thread(delete_run, record)
        return JSONResponse({})
    view = await views.load_run_view(record)
    return JSONResponse(await asyncio.to_thread(views.build_run_payload, *view, active.get(record["id"])))


async def resume_run(request: Request) -> Response:
    """Resume a run, with the answer of the request if it waits for one; respond with the new attempt's ids."""
    record = await _find_requested_record(request)
    given = _parse_json_object(await request.body()).get("answer")
    answer = None
    if given is not None:
        is_kept, items = given == {"keep": True}, given.get("items") if isinstance(given, dict) else None
        lines = [" ".join(str(item).split()) for item in items] if isinstance(items, list) else []
        if not is_kept and not any(lines):
            raise InputError("There is nothing in the answer; keep what is there, or write a line.", kind="empty_input")
        # None accepts the lines that the graph proposes.
        answer = {"advice": None if is_kept else [line for line in lines if line]}
    started = await run_manager.start_attempt({**record, "resumed": record["resumed"] + 1}, answer)
    return JSONResponse(started._asdict())


async def stop_run(request: Request) -> Response:
    """Stop a run of this server and wait until it has ended; respond with an empty object."""
    record = await _find_requested_record(request)
    await run_manager.stop_attempt(record["id"])
    return JSONResponse({})


async def update_decision(request: Request) -> Response:
    """Save a decision on a comment in the run's checkpoints, and respond with all decisions by comment id."""
    record, comment = await _find_requested_record(request), request.path_params["comment"]
    try:
        decision = TypeAdapter(AuthorDecision).validate_python(_parse_json_object(await request.body()))
    except ValidationError as error:
        raise InputError(f"This is no decision: {describe_validation_error(error)}.") from error

    def build_update(values: Values) -> dict[str, Any]:
        """Return the update of the decisions; InputError if the run has no such comment."""
        shown = [item for item in values.get("computed", []) if item["shown"]]
        raised = (*values.get("comments", []), *shown)
        if comment not in {item["id"] for item in raised}:
            raise InputError(f"The run has no comment {comment[:40]!r}.")
        return {"decisions": {comment: decision}}

    return JSONResponse((await _update_state(record, build_update, "rank_comments"))["decisions"])


async def update_text(request: Request) -> Response:
    """Save an edited article or plain text, and respond with its assessment, or itself with its lost details."""
    record = await _find_requested_record(request)
    text = _parse_json_object(await request.body()).get("text")
    if not isinstance(text, str) or not text.strip():
        raise InputError("There is no text.", kind="empty_input")
    if request.url.path.endswith("/article"):
        update = partial(_build_article_update, text)
        return JSONResponse((await _update_state(record, update, "choose_draft", JOURNALISM.name))["assessments"][-1])
    update = partial(_build_plain_text_update, text)
    return JSONResponse((await _update_state(record, update, "finish", SIMPLIFICATION.name))["versions"][-1])


def _build_article_update(text: str, values: Values) -> dict[str, Any]:
    """Return the update that adds an edited article as a new, selected draft."""
    number = values["drafts"][-1]["round"] + 1
    return {
        "drafts": [Draft(round=number, text=text, improvements="")],
        "assessments": [measure_draft(number, text, load_source_text(values["source"]))],
        "article": text,
        "selected_round": number,
        "selected_because": "edited by a person",
    }


def _build_plain_text_update(text: str, values: Values) -> dict[str, Any]:
    """Return the update that adds an edited plain text as a new, selected version with its lost details."""
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


async def export_result(request: Request) -> Response:
    """Respond with the result in the requested format, as a file to download."""
    record, values, _ = await views.load_run_view(await _find_requested_record(request))
    formats = find_system(record["system"]).rendering.formats
    suffix = request.query_params.get("format", "")
    if suffix not in formats:
        raise InputError(f"There is no format {suffix[:20]!r}; choose one of {', '.join(formats)}.")
    result = await asyncio.to_thread(formats[suffix], record, values)
    kind = mimetypes.guess_type(f"result{suffix}")[0] or "application/octet-stream"
    # An attachment is never shown as a page of this server, so its content cannot run there.
    headers = {"content-disposition": f'attachment; filename="{record["id"]}{suffix}"'}
    return Response(result, media_type=kind, headers=headers)


async def serve_paper(request: Request) -> Response:
    """Respond with the PDF that a run works on, or 404 if there is none."""
    record = await _find_requested_record(request)
    path = Path(record["input"]["path"])
    if record["input"]["paper"]["format"] != "pdf" or not await asyncio.to_thread(path.is_file):
        raise HTTPException(404, "The paper is no PDF, or its file is gone.")
    return FileResponse(path, media_type="application/pdf")


async def serve_word_positions(request: Request) -> Response:
    """Respond with the positions of the paper's words on its pages, by paragraph id."""
    record = await _find_requested_record(request)
    document = await asyncio.to_thread(load_document, record["input"]["paper"])
    return JSONResponse({paragraph["id"]: paragraph["words"] for paragraph in document["paragraphs"]})


async def check_uploaded_paper(request: Request) -> Response:
    """Check an uploaded paper for contradictions without a model, and respond with the findings."""
    data, name, fields = await read_upload(request)
    name = views.normalize_file_name(name)
    paper = await asyncio.to_thread(read_run_input_bytes, data, name, scope="whole", max_pages=100)
    references = bool(fields.get("references"))
    report = await asyncio.to_thread(build_paper_report, DEFAULT_SEVERITY, (), paper, references=references)
    document = await asyncio.to_thread(load_document, paper["paper"])
    return JSONResponse({**report, "source": views.build_source_payload(document)})


async def read_upload(request: Request) -> tuple[bytes, str, dict[str, str]]:
    """Return the paper's bytes, its file name (of pasted text the field `name`, or empty), and the fields of a form."""
    # The server accepts no more bytes than this header announces; without it the request is refused.
    if int(request.headers.get("content-length") or MAX_REQUEST_BYTES + 1) > MAX_REQUEST_BYTES:
        raise InputError(
            f"The file is larger than {MAX_BYTES // 1_000_000} MB; pass the paper without its attachments.",
            kind="input_too_long",
        )
    async with request.form(max_files=1, max_fields=10, max_part_size=MAX_BYTES) as form:
        fields = {key: value for key, value in form.items() if isinstance(value, str)}
        file = form.get("file")
        if file is None or isinstance(file, str):
            return fields.pop("text", "").encode(), fields.get("name", ""), fields
        data = await file.read(MAX_BYTES + 1)
        return data, file.filename or "", fields


async def _find_requested_record(request: Request) -> RunRecord:
    """Return the record of the run in the request's path; StateError if there is none."""
    return await asyncio.to_thread(find_record, request.path_params["id"])


def _parse_json_object(given: str | bytes | None, subject: str = "The request is") -> dict[str, Any]:
    """Return a JSON object, empty if nothing is given; raise InputError with this subject if it is none."""
    try:
        value = json.loads(given or "{}")
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise InputError(f"{subject} no JSON object.")
    return value


async def build_error_response(_: Request, error: Exception) -> Response:
    """Return the JSON response for an error of Draftroom (by its kind) or of the web framework."""
    if isinstance(error, HTTPException):
        return JSONResponse({"error": {"kind": "bad_request", "message": str(error.detail)}}, error.status_code)
    assert isinstance(error, DraftroomError)  # noqa: S101 - registered for these two classes only
    return JSONResponse({"error": {"kind": error.kind, "message": str(error)}}, HTTP_STATUSES[error.kind])


def build_page_routes() -> list[Route | Mount]:
    """Return the routes of the page, its API and its static files."""
    run = "/page/api/runs/{id}"
    return [
        Route("/page", lambda _: RedirectResponse("/page/")),
        Route("/page/api/start", serve_start),
        Route("/page/api/examples/{name}", serve_example),
        Mount("/page/examples", StaticFiles(directory=views.EXAMPLES_FOLDER, check_dir=False)),
        Route("/page/api/runs", serve_runs, methods=["GET", "POST"]),
        Route(run, serve_run, methods=["GET", "DELETE"]),
        Route(f"{run}/resume", resume_run, methods=["POST"]),
        Route(f"{run}/stop", stop_run, methods=["POST"]),
        Route(f"{run}/decisions/{{comment}}", update_decision, methods=["PUT"]),
        Route(f"{run}/article", update_text, methods=["PUT"]),
        Route(f"{run}/text", update_text, methods=["PUT"]),
        Route(f"{run}/export", export_result),
        Route(f"{run}/paper", serve_paper),
        Route(f"{run}/words", serve_word_positions),
        Route("/page/api/check", check_uploaded_paper, methods=["POST"]),
        Mount("/page", StaticFiles(directory=STATIC_FOLDER, html=True, check_dir=False)),
    ]


def build_page_app(access: AccessPolicy | None) -> Starlette:
    """Build the app for a server with these rules for access; for None it has only the readiness probe."""
    return Starlette(
        routes=[Route("/ready", views.serve_readiness), *(build_page_routes() if access else [])],
        middleware=[
            *([Middleware(AccessMiddleware, access=access)] if access else []),
            Middleware(ThreadMiddleware),
            Middleware(ToolCallMiddleware),
        ],
        lifespan=manage_lifespan if access else None,
        exception_handlers={DraftroomError: build_error_response, HTTPException: build_error_response},
    )


given = os.environ.get(ACCESS_VARIABLE)
app = build_page_app(AccessPolicy(**json.loads(given)) if given else None)
