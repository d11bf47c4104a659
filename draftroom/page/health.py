"""Whether a server could do a run now: what an orchestrator asks before it sends anybody there.

LangGraph's own `/ok` tells that the server is alive. This tells whether its state folder, its checkpoints and the
endpoints of its models can be used, without a word on where they are.
"""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from draftroom.doctor import Check, checkpoints_open, distinct_models, failed, folder_is_writable
from state.errors import DraftroomError
from state.files import state_folder
from state.model_settings import ModelSettings
from tools.configuration import load_settings
from tools.models.endpoint import describe_endpoint, forget_endpoint

PATH = "/ready"


async def ready(_: Request) -> Response:
    """200 if everything that a run needs can be used, otherwise 503; the names of what cannot, and why by kind."""
    problems = {check.name: check.kind for check in await checks() if check.status == "failed"}
    return JSONResponse({"ready": not problems, "problems": problems}, 503 if problems else 200)


async def checks() -> list[Check]:
    """The checks of `draftroom doctor` that take no more than a moment and ask no model for an answer."""
    try:
        settings = await asyncio.to_thread(load_settings)
    except DraftroomError as error:
        return [failed("settings", error)]
    models = distinct_models(settings).values()
    return [
        await asyncio.to_thread(folder_is_writable, state_folder().absolute()),
        await checkpoints_open(settings.checkpoints),
        *await asyncio.gather(*map(endpoint_answers, models)),
    ]


async def endpoint_answers(model: ModelSettings) -> Check:
    """Whether an endpoint answers now, and serves its model."""
    forget_endpoint(model)
    try:
        await describe_endpoint(model)
    except DraftroomError as error:
        return failed("models", error)
    return Check("models", "ok", "It answers.")
