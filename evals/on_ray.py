"""A run of an evaluation on a Ray cluster: actors run the systems, and what they leave is written down here.

So the folder of the run need not be shared; checkpoints are in Postgres as soon as there is more than one machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import NamedTuple

from langgraph.runtime import RunControl

from evals.run import FIELDS, RunConfig, RunFolder, opened
from evals.task import Task
from runs.many import Ledger, Record
from runs.many_on_ray import Actors, Do, joined_cluster, results_on_ray


class RemoteSystems(NamedTuple):
    """What an actor must know to run the systems of a run on samples."""

    load: Callable[[], Task]
    config: RunConfig
    checkpoints: str

    @asynccontextmanager
    async def opened(self, control: RunControl) -> AsyncIterator[Do]:
        """Open their checkpoints."""
        async with opened(self.load(), self.config, self.checkpoints, control) as running:

            async def do(row: Record) -> Record:
                return await running.output(row["sample"], row["system"])

            yield do


async def run_systems_on_ray(
    load: Callable[[], Task],
    folder: RunFolder,
    actors: Actors,
    *,
    tell: Callable[[str], None],
    control: RunControl,
    checkpoints: str,
) -> None:
    """Runs what `run_systems` runs, in the actors of the Ray cluster that is found, or started here.

    Args:
        load: Imports the evaluation; it is done in each actor, too.
        folder: Of the run, begun.
        actors: How many, and how many samples each has under way.
        tell: Receives a line of progress for each output.
        control: Stops it, when it asks to drain, at the next safe point of each sample.
        checkpoints: Where the settings keep checkpoints.

    Raises:
        SettingsError: No cluster answers, or it has several machines and checkpoints are in a file.
    """
    task, config, samples = load(), folder.config(), await asyncio.to_thread(folder.samples)
    jobs = {(sample["id"], name): sample for sample in samples for name in task.systems_of(config.rows)}
    address = folder.checkpoints(checkpoints)
    async with opened(task, config, address, control) as running:
        ledger = Ledger(folder.outputs_file, FIELDS, lambda ended: tell(str(ended)), running.forget)
        await ledger.open(jobs, retry_failed=True)
        rows = ((key, {"sample": sample, "system": key[1]}) for key, sample in jobs.items() if ledger.waits(key))
        async with joined_cluster(on_one_machine=not address.startswith("postgres")):
            async for key, result in results_on_ray(rows, RemoteSystems(load, config, address), actors, control):
                await ledger.enter(key, result)
