"""OpenTelemetry traces of runs: a span for the run, each node and each model call, to the address that the user names.

Nothing is traced unless `DRAFTROOM_TRACES` names an address, and no text of a paper, a prompt or an answer is ever in a
trace. LangChain hands a `Tracer` to every graph of the process, however it was begun: by the command, from Python, or
by LangGraph's server.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any
from uuid import UUID

from langchain_core.callbacks import BaseCallbackHandler, BaseCallbackManager
from langchain_core.tracers.context import register_configure_hook
from langgraph.config import get_config
from langgraph.errors import GraphBubbleUp

from state.errors import DraftroomError, SettingsError

if TYPE_CHECKING:
    from opentelemetry import trace

ADDRESS = "DRAFTROOM_TRACES"
"""The variable that names the collector; it speaks OTLP over HTTP. Headers are set by OpenTelemetry's own variables."""
PATH = "/v1/traces"
_PATIENCE_S = 5
"""For a collector; a run never waits for it, only the end of the process does."""


class Tracer(BaseCallbackHandler):
    """Makes spans of what LangGraph runs: of a graph that nobody else runs, and of its nodes."""

    raise_error = True  # an address that cannot be used is told before anything is spent
    run_inline = True

    def __init__(self) -> None:
        self._spans: dict[UUID, trace.Span] = {}
        """What is under way; of what is neither a run nor a node, the span that it is part of."""

    def on_chain_start(
        self,
        *_: Any,
        run_id: UUID,
        parent_run_id: UUID | None = None,
        metadata: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        """A graph, a node, or a part of one begins."""
        told, name = metadata or {}, str(more.get("name") or "run")
        parent = self._spans.get(parent_run_id) if parent_run_id else None
        if parent is None:
            self._spans[run_id] = _span(name, None, {"draftroom.thread": str(told.get("thread_id", ""))})
        elif name == told.get("langgraph_node") and told.get("langgraph_path", ("",))[-1] is not True:  # a task
            self._spans[run_id] = _span(name, parent, {"draftroom.step": int(told.get("langgraph_step", 0))})
        else:
            self._spans[run_id] = parent

    def on_chain_end(self, *_: Any, run_id: UUID, parent_run_id: UUID | None = None, **__: Any) -> None:
        """It has ended."""
        self._end(run_id, parent_run_id, None)

    def on_chain_error(
        self, error: BaseException, *, run_id: UUID, parent_run_id: UUID | None = None, **_: Any
    ) -> None:
        """It was ended by an error."""
        self._end(run_id, parent_run_id, error)

    def span_of(self, run_id: UUID | None) -> trace.Span | None:
        """The span that something under way is part of."""
        return self._spans.get(run_id) if run_id else None

    def _end(self, run_id: UUID, parent_run_id: UUID | None, error: BaseException | None) -> None:
        span = self._spans.pop(run_id, None)
        if span is not None and span is not self.span_of(parent_run_id):
            _finish(span, error)


@contextmanager
def traced_call(model: str, **attributes: str | int) -> Iterator[dict[str, Any]]:
    """Trace a call of a model inside a node, if traces are asked for.

    Args:
        model: Its name.
        attributes: What else is known of the call before it is made.

    Yields:
        What becomes known of it, to be filled in.
    """
    known: dict[str, Any] = {}
    parent = _span_of_node() if os.environ.get(ADDRESS) else None
    if parent is None:
        yield known
        return
    span = _span(f"chat {model}", parent, {"gen_ai.operation.name": "chat", "gen_ai.request.model": model} | attributes)
    try:
        yield known
    except BaseException as error:
        _finish(span, error)
        raise
    span.set_attributes(known)
    _finish(span, None)


def _span_of_node() -> trace.Span | None:
    callbacks = get_config().get("callbacks")
    if not isinstance(callbacks, BaseCallbackManager):
        return None
    tracers = [handler for handler in callbacks.handlers if isinstance(handler, Tracer)]
    return tracers[0].span_of(callbacks.parent_run_id) if tracers else None


def _span(name: str, parent: trace.Span | None, attributes: Mapping[str, str | int]) -> trace.Span:
    from opentelemetry import context, trace  # noqa: PLC0415 - an optional package

    within = trace.set_span_in_context(parent, context.Context()) if parent else context.Context()
    return _otel_tracer(os.environ[ADDRESS]).start_span(name, within, attributes=attributes)


def _finish(span: trace.Span, error: BaseException | None) -> None:
    """End a span; of an error only its kind is told, for its words may quote a server's, and so a prompt."""
    from opentelemetry import trace  # noqa: PLC0415 - an optional package

    if error is not None and not isinstance(error, GraphBubbleUp):  # that is how LangGraph pauses and stops
        kind = error.kind if isinstance(error, DraftroomError) else type(error).__name__
        span.set_attribute("error.type", kind)
        span.set_status(trace.StatusCode.ERROR)
    span.end()


@cache
def _otel_tracer(address: str) -> trace.Tracer:
    """Sends spans to a collector in the background, and what is left when the process ends."""
    if not address.startswith(("http://", "https://")):
        raise SettingsError(f"{ADDRESS} is no address of a collector ({address!r}); name one like http://host:4318.")
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415
    except ImportError as error:
        raise SettingsError(f"{ADDRESS} needs other packages: pip install 'draftroom[traces]'.") from error
    endpoint = address if address.endswith(PATH) else address.rstrip("/") + PATH
    provider = TracerProvider(resource=Resource.create({"service.name": "draftroom"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=_PATIENCE_S)))
    return provider.get_tracer("draftroom")


_tracer: ContextVar[Tracer | None] = ContextVar("tracer", default=None)
"""Never set: the variable of the environment has LangChain make one for each run."""
register_configure_hook(_tracer, inheritable=True, handle_class=Tracer, env_var=ADDRESS)
