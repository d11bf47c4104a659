"""Runs the systems of an evaluation on its samples, and takes a stopped evaluation up where it was."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

from langgraph.checkpoint.base import BaseCheckpointSaver

from evals.run_folder import Corpus, RunConfig, RunFolder
from evals.task import EvaluatedSystem, Task
from runs.checkpoints import open_checkpointer
from runs.driver import run_to_its_end
from runs.many import Job, Key, Record, run_jobs
from state.contexts import RunContext
from state.settings import Settings
from tools.models import close_clients

SAMPLES_A_REQUEST = 2
"""Samples to have under way for each request that an endpoint takes at once.

While drafts of some are assessed here, the others keep it busy.
"""
_PACKAGES = ("langgraph", "langchain-openai", "textstat", "nltk", "rouge-score", "sacrebleu", "scipy")
"""Those that figures depend on."""


class Choices(NamedTuple):
    """What is asked of an evaluation beside its data."""

    rows: Sequence[str]
    limit: int | None
    seed: int


def describe_run(task: Task, choices: Choices, corpora: Sequence[Corpus], settings: Settings) -> RunConfig:
    """What makes the run, for its folder. A pause, which would wait for a person, is switched off."""
    roles = [*task.roles, *(role for role in task.optional_roles if settings.names(role))]
    return RunConfig(
        task=task.name,
        corpora=list(corpora),
        rows=list(choices.rows),
        limit=choices.limit,
        seed=choices.seed,
        models={role: settings.model_for(role).model_dump(mode="json") for role in roles},
        settings={
            **getattr(settings, task.kind).model_dump(mode="json"),
            "limits": settings.limits.model_dump(mode="json"),
            "pause": False,
        },
        version=version("draftroom"),
        packages={name: version(name) for name in _PACKAGES},
        commit=_commit(),
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
    )


async def run_systems(task: Task, folder: RunFolder, *, concurrency: int, tell: Callable[[str], None]) -> None:
    """Runs each system that the rows need on each sample, unless its output is in the folder already.

    Models and settings are those on record in the folder, so that a run which is taken up goes on as it began. The
    systems of one sample are started before those of the next, so that a stopped run has whole samples.

    Args:
        task: The evaluation.
        folder: Of the run, begun.
        concurrency: How many samples are under way at once; each asks one model after the other, or several at once.
        tell: Receives a line of progress for each output.
    """
    config, samples = folder.config(), await asyncio.to_thread(folder.samples)
    contexts = await asyncio.to_thread(_contexts, task, config)
    try:
        async with open_checkpointer(f"sqlite:///{folder.checkpoints_file}") as saver:
            jobs: dict[Key, Job] = {
                (sample["id"], name): partial(_output, saver, name, task.systems[name], sample, context)
                for sample in samples
                for name, context in contexts.items()
            }
            await run_jobs(jobs, folder.outputs_file, concurrency, fields=["id", "system"], tell=tell)
    finally:
        await close_clients()


def _contexts(task: Task, config: RunConfig) -> dict[str, RunContext]:
    """What each system of the run's rows runs with."""
    return {name: task.systems[name].choices(config.on_record) for name in task.systems_of(config.rows)}


async def _output(
    saver: BaseCheckpointSaver[str], name: str, system: EvaluatedSystem, sample: Record, context: RunContext
) -> Record:
    begun = perf_counter()
    run_id = f"{sample['id']} {name}"
    output = await run_to_its_end(system.builder, saver, run_id, system.request(sample), context)
    kept = {key: value for key, value in output.items() if key != "settings"}  # the same for all: see config.json
    return {"output": kept, "wall_s": perf_counter() - begun}


def _commit() -> str | None:
    """Of the checkout that this code lies in; none if it was installed."""
    git = shutil.which("git")
    root = Path(__file__).parents[1]
    if git is None or not (root / ".git").exists():
        return None
    found = subprocess.run([git, "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or None
