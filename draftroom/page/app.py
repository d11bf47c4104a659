"""The part of LangGraph's server that is ours: the page, its runs, uploads, exports and a person's decisions.

`langgraph.json` mounts it. It answers only where `draftroom open` has started the server and said who may talk to it.
"""

from __future__ import annotations

import asyncio
import json
import mimetypes
import webbrowser
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from draftroom.files import read_run_input_bytes
from draftroom.page import changes, views
from draftroom.page.access import AccessMiddleware, AccessPolicy
from draftroom.page.run_manager import RunManager
from draftroom.systems import find_system
from runs.deletion import delete_run
from runs.record import RunRecord, find_record
from state.computed_findings import select_findings
from state.errors import DraftroomError, ErrorKind, InputError
from tools.configuration import load_settings
from tools.documents.reading import MAX_BYTES, load_document
from tools.literature.references import look_up_references
from tools.numbers import check_paper

STATIC_FOLDER = Path(__file__).parent / "static"
"""Built from `web/` by `make web`."""

MAX_REQUEST_BYTES = MAX_BYTES + 1_000_000
HTTP_STATUSES: dict[ErrorKind, int] = {
    "run_not_found": 404,
    "missing_file": 404,
    "run_busy": 409,
    "run_incompatible": 409,
    "input_too_long": 413,
    "binary_input": 415,
    "endpoint_down": 502,
    "state_unwritable": 500,
    "disk_full": 507,
}
"""All others are 422: the request was understood, and cannot be done as it is."""

run_manager = RunManager()


@asynccontextmanager
async def manage_lifespan(access: AccessPolicy) -> AsyncIterator[None]:
    """Begin with no attempt under way, and show the page as soon as the server listens, which is after this began."""
    await run_manager.cancel_inherited_attempts()

    async def show() -> None:
        address = urlsplit(access.browser)
        while True:
            try:
                _, writer = await asyncio.open_connection(address.hostname, address.port)
            except OSError:
                await asyncio.sleep(0.1)
                continue
            writer.close()
            await asyncio.to_thread(webbrowser.open, access.browser)
            return

    showing = asyncio.create_task(show()) if access.browser else None
    yield
    if showing:
        showing.cancel()


async def serve_start(_: Request) -> Response:
    """What can be done here."""
    return JSONResponse(await views.build_start_payload())


async def serve_runs(request: Request) -> Response:
    """All runs; or begin one."""
    if request.method == "GET":
        return JSONResponse(await asyncio.to_thread(views.build_runs_payload, run_manager))
    data, name, form = await read_upload(request)
    try:
        settings = json.loads(form.get("settings") or "{}")
    except ValueError:
        settings = None
    if not isinstance(settings, dict):
        raise InputError("The settings are no JSON object.")
    request_of_graph = {key: form[key].strip() for key in ("section", "since") if form.get(key, "").strip()}
    record = await asyncio.to_thread(
        views.create_run_record, form.get("verb", ""), data, name, settings, request_of_graph
    )
    started = await run_manager.start_attempt(record)
    return JSONResponse({"id": record["id"], **started._asdict()}, 201)


async def serve_run(request: Request) -> Response:
    """One run; or delete it."""
    driven = (
        run_manager.list_active_attempts()
    )  # before the record: of a run that ends now, that is the right one by then
    record = await _find_requested_record(request)
    if request.method == "DELETE":
        await run_manager.stop_attempt(record["id"])
        await asyncio.to_thread(delete_run, record)
        return JSONResponse({})
    view = await views.load_run_view(record)
    return JSONResponse(await asyncio.to_thread(views.build_run_payload, view, driven.get(record["id"])))


async def resume_run(request: Request) -> Response:
    """Go on with a run, with an answer if it waits for one."""
    record = await _find_requested_record(request)
    asked = (await _parse_json_body(request)).get("answer")
    answer = None if asked is None else {"advice": _validate_answer_lines(asked.get("items"))}
    started = await run_manager.start_attempt({**record, "resumed": record["resumed"] + 1}, answer)
    return JSONResponse(started._asdict())


async def stop_run(request: Request) -> Response:
    """Stop a run that this server drives."""
    record = await _find_requested_record(request)
    await run_manager.stop_attempt(record["id"])
    return JSONResponse({})


async def update_decision(request: Request) -> Response:
    """Keep what a person makes of a comment."""
    record = await _find_requested_record(request)
    return JSONResponse(
        await changes.save_decision(record, request.path_params["comment"], await _parse_json_body(request))
    )


async def update_article(request: Request) -> Response:
    """Keep an article as a person has edited it, and look at it again."""
    return JSONResponse(
        await changes.edit_article(await _find_requested_record(request), await _parse_edited_text(request))
    )


async def update_plain_text(request: Request) -> Response:
    """Keep a plain text as a person has edited it, and look at it again."""
    return JSONResponse(
        await changes.edit_plain_text(await _find_requested_record(request), await _parse_edited_text(request))
    )


