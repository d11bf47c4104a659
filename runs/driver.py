"""Drives a graph from its checkpoints to its end, a question, or a stop, and keeps the run's record right.

The record is written when the run begins, pauses, fails, stops or ends, and as it grows. A run that is killed goes on
from its checkpoints, and what the record does not tell of it yet is told by them. Ctrl-C and SIGTERM stop a run at its
next safe point, and the second one at once.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from dataclasses import dataclass
from functools import lru_cache
from types import FrameType, TracebackType
from typing import Any, Literal, Protocol

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphDrained
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import RunControl
from langgraph.types import Command, StateSnapshot
from pydantic import ValidationError

from runs.checkpoints import open_checkpointer, resolve_checkpoint_address
from runs.record import (
    RunRecord,
    add_failure,
    compute_usage,
    count_run_calls,
    count_run_tokens,
    format_current_time,
    list_enabled_extensions,
    lock_run,
    merge_calls,
    write_record,
)
from runs.runnable import Builder, RunnableGraph, Subgraph
from state.errors import DraftroomError, InputError, ModelOutputError, NoUsableResultError, StateError
from state.records import Values
from state.settings import Settings
from tools.models import FAILED_ANSWERS, admission_check, close_clients

Graph = CompiledStateGraph[Any, Any, Any, Any]
Answer = dict[str, Any]
AnswerCallback = Callable[[Mapping[str, Any]], Answer | None]
"""Shows a person the question of a paused run; None leaves it paused."""


class RunProgress(Protocol):
    """Whoever is told how a run goes; open while its graph is at work."""

    def __enter__(self) -> object: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None: ...

    def on_event(self, event: Mapping[str, Any]) -> None:
        """A call begins, has written so many tokens, or has ended, answered or not; `call` tells calls apart."""

    def on_step(self, node: str, update: Mapping[str, Any], values: Mapping[str, Any], tokens: int) -> None:
        """A node has written an update; `values` is the state with it, and `tokens` what the run has used so far."""

    def on_message(self, text: str) -> None:
        """What a person must know."""


@dataclass(frozen=True)
class Budget:
    """What a run may cost, all its resumes together; None is no limit."""

    calls: int | None = None
    tokens: int | None = None

    def describe_exhaustion(self, record: RunRecord, calls: int, tokens: int) -> str:
        """A sentence that says what is used up and how to go on; empty if nothing is.

        Args:
            record: Of the run.
            calls: How many the run has made, those included that are not on record yet.
            tokens: How many they took.
        """
        spent = ((self.calls, calls, "calls"), (self.tokens, tokens, "tokens"))
        for limit, used, what in spent:
            if limit is not None and used >= limit:
                return (
                    f"The run has used {used:,} {what} of the {limit:,} that --max-{what} allows; "
                    f"to go on: {format_resume_command(record)} --max-{what} MORE"
                )
        return ""


@dataclass(frozen=True)
class RunOutcome:
    """How a run stands after it was driven."""

    status: Literal["done", "paused", "stopped"]
    record: RunRecord
    values: Mapping[str, Any]
    question: Mapping[str, Any]
    """What a paused run asks; otherwise empty."""
    used_up: str = ""
    """Of a run that was stopped by its budget: what is used up, and how to go on."""


UNLIMITED_BUDGET = Budget()
RECORD_GROWTH_SHARE = 0.1
"""The record is written anew when the run has made so many more calls, as a share of those on record.

