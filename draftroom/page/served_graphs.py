"""The graphs that `langgraph.json` and `langgraph.evals.json` serve, each with a check of a run's context."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from langgraph_sdk.runtime import ServerRuntime

import graphs.baselines
import graphs.focused_feedback
import graphs.medical_simplification
import graphs.number_check
import graphs.science_journalism
from runs.graph_state import Graph


def check_contexts(graph: Graph) -> Callable[[ServerRuntime[Any]], Graph]:
    """Return a factory of the graph for LangGraph's server, which refuses a run with a wrong context.

    The server itself leaves out unknown keys of a context, such as misspelt ones, before the graph can refuse them. It
    finds out by the annotations, which must exist at run time, what the factory takes.
    """

    def make_graph(runtime: ServerRuntime[Any]) -> Graph:
        """Return the graph, or raise SettingsError if the context of a run that begins has a wrong key or value."""
        run = runtime.execution_runtime
        context: Mapping[str, Any] = (run.context if run else None) or {}
        assert graph.context_schema is not None  # noqa: S101 - all graphs have one
        # Names with two underscores are the server's and ours, as that of the frozen settings.
        graph.context_schema(**{name: value for name, value in context.items() if not name.startswith("__")})
        return graph

    return make_graph


science_journalism = check_contexts(graphs.science_journalism.graph)
medical_simplification = check_contexts(graphs.medical_simplification.graph)
focused_feedback = check_contexts(graphs.focused_feedback.graph)
number_check = check_contexts(graphs.number_check.graph)
single_model = check_contexts(graphs.baselines.single_model)
chain_of_verification = check_contexts(graphs.baselines.chain_of_verification)
