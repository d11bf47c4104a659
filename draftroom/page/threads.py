"""The runs of the command as threads of LangGraph's server, which forgets its own, too, if it is killed."""

from __future__ import annotations

from langgraph_sdk import get_client
from starlette.types import ASGIApp, Receive, Scope, Send

from draftroom.page.access import IN_PROCESS_ROOT
from draftroom.systems import SYSTEMS
from runs.checkpoints import open_studio_checkpointer
from runs.graph_state import GRAPH_KEY, RUN_KEY
from runs.threads import list_threads


class ThreadMiddleware:
    """ASGI middleware that makes the server's threads of those in the checkpoints before a request for threads."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._known: set[str] = set()  # threads that the server has

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, one that lists threads, or is for one not seen yet, after the missing ones are made."""
        if scope["type"] == "http" and scope.get("root_path") != IN_PROCESS_ROOT:
            place = scope["path"].split("/")
            if place[1:2] == ["threads"] and not self._known.issuperset(place[2:3]):
                await self._make_threads()
        await self._app(scope, receive, send)

    async def _make_threads(self) -> None:
        """Make a thread of the server of each in the checkpoints whose graph is one of ours."""
        async with open_studio_checkpointer() as saver:
            threads = await list_threads(saver, lambda thread, _: thread not in self._known)
        for first, _ in threads:
            thread, graph = first.config["configurable"]["thread_id"], first.metadata.get(GRAPH_KEY)
            if graph in SYSTEMS:
                # Nothing of the paper, which is deleted with its run; the state is read from the checkpoints.
                metadata = {GRAPH_KEY: graph, RUN_KEY: first.metadata.get(RUN_KEY)}
                await get_client().threads.create(thread_id=thread, metadata=metadata, if_exists="do_nothing")
            self._known.add(thread)