So a call of a long run costs no more than one of a short run, however much there is to write.
"""


def drive_run(
    record: RunRecord,
    runnable: RunnableGraph,
    progress: RunProgress,
    *,
    checkpoints: str | None = None,
    answer: Answer | None = None,
    ask: AnswerCallback | None = None,
    budget: Budget = UNLIMITED_BUDGET,
) -> RunOutcome:
    """Begin or go on with a run, and return when it is done, waits for a person, or was stopped.

    Args:
        record: Of the run; a run without checkpoints begins.
        runnable: The graph of the run's system.
        progress: Told about every call and step.
        checkpoints: Address of the checkpoints of a new run; for others it follows from the record.
        answer: To the question at which the run has paused.
        ask: Asks a person when the run pauses; without it the run stays paused.
        budget: Stops the run where it needs a call more than that; calls under way are finished.

    Raises:
        DraftroomError: Whatever ended the run early. It is in the record, and a note tells how to resume.
    """
    with lock_run(record["id"]):
        runner = _RunDriver(runnable, record, progress, ask, budget)
        return asyncio.run(runner.run(checkpoints or resolve_checkpoint_address(record), answer))


async def run_to_completion(
    builder: Builder,
    saver: BaseCheckpointSaver[str],
    run_id: str,
    request: Any,
    context: Any,
    control: RunControl | None = None,
) -> dict[str, Any]:
    """Run a graph that nobody watches, one of many perhaps, or go on with it where its checkpoints end.

    They stay until whoever has written the output down deletes them, so that it is not lost on the way.

    Args:
        builder: Of the graph.
        saver: Keeps the checkpoints.
        run_id: Of the run: the thread of its checkpoints.
        request: The graph's input.
        context: The graph's settings.
        control: Stops the run, when it asks to drain, at its next safe point.

    Returns:
        The graph's output.

    Raises:
        GraphDrained: It was stopped; the next call goes on.
        DraftroomError: Whatever ended the run early. The next call goes on, or begins anew if no answer was of use.
    """
    graph = _compile_graph(builder, saver)
    config = _build_thread_config(run_id)
    begun = _has_checkpoint(await graph.aget_state(config))
    try:
        output: dict[str, Any] = await graph.ainvoke(
            None if begun else request, config, context=context, durability="sync", control=control
        )
    except NoUsableResultError:  # the answers so far led there
        await saver.adelete_thread(run_id)
        raise
    return output


@lru_cache(maxsize=16)
def _compile_graph(builder: Builder, saver: BaseCheckpointSaver[str]) -> Graph:
    """Once for many runs: the loop that drives them all stands still meanwhile."""
    return builder.compile(checkpointer=saver)


async def load_snapshot(record: RunRecord, runnable: RunnableGraph) -> StateSnapshot:
    """Where the run's graph stands by its checkpoints, with its subgraphs.

    Raises:
        StateError: If its checkpoints cannot be read.
    """
    address, builder = await asyncio.to_thread(
        lambda: (resolve_checkpoint_address(record), runnable.builder)
    )  # both read files
    async with open_checkpointer(address) as saver:
        graph = builder.compile(checkpointer=saver)
        return await graph.aget_state(build_graph_config(record), subgraphs=True)


def load_state(record: RunRecord, runnable: RunnableGraph) -> dict[str, Any]:
    """The newest state of the run's graph; empty if it never wrote one.

    Raises:
        StateError: If its checkpoints cannot be read.
    """
    return StreamState(asyncio.run(load_snapshot(record, runnable))).merge_subgraphs(runnable)


async def load_newest_state(runnable: RunnableGraph, saver: BaseCheckpointSaver[str], run_id: str) -> dict[str, Any]:
    """The newest state of a graph that `run_to_completion` has run; empty if it never wrote one."""
    graph = _compile_graph(runnable.builder, saver)
    return StreamState(await graph.aget_state(_build_thread_config(run_id), subgraphs=True)).merge_subgraphs(runnable)


def refresh_record(record: RunRecord, values: Mapping[str, Any], runnable: RunnableGraph) -> RunRecord:
    """Return the record, updated with the usage and results in the graph's state."""
    calls = merge_calls(runnable.calls(values), record["failures"])
    settings = values.get("settings") or record["settings"]
    return {
        **record,
        "updated": format_current_time(),
        "settings": settings,
        "prompts": {call["prompt"]: call["prompt_sha256"] for call in calls},
        "usage": compute_usage(calls),
        "results": runnable.results(values),
        "extensions": list_enabled_extensions(settings),
    }


def format_resume_command(record: RunRecord) -> str:
    """What a person types to go on."""
    return f"draftroom resume {record['id']}"


def build_graph_config(record: RunRecord) -> RunnableConfig:
    """Where LangGraph finds the checkpoints of a run."""
    return _build_thread_config(record["thread"])


def build_graph_metadata(record: RunRecord) -> dict[str, int]:
    """What agents know of the attempts before, in the metadata of LangGraph's configuration."""
    return {FAILED_ANSWERS: sum(failure["kind"] == ModelOutputError.default_kind for failure in record["failures"])}


def _build_thread_config(thread: str) -> RunnableConfig:
    return {"configurable": {"thread_id": thread}}


def _has_checkpoint(snapshot: StateSnapshot) -> bool:
    """Whether there is a checkpoint. `next` is empty, too, where a step's writes are stored and the next one is not."""
    return snapshot.created_at is not None


