"""Drives a graph from its checkpoints to its end, a question or a stop, and keeps the record and budget of the run.

A run that was killed goes on from its checkpoints, which may be ahead of its record.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, AsyncExitStack, aclosing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Literal, Protocol, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from langgraph.types import Command, StateSnapshot
from pydantic import ValidationError

from runs.checkpoints import open_checkpointer, resolve_checkpoint_address
from runs.graph_state import Graph, StreamState, build_graph_config, build_graph_metadata, compile_graph
from runs.record import (
    RunRecord,
    Status,
    add_failure,
    count_run_calls,
    count_run_tokens,
    format_resume_command,
    lock_thread,
    merge_calls,
    write_record,
)
from runs.runnable import Builder, RunnableGraph, list_calls, refresh_record
from runs.signals import install_signal_handler, run_until_stopped
from state.errors import DraftroomError, InputError, NoUsableResultError, StateError
from state.settings import Settings
from tools.configuration import list_named_code, require_allowed_code
from tools.models.ask import admission_check
from tools.models.endpoint import close_clients

Answer = dict[str, Any]
# Shows the user the question of a paused run; None leaves the run paused.
AnswerCallback = Callable[[Mapping[str, Any]], Answer | None]


# The record is written again when the run has made this share of new calls, so that a call of a long run costs no more
# time than one of a short run.
RECORD_GROWTH_SHARE = 0.1


@dataclass(frozen=True)
class Budget:
    """Most calls and tokens that a run may use, over all its resumes; None is no limit."""

    calls: int | None = None
    tokens: int | None = None


UNLIMITED_BUDGET = Budget()


class RunProgress(AbstractContextManager[object], Protocol):
    """Protocol of a context that receives the progress of a run; it is open while the run's graph is streamed."""

    def on_event(self, event: Mapping[str, Any]) -> None:
        """Receive the beginning, the tokens so far or the end of a model call; `call` tells calls apart."""

    def on_step(self, node: str, update: Mapping[str, Any], values: Mapping[str, Any], tokens: int) -> None:
        """Receive the end of a step.

        Args:
            node: Node that has ended.
            update: Keys of the state that it has written.
            values: State of the graph with the update.
            tokens: Tokens that the run has used so far.
        """

    def on_message(self, text: str) -> None:
        """Receive a message that the user must see."""


@dataclass(frozen=True)
class RunOutcome:
    """How a run that did not fail has ended: done, paused at a question, or stopped; with its record and state."""

    status: Literal["done", "paused", "stopped"]
    record: RunRecord
    values: Mapping[str, Any]
    question: Mapping[str, Any]
    """Question of a paused run; otherwise empty."""
    used_up: str
    """Limit of the budget that stopped the run, and how to go on; otherwise empty."""


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
    """Begin or resume a run, and return its outcome when it is done, waits for a person, or was stopped; blocks.

    Args:
        record: Record of the run; a run without checkpoints begins.
        runnable: Graph of the run's system.
        progress: Receives every call and step.
        checkpoints: Address of the checkpoints of a new run; for others it follows from the record.
        answer: Answer to the question at which the run has paused.
        ask: Asks a person when the run pauses; without it the run stays paused.
        budget: Stops the run before the first call that exceeds it; calls under way are finished.

    Raises:
        DraftroomError: An error that ended the run early. It is in the record, and its note says how to resume.
    """
    with lock_thread(record["thread"]):
        recorder = RunRecorder(record, runnable, budget)
        address = checkpoints or resolve_checkpoint_address(record)
        with recorder.record_failures():
            # The builder's first use imports the graph, which would block the event loop.
            return asyncio.run(_drive_graph(address, runnable.builder, recorder, progress, answer, ask))