async def export_result(request: Request) -> Response:
    """The result as a file."""
    view = await views.load_run_view(await _find_requested_record(request))
    formats = find_system(view.record["system"]).rendering.formats
    suffix = request.query_params.get("format", "")
    if suffix not in formats:
        raise InputError(f"There is no format {suffix[:20]!r}; choose one of {', '.join(formats)}.")
    result = await asyncio.to_thread(formats[suffix], view.record, view.values)
    kind = mimetypes.guess_type(f"result{suffix}")[0] or "application/octet-stream"
    # Never shown as a page of this server, whatever is in it.
    named = {"content-disposition": f'attachment; filename="{view.record["id"]}{suffix}"'}
    return Response(result, media_type=kind, headers=named)


async def serve_paper(request: Request) -> Response:
    """The PDF that a run was given."""
    record = await _find_requested_record(request)
    path = Path(record["input"]["path"])
    if record["input"]["paper"]["format"] != "pdf" or not await asyncio.to_thread(path.is_file):
        raise HTTPException(404, "The paper is no PDF, or its file is gone.")
    return FileResponse(path, media_type="application/pdf")


async def serve_word_positions(request: Request) -> Response:
    """Where the words of that PDF stand on its pages."""
    return JSONResponse(await asyncio.to_thread(views.load_word_positions, await _find_requested_record(request)))


async def check_uploaded_paper(request: Request) -> Response:
    """What a paper contradicts in itself; no model is asked."""
    data, name, fields = await read_upload(request)
    taken = await asyncio.to_thread(
        read_run_input_bytes, data, views.normalize_file_name(name), scope="whole", max_pages=100
    )
    document = await asyncio.to_thread(load_document, taken["paper"])
    report = await asyncio.to_thread(check_paper, document, taken["paper"]["warnings"])
    if fields.get("references"):
        literature = load_settings().feedback.literature
        report = await asyncio.to_thread(look_up_references, report, document, literature)
    return JSONResponse({**select_findings(report), "source": views.build_source_payload(document)})


async def read_upload(request: Request) -> tuple[bytes, str, dict[str, str]]:
    """A paper, its name, and the other fields of a form; the server sees to it that no more comes than is told."""
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
    return await asyncio.to_thread(find_record, request.path_params["id"])


async def _parse_json_body(request: Request) -> dict[str, Any]:
    try:
        body = json.loads(await request.body() or b"{}")
    except ValueError:
        body = None
    if not isinstance(body, dict):
        raise InputError("The request is no JSON object.")
    return body


async def _parse_edited_text(request: Request) -> str:
    text = (await _parse_json_body(request)).get("text")
    if not isinstance(text, str) or not text.strip():
        raise InputError("There is no text.", kind="empty_input")
    return text


def _validate_answer_lines(items: Any) -> list[str] | None:
    """A person's advice or questions; None for those that the graph has itself."""
    if items is None:
        return None
    lines = [" ".join(str(item).split()) for item in items] if isinstance(items, list) else []
    if not any(lines):
        raise InputError("There is nothing in the answer; keep what is there, or write a line.", kind="empty_input")
    return [line for line in lines if line]


async def build_error_response(_: Request, error: Exception) -> Response:
    """An error as the page shows it."""
    assert isinstance(error, DraftroomError)  # noqa: S101 - it is registered for no other
    return JSONResponse({"error": {"kind": error.kind, "message": str(error)}}, HTTP_STATUSES.get(error.kind, 422))


async def build_http_error_response(_: Request, error: Exception) -> Response:
    """The same for what the web framework refuses."""
    assert isinstance(error, HTTPException)  # noqa: S101 - it is registered for no other
    return JSONResponse({"error": {"kind": "bad_request", "message": str(error.detail)}}, error.status_code)


def build_page_routes() -> list[Route | Mount]:
    """The page and what it asks for."""
    one = "/page/api/runs/{id}"
    return [
        Route("/page", lambda _: RedirectResponse("/page/")),
        Route("/page/api/start", serve_start),
        Route("/page/api/runs", serve_runs, methods=["GET", "POST"]),
        Route(one, serve_run, methods=["GET", "DELETE"]),
        Route(f"{one}/resume", resume_run, methods=["POST"]),
        Route(f"{one}/stop", stop_run, methods=["POST"]),
        Route(f"{one}/decisions/{{comment}}", update_decision, methods=["PUT"]),
        Route(f"{one}/article", update_article, methods=["PUT"]),
        Route(f"{one}/text", update_plain_text, methods=["PUT"]),
        Route(f"{one}/export", export_result),
        Route(f"{one}/paper", serve_paper),
        Route(f"{one}/words", serve_word_positions),
        Route("/page/api/check", check_uploaded_paper, methods=["POST"]),
        Mount("/page", StaticFiles(directory=STATIC_FOLDER, html=True, check_dir=False)),
    ]


def build_page_app(access: AccessPolicy | None) -> Starlette:
    """The app for a server that these may talk to; without a page if nobody has said who may."""
    return Starlette(
        routes=[Route("/ready", views.serve_readiness), *(build_page_routes() if access else [])],
        middleware=[Middleware(AccessMiddleware, access=access)] if access else [],
        lifespan=(lambda _: manage_lifespan(access)) if access else None,
        exception_handlers={DraftroomError: build_error_response, HTTPException: build_http_error_response},
    )


app = build_page_app(AccessPolicy.from_environment())