class _RunDriver:
    def __init__(
        self,
        runnable: RunnableGraph,
        record: RunRecord,
        progress: RunProgress,
        ask: AnswerCallback | None,
        budget: Budget,
    ) -> None:
        self._runnable = runnable
        self._record = record
        self._progress = progress
        self._ask = ask
        self._budget = budget
        self._config: RunnableConfig = {
            **build_graph_config(record),
            "run_name": record["system"],
            "metadata": build_graph_metadata(record),
        }
        self._context = runnable.build_context(record["settings"])
        self._values: Mapping[str, Any] = {}
        self._begun = False
        """Whether the run has a record and was given to its graph; what fails before leaves no trace."""
        self._calls = 0
        """How many the run has made; those of a step under way are not on record yet."""
        self._tokens = 0
        """How many the answered ones took, on record or not."""
        self._used_up = ""

    async def run(self, checkpoints: str, answer: Answer | None) -> RunOutcome:
        try:
            async with open_checkpointer(checkpoints) as saver:
                graph: Graph = self._runnable.builder.compile(checkpointer=saver)
                snapshot = await graph.aget_state(self._config, subgraphs=True)
                return await self._stream_until_done(graph, snapshot, self._choose_graph_input(snapshot, answer))
        except DraftroomError as error:
            if self._begun:
                self._update_record(add_failure(self._record, error))
                if not isinstance(error, NoUsableResultError):
                    error.add_note(f"To go on: {format_resume_command(self._record)}")
            raise
        finally:
            if self._begun and self._record["status"] in {"running", "failed"}:  # an error is on its way
                self._record = {**self._record, "status": "failed"}
                with suppress(StateError):  # what went wrong first is what the user must hear
                    write_record(self._record)
            await close_clients()

    def _choose_graph_input(self, snapshot: StateSnapshot, answer: Answer | None) -> Any:
        """What to give the graph: its input, an answer, or nothing for going on where it stopped."""
        if answer is not None and not snapshot.interrupts:
            raise InputError(f"The run {self._record['id']} does not wait for an answer; resume it without one.")
        if answer is not None:
            return Command(resume=answer)
        if _has_checkpoint(snapshot):
            return None
        if self._record["usage"]:
            raise StateError(
                f"The checkpoints of the run {self._record['id']} are gone; start it anew.", kind="run_incompatible"
            )
        return self._runnable.graph_input(self._record["input"])

    async def _stream_until_done(self, graph: Graph, snapshot: StateSnapshot, start: Any) -> RunOutcome:
        """Stream, and ask at every question, until there is nothing more to do."""
        if not self._runnable.is_finished(snapshot.values):
            self._check_settings()
        while start is not None or not self._runnable.is_finished(snapshot.values):
            newest = StreamState(snapshot)
            self._save_record("running", newest.merge_subgraphs(self._runnable))
            self._begun = True
            stopped = await self._stream_graph(graph, start, newest)
            snapshot = await graph.aget_state(self._config, subgraphs=True)
            if stopped:
                return self._build_outcome("stopped", snapshot)
            if not snapshot.interrupts:
                break
            reply = self._ask_person(snapshot.interrupts[0].value)
            if reply is None:
                return self._build_outcome("paused", snapshot)
            start = Command(resume=reply)
        if not self._runnable.is_finished(snapshot.values):
            # LangGraph ends silently where the node that comes next is no longer in the graph.
            raise self._make_incompatible_error()
        return self._build_outcome("done", snapshot)

    def _make_incompatible_error(self) -> StateError:
        return StateError(
            f"The checkpoints of the run {self._record['id']} do not fit this version of Draftroom; "
            f"resume it with version {self._record['version']}, or start it anew.",
            kind="run_incompatible",
        )

    def _check_settings(self) -> None:
        try:
            Settings(**self._record["settings"])
        except ValidationError:
            raise self._make_incompatible_error() from None

    def _ask_person(self, question: Mapping[str, Any]) -> Answer | None:
        if self._ask is None:
            return None
        with install_signal_handler(signal.default_int_handler):
            return self._ask(question)

    async def _stream_graph(self, graph: Graph, start: Any, newest: StreamState) -> bool:
        """Run the graph; whether a person stopped it."""
        control = RunControl()
        streaming = asyncio.create_task(self._follow_stream(graph, start, newest, control))
        with self._progress, stop_on_signals(control, streaming, self._progress.on_message):
            try:
                await streaming
            except GraphDrained:
                return True
            except asyncio.CancelledError:
                if not streaming.cancelled():
                    raise
                return True
        return False

    async def _follow_stream(self, graph: Graph, start: Any, newest: StreamState, control: RunControl) -> None:
        parts = graph.astream(
            start,
            self._config,
            context=self._context,
            stream_mode=["values", "updates", "custom"],
            subgraphs=True,
            version="v2",
            durability="sync",
            control=control,
        )
        self._calls, self._tokens = count_run_calls(self._record), count_run_tokens(self._record)
        admission_check.set(self._charge_budget)
        async with aclosing(parts):  # type: ignore[type-var] # an async generator, though it is not declared as one
            async for part in parts:
                if part["type"] == "custom":
                    self._progress.on_event(part["data"])
                    continue
                steps = newest.apply_stream_part(part)
                self._track_usage(newest.merge_subgraphs(self._runnable))
                for node, update in steps:
                    self._progress.on_step(node, update, self._values, self._tokens)

    def _charge_budget(self) -> None:
        """Count a call that is about to be made, or end the run with what it has stored.

        LangGraph lets the other tasks of the step end where one of them raises this error.
        """
        self._used_up = self._budget.describe_exhaustion(self._record, self._calls, self._tokens)
        if self._used_up:
            raise GraphDrained("The budget is used up.")
        self._calls += 1

    def _track_usage(self, values: Mapping[str, Any]) -> None:
        """Keep account of what the run has come to, and write the record if it has grown enough."""
        self._values = values
        answered = merge_calls(self._runnable.calls(values), self._record["failures"])
        self._tokens = sum(call["input_tokens"] + call["output_tokens"] for call in answered)
        on_record = count_run_calls(self._record)
        if len(answered) - on_record >= RECORD_GROWTH_SHARE * on_record:
            self._save_record("running", values)

    def _build_outcome(self, status: Literal["done", "paused", "stopped"], snapshot: StateSnapshot) -> RunOutcome:
        self._save_record(status, StreamState(snapshot).merge_subgraphs(self._runnable))
        question = snapshot.interrupts[0].value if status == "paused" else {}
        return RunOutcome(status, self._record, self._values, question, self._used_up)

    def _save_record(self, status: Literal["running", "done", "paused", "stopped"], values: Mapping[str, Any]) -> None:
        self._values = values
        self._update_record({**self._record, "status": status})
        write_record(self._record)

    def _update_record(self, record: RunRecord) -> None:
        self._record = refresh_record(record, self._values, self._runnable)