async def _drive_graph(
    address: str,
    builder: Builder,
    recorder: RunRecorder,
    progress: RunProgress,
    answer: Answer | None,
    ask: AnswerCallback | None,
) -> RunOutcome:
    """Stream the graph, ask a person at every question, and return the outcome: done, paused or stopped."""
    record, runnable = recorder.record, recorder.runnable
    config: RunnableConfig = {
        **build_graph_config(record["thread"], record["settings"]),
        "run_name": record["system"],
        "metadata": build_graph_metadata(record),
    }
    async with AsyncExitStack() as stack:
        stack.push_async_callback(close_clients)
        saver = await stack.enter_async_context(open_checkpointer(address))
        graph: Graph = builder.compile(checkpointer=saver)

        # 1. Find out where the run stands, and whether this version can resume it.
        snapshot = await graph.aget_state(config, subgraphs=True)
        start = choose_graph_input(snapshot, record, runnable, answer)
        if not runnable.is_finished(snapshot.values):
            await asyncio.to_thread(require_allowed_code, list_named_code(record["settings"]))
            try:
                Settings(**record["settings"])
            except ValidationError:
                raise _make_incompatible_error(record) from None
            if _lacks_state_keys(graph, snapshot):
                raise _make_incompatible_error(record)

        # 2. Stream to the end, from question to question.
        while start is not None or not runnable.is_finished(snapshot.values):
            state = StreamState(snapshot)
            recorder.begin_streaming(state.merge_subgraphs(runnable))
            stopped = await _stream_until_stopped(graph, start, config, state, recorder, progress)
            snapshot = await graph.aget_state(config, subgraphs=True)
            if stopped:
                return _save_outcome("stopped", snapshot, recorder)
            if not snapshot.interrupts:
                break
            reply = _ask_person(ask, snapshot.interrupts[0].value)
            if reply is None:
                return _save_outcome("paused", snapshot, recorder)
            start = Command(resume=reply)

        # 3. LangGraph ends without an error, too, where the next node is no longer in the graph.
        if not runnable.is_finished(snapshot.values):
            raise _make_incompatible_error(record)
        return _save_outcome("done", snapshot, recorder)


def _lacks_state_keys(graph: Graph, snapshot: StateSnapshot) -> bool:
    """Return whether the state of a graph, or of a subgraph at work, was begun without a key that it has today."""
    # The node that sets every key sets the settings, too; before it, the state is the input.
    if "settings" in snapshot.values and graph.builder.state_schema.__annotations__.keys() - snapshot.values.keys():
        return True
    subgraphs: dict[str, Any] = dict(graph.get_subgraphs())
    begun = [task for task in snapshot.tasks if task.name in subgraphs and isinstance(task.state, StateSnapshot)]
    return any(_lacks_state_keys(subgraphs[task.name], cast("StateSnapshot", task.state)) for task in begun)


def choose_graph_input(
    snapshot: StateSnapshot, record: RunRecord, runnable: RunnableGraph, answer: Answer | None
) -> Any:
    """Return the graph's input: that of a new run, a command with the answer, or None to go on from the checkpoints.

    Raises:
        InputError: The run does not wait for an answer.
        StateError: The checkpoints are gone.
    """
    if answer is not None:
        if not snapshot.interrupts:
            raise InputError(f"The run {record['id']} does not wait for an answer; resume it without one.")
        return Command(resume=answer)
    # snapshot.next would be empty, too, after a kill between a step's writes and its checkpoint.
    if snapshot.created_at:
        return None
    if record["usage"]:
        raise StateError(f"The checkpoints of the run {record['id']} are gone; start it anew.", kind="run_incompatible")
    return runnable.graph_input(record["input"])


async def _stream_until_stopped(
    graph: Graph,
    start: Any,
    config: RunnableConfig,
    state: StreamState,
    recorder: RunRecorder,
    progress: RunProgress,
) -> bool:
    """Stream the graph to its end or next question; return whether a signal or the budget stopped it before."""
    control = RunControl()

    async def follow_stream() -> None:
        """Stream the graph into the state, and tell the recorder and the progress of each part."""
        parts = graph.astream(
            start,
            config,
            stream_mode=["values", "updates", "custom"],
            subgraphs=True,
            version="v2",
            durability="sync",  # a step's checkpoint is written before the next step begins
            control=control,
        )
        # A context variable, which the tasks of the graph's nodes inherit.
        admission_check.set(recorder.charge_budget)
        async with aclosing(parts):  # type: ignore[type-var] # an async generator, though it is not declared as one
            async for part in parts:
                if part["type"] == "custom":
                    progress.on_event(part["data"])
                    continue
                steps = state.apply_stream_part(part)
                recorder.track_usage(state.merge_subgraphs(recorder.runnable))
                for node, update in steps:
                    progress.on_step(node, update, recorder.values, recorder.tokens)

    with progress:
        try:
            return await run_until_stopped(follow_stream(), control, progress.on_message)
        except GraphDrained:
            return True


def _ask_person(ask: AnswerCallback | None, question: Mapping[str, Any]) -> Answer | None:
    """Return a person's answer to the question of a paused run, or None if the run is to stay paused."""
    if ask is None:
        return None
    # While a person types, Ctrl-C raises KeyboardInterrupt. The handler of asyncio.run would only cancel its task.
    with install_signal_handler(signal.default_int_handler):
        return ask(question)


def _save_outcome(
    status: Literal["done", "paused", "stopped"], snapshot: StateSnapshot, recorder: RunRecorder
) -> RunOutcome:
    """Write the record with the status that the run ends this attempt with, and return the outcome."""
    recorder.record = {**recorder.record, "checkpoint": snapshot.config["configurable"].get("checkpoint_id", "")}
    recorder.save(status, StreamState(snapshot).merge_subgraphs(recorder.runnable))
    question = snapshot.interrupts[0].value if status == "paused" else {}
    return RunOutcome(status, recorder.record, recorder.values, question, recorder.exhaustion)


