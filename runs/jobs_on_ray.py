"""Runs many jobs on a Ray cluster: each job is a row of a Ray Data dataset, and each actor works on many rows at once.

An actor that dies is started again, on another machine if its own is gone, and gets its rows again. So a job must be
resumable, as runs with checkpoints are. Needs the extra `ray`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from runs.jobs import Key, Record, RowWork, Workers, try_row
from state.errors import SettingsError
from tools.configuration import list_allowed_code

# Ray would send usage statistics, warn of how Ray Data itself makes actors, and start a new cluster when the tasks of a
# stopped one end.
for name, value in (("USAGE_STATS_ENABLED", "0"), ("BACKEND_LOG_LEVEL", "fatal"), ("ENABLE_AUTO_CONNECT", "0")):
    os.environ.setdefault(f"RAY_{name}", value)

try:
    import ray
    import ray.data
    import ray.exceptions
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy
except ImportError as error:
    raise SettingsError("Runs on a Ray cluster need another package: pip install 'draftroom[ray]'.") from error

_POLL_S = 0.2  # between two looks whether the user wants to stop


@asynccontextmanager
async def join_cluster(*, has_local_checkpoints: bool) -> AsyncIterator[int]:
    """Join or start a Ray cluster as a context that yields its number of machines; local checkpoints allow one only.

    Args:
        has_local_checkpoints: Whether the checkpoints can be reached from this machine only.

    Raises:
        SettingsError: No cluster answers at `RAY_ADDRESS`, or not all of its machines reach the checkpoints.
    """
    await asyncio.to_thread(_connect_to_ray)  # in the main thread Ray would replace our handler of SIGTERM
    try:
        machines = sum(node["Alive"] for node in await asyncio.to_thread(ray.nodes))
        if machines > 1 and has_local_checkpoints:
            raise SettingsError(
                f"The Ray cluster has {machines} machines, and checkpoints in a file are on one: set `checkpoints` to "
                "the address of a Postgres database, or leave --engine ray out."
            )
        yield machines
    finally:
        await asyncio.to_thread(ray.shutdown)


def _connect_to_ray() -> None:
    """Connect to the cluster at `RAY_ADDRESS` or on this machine, or start one here; blocks."""
    # On every machine a run finds its paper in the same state folder, and may import what its user allows here.
    home, allowed = os.environ.get("DRAFTROOM_HOME"), ",".join(list_allowed_code())
    given: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    environment = {"env_vars": {"DRAFTROOM_ALLOWED_CODE": allowed, **({"DRAFTROOM_HOME": home} if home else {})}}
    try:
        ray.init(address="auto", runtime_env=environment, **given)
    except ConnectionError as error:
        if address := os.environ.get("RAY_ADDRESS"):
            raise SettingsError(
                f"No Ray cluster lets us in at {address!r}, as RAY_ADDRESS says; correct it, set RAY_AUTH_MODE=token "
                "if the cluster asks for a token, or unset it to use one here."
            ) from error
        ray.init(address="local", include_dashboard=False, **given)


async def iterate_ray_results(
    rows: Iterable[tuple[Key, Record]], work: RowWork, workers: Workers, control: RunControl
) -> AsyncIterator[tuple[Key, Record]]:
    """Work on rows in the cluster that was joined, and yield the key and result of each when it has ended.

    A row that failed has a result with `error`. When `control` asks to drain, no further row begins, and rows under way
    end where they can be resumed.
    """
    items = [{"key": json.dumps(key), "row": json.dumps(row)} for key, row in rows]
    if not items:
        return
    here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
    stop_signal = ray.remote(_StopSignal).options(num_cpus=0, scheduling_strategy=here).remote()
    # Without `prefetch_batches=0` an answer would wait for the next one.
    answers = _build_dataset(items, work, workers, stop_signal).iter_batches(
        batch_size=None, batch_format="pyarrow", prefetch_batches=0
    )
    coming, idle = (row for batch in answers for row in batch.to_pylist()), dict[str, int]()
    while answer := await _wait_for_answer(coming, control, stop_signal):
        if answer["result"]:
            yield tuple(json.loads(answer["key"])), json.loads(answer["result"])
        if control.drain_requested:
            idle[answer["actor"]] = answer["under_way"]
            if len(idle) == workers.actors and not any(idle.values()):
                break  # the actors would only hand the other rows back, one after the other
    # End the work on rows whose results are not needed.
    await asyncio.to_thread(coming.close)
    # A thread of Ray Data that asks Ray for anything after the process has left the cluster would end the process.
    for thread in threading.enumerate():
        if thread.name.startswith(("StreamingExecutor-", "iter_threaded")):
            await asyncio.to_thread(thread.join)


def _build_dataset(items: list[dict[str, str]], work: RowWork, workers: Workers, stop_signal: Any) -> Any:
    """Build the dataset whose rows are the actors' answers to the items; the work begins when it is iterated over."""
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.print_on_execution_start = False
    logging.getLogger("ray.data").setLevel(logging.CRITICAL)  # errors are raised, too
    # A block holds one row, so that no row waits for another one to be handed over.
    return ray.data.from_items(items, override_num_blocks=len(items)).map_batches(
        _Worker,
        fn_constructor_args=(work, stop_signal),
        batch_size=1,
        compute=ray.data.ActorPoolStrategy(
            size=workers.actors,
            max_concurrent_calls_per_actor=workers.at_once,
            max_tasks_in_flight_per_actor=workers.at_once,
        ),
        num_cpus=0,  # actors only wait for models, and must fit on any machine when their own is gone
    )