Namespace = tuple[str, ...]
"""Where something happens: empty for the graph itself, else the subgraph's node and task."""

NodeUpdate = tuple[str, Values]
"""A node, or a task within one, and what it has written."""

_CACHED_UPDATE_KEY = "__metadata__"
"""Marks updates that a resumed run takes from its checkpoints."""


class StreamState:
    """Begins with what the checkpoints hold and follows the stream of a graph, whose subgraphs have none of their own.

    Args:
        snapshot: State of the graph, read with its subgraphs; it holds what has finished of a step under way, too.
    """

    def __init__(self, snapshot: StateSnapshot) -> None:
        self._values: Values = snapshot.values
        self._subgraphs: dict[Namespace, Values] = {
            (f"{task.name}:{task.id}",): task.state.values
            for task in snapshot.tasks
            if isinstance(task.state, StateSnapshot) and task.result is None
        }
        self._written: dict[Namespace, list[NodeUpdate]] = {}
        self._repeated: set[Namespace] = {(), *self._subgraphs} if snapshot.created_at else set()
        """Whose state the stream of a resumed run begins with once more, without what had finished of its step."""

    def merge_subgraphs(self, graph: RunnableGraph) -> dict[str, Any]:
        """One state of it all, as the functions that read it take it."""
        subgraphs = [
            Subgraph(values, [update for _, update in self._written.get(namespace, [])])
            for namespace, values in self._subgraphs.items()
        ]
        return graph.with_subgraphs(self._values, subgraphs)

    def apply_stream_part(self, part: Mapping[str, Any]) -> list[NodeUpdate]:
        """Take in an update or new values from the stream; `joined` holds the steps that come back from now on."""
        namespace: Namespace = part["ns"]
        if part["type"] == "updates":
            updates: Mapping[str, Any] = {} if _CACHED_UPDATE_KEY in part["data"] else part["data"]
            # A node may have written nothing, and an interrupt is no mapping.
            steps = [(node, update) for node, update in updates.items() if update and isinstance(update, Mapping)]
            self._written.setdefault(namespace, []).extend(steps)
            return steps if namespace else []
        if namespace in self._repeated:
            self._repeated.remove(namespace)
            return []
        steps = self._written.pop(namespace, [])
        if namespace:
            self._subgraphs[namespace] = part["data"]
            return []
        if not part["interrupts"]:  # otherwise its subgraphs have not returned
            self._values, self._subgraphs, self._written = part["data"], {}, {}
        return steps


STOPPING_MESSAGE = "Stopping after the call in progress; press Ctrl-C again to stop now."
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_on_signals(control: RunControl, task: asyncio.Task[None], say: Callable[[str], None]) -> Iterator[None]:
    """While this is open, the first signal drains the run of `control`, and the second cancels `task`."""
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if control.drain_requested:
            task.cancel()
        else:
            control.request_drain()
            say(STOPPING_MESSAGE)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(stop)

    with install_signal_handler(on_signal):
        yield


@contextmanager
def install_signal_handler(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Handle both signals with `handler` for a while."""
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)