def _make_incompatible_error(record: RunRecord) -> StateError:
    """Return, without raising it, the error of checkpoints that do not fit this version."""
    return StateError(
        f"The checkpoints of the run {record['id']} do not fit this version of Draftroom; "
        f"resume it with version {record['version']}, or start it anew.",
        kind="run_incompatible",
    )


class RunRecorder:
    """Keeper of the record and usage of a run that is being driven, which also holds its calls to the budget."""

    def __init__(self, record: RunRecord, runnable: RunnableGraph, budget: Budget) -> None:
        self.record, self.runnable, self._budget = record, runnable, budget
        self.values: Mapping[str, Any] = {}
        self.tokens = 0
        """Tokens of the answered calls, on record or not."""
        self.exhaustion = ""
        """Which limit of the budget is reached, and how to go on."""
        self._calls = 0  # made so far, including those under way
        self._saved = False

    def save(self, status: Status, values: Mapping[str, Any]) -> None:
        """Write the record with a new status, and the usage and results in the state of the graph.

        Raises:
            StateError: The state folder cannot be written.
        """
        self.values = values
        self.record = refresh_record({**self.record, "status": status}, values, self.runnable)
        write_record(self.record)
        self._saved = True

    def begin_streaming(self, values: Mapping[str, Any]) -> None:
        """Write that the run is running, and count its calls and tokens from there on."""
        self.save("running", values)
        self._calls, self.tokens = count_run_calls(self.record), count_run_tokens(self.record)

    def charge_budget(self) -> None:
        """Count a call that is about to be made, or raise `GraphDrained` if the budget is used up.

        Raises:
            GraphDrained: The budget is used up. LangGraph lets the other tasks of the step end, and stores their work.
        """
        budget = self._budget
        for limit, used, unit in ((budget.calls, self._calls, "calls"), (budget.tokens, self.tokens, "tokens")):
            if limit is not None and used >= limit:
                self.exhaustion = (
                    f"The run has used {used:,} {unit} of the {limit:,} that --max-{unit} allows; "
                    f"to go on: {format_resume_command(self.record)} --max-{unit} MORE"
                )
                raise GraphDrained(self.exhaustion)
        self._calls += 1

    def track_usage(self, values: Mapping[str, Any]) -> None:
        """Count the tokens in the graph's state, and write the record if it has grown enough."""
        self.values = values
        answered = merge_calls(list_calls(values), self.record["failures"])
        self.tokens = sum(call["input_tokens"] + call["output_tokens"] for call in answered)
        on_record = count_run_calls(self.record)
        if len(answered) - on_record >= RECORD_GROWTH_SHARE * on_record:
            self.save("running", values)

    @contextmanager
    def record_failures(self) -> Iterator[None]:
        """Record an error that ends the context, add to it how to resume, and raise it again.

        An error before the first `save` leaves no trace, because the run has not begun.
        """
        try:
            yield
        except DraftroomError as error:
            if self._saved:
                self.record = refresh_record(add_failure(self.record, error), self.values, self.runnable)
                if not isinstance(error, NoUsableResultError):
                    error.add_note(f"To go on: {format_resume_command(self.record)}")
            raise
        finally:
            # Any other error leaves the status "running", too.
            if self._saved and self.record["status"] in {"running", "failed"}:
                self.record = {**self.record, "status": "failed"}
                with suppress(StateError):  # the user must hear of the first error
                    write_record(self.record)


async def run_to_completion(
    builder: Builder,
    saver: BaseCheckpointSaver[str],
    run_id: str,
    request: Any,
    settings: Mapping[str, Any],
    control: RunControl | None = None,
) -> dict[str, Any]:
    """Run or resume a graph to its end without progress, questions or a record, and return its output.

    The run's id is the thread of its checkpoints. Its `request`, the input, and its frozen `settings` do not count when
    it is resumed. The caller deletes the checkpoints once it has stored the output, so that no output is lost. When
    `control` is asked to drain, the run stops at its next safe point.

    Raises:
        GraphDrained: The run was stopped; the next call goes on.
        DraftroomError: The run ended early. The next call goes on, or begins again if no answer was usable.
    """
    graph = compile_graph(builder, saver)
    config = build_graph_config(run_id, settings)
    begun = (await graph.aget_state(config)).created_at
    start = None if begun else request
    try:
        output: dict[str, Any] = await graph.ainvoke(start, config, durability="sync", control=control)
    except NoUsableResultError:  # the same answers would lead to the same error again
        await saver.adelete_thread(run_id)
        raise
    return output