async def _wait_for_answer(coming: Iterator[Record], control: RunControl, stop_signal: Any) -> Record | None:
    """Return the next answer or None at the end; pass a stop on to the actors while waiting."""
    answer = asyncio.ensure_future(asyncio.to_thread(next, coming, None))
    while not answer.done() and not control.drain_requested:
        await asyncio.wait({answer}, timeout=_POLL_S)
    if control.drain_requested:
        await stop_signal.request_stop.remote()
    try:
        return await answer
    except ray.exceptions.RayError as error:
        reason = str(error).strip().splitlines()[-1]
        raise SettingsError(
            f"The Ray cluster cannot do the work ({reason}); see whether it is well (ray status), and whether each of "
            "its machines has this version of Draftroom with the extra `ray`."
        ) from error


class _StopSignal:
    """Actor that tells all workers to begin no further row."""

    def __init__(self) -> None:
        self._requested = asyncio.Event()

    async def request_stop(self) -> None:
        self._requested.set()

    async def wait_for_stop(self) -> None:
        await self._requested.wait()


class _Worker:
    """Class of the actors, each of which works on many rows at once; Ray calls it with batches of one row."""

    def __init__(self, work: RowWork, stop_signal: Any) -> None:
        self._work, self._stop_signal = work, stop_signal
        self._control = RunControl()
        self._opening = asyncio.Lock()
        self._session: RowWork | None = None
        self._under_way = 0

    async def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        """Work on the row of a batch, and return its key, its JSON result (empty if stopped), and the actor's load."""
        self._under_way += 1
        result = None
        try:
            async with self._opening:  # the first row opens the session of all rows
                if not self._session:
                    self._stack = AsyncExitStack()  # open until the process ends
                    self._session = await self._stack.enter_async_context(self._work.open_session(self._control))
                    self._listening = asyncio.create_task(self._listen_for_stop())
            if not self._control.drain_requested:
                result = await try_row(self._session, json.loads(batch["row"][0]))
        except GraphDrained:
            pass  # the row has no result, and begins again in the next call
        finally:
            self._under_way -= 1
        return {
            "key": [batch["key"][0]],
            "result": [json.dumps(result) if result else ""],
            "actor": [ray.get_runtime_context().get_actor_id()],
            "under_way": [self._under_way],
        }

    async def _listen_for_stop(self) -> None:
        """Wait for the stop signal, and drain the rows under way."""
        await self._stop_signal.wait_for_stop.remote()
        self._control.request_drain()
