"""The graphs that `langgraph.json` and `langgraph.evals.json` serve, as parts of the runs of the command."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph_api.errors import UserInterrupt
from langgraph_sdk.runtime import ServerRuntime

import graphs.baselines
import graphs.focused_feedback
import graphs.medical_simplification
import graphs.number_check
import graphs.science_journalism
from draftroom.systems import GRAPHS
from nodes.shared import FROZEN_SETTINGS
from runs.graph_state import Graph
from runs.record import load_records
from runs.threads import hold_thread, update_records
from state.errors import DraftroomError, SettingsError
from tools.configuration import SERVES_CLIENTS


def serve(graph: Graph) -> Callable[..., AbstractAsyncContextManager[Graph]]:
    """Return the factory of a graph for LangGraph's server, which finds out by the annotations what it takes."""

    @asynccontextmanager
    async def open_graph(config: RunnableConfig, runtime: ServerRuntime[Any]) -> AsyncIterator[Graph]:
        """Yield the graph; for a run, check its context, lock its thread, and write its record at its end.

        Raises:
            SettingsError: The context has a wrong key or value, of which the server would leave out an unknown key, or
                a client gives frozen settings.
            StateError: Another process drives the run of this thread.
        """
        run, error = runtime.execution_runtime, None
        if run is None:
            yield graph
            return
        assert graph.context_schema is not None  # noqa: S101 - all graphs have one
        # Names with two underscores are the server's and ours, as that of the frozen settings.
        graph.context_schema(
            **{name: value for name, value in (run.context or {}).items() if not name.startswith("__")}
        )
        thread = str(config["configurable"]["thread_id"])
        if (frozen := config["configurable"].get(FROZEN_SETTINGS)) is not None:
            # The page has them from the thread's record.
            records = (await asyncio.to_thread(load_records)).readable
            if not any(record["thread"] == thread and record["settings"] == frozen for record in records):
                raise SettingsError(f"Give settings as the `context` of a run, without `{FROZEN_SETTINGS}`.")
        async with hold_thread(thread):
            try:
                yield graph
            except UserInterrupt:  # the run is stopped
                raise
            except Exception as failure:
                unknown = f"{type(failure).__name__}: this is a mistake in the program; the log of the server has more."
                error = failure if isinstance(failure, DraftroomError) else DraftroomError(unknown)
                raise
            finally:
                for problem in await asyncio.to_thread(update_records, GRAPHS, thread, error):
                    logging.getLogger(__name__).warning(problem)  # the outcome of the run stays as it is

    return open_graph


SERVES_CLIENTS.set()
science_journalism = serve(graphs.science_journalism.graph)
medical_simplification = serve(graphs.medical_simplification.graph)
focused_feedback = serve(graphs.focused_feedback.graph)
number_check = serve(graphs.number_check.graph)
single_model = serve(graphs.baselines.single_model)
chain_of_verification = serve(graphs.baselines.chain_of_verification)
