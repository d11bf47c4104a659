"""A run of an evaluation: begun with the samples drawn, kept in a folder, driven there, and taken up where it stopped.

config.json     what makes the run: task, data by hash, rows, seed, models, settings
samples.jsonl   the samples that were drawn; nothing else is needed to score the run again
outputs.jsonl   what each system left for each sample, appended as soon as it is there; or why it failed
outputs.sqlite  checkpoints of the samples under way, unless the settings name a Postgres database for them
scores.json  report.md  report.html  figures/  samples/
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple
from uuid import uuid4

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.runtime import RunControl
from pydantic import BaseModel, ConfigDict, ValidationError

from evals.datasets.corpora import draw_samples, load_corpus, load_examples
from evals.task import EvaluatedSystem, Task
from runs.checkpoints import open_checkpointer
from runs.driver import run_to_completion
from runs.jobs import Record, Workers, read_json_lines, run_rows
from state.errors import InputError, SettingsError, StateError
from state.files import write_atomically
from state.settings import RunContext, Settings
from tools.models import close_clients

SAMPLES_PER_REQUEST = 2
"""Samples to have under way for each request that an endpoint takes at once.

While drafts of some are assessed here, the others keep it busy.
"""
_RECORDED_PACKAGES = ("langgraph", "langchain-openai", "textstat", "nltk", "rouge-score", "sacrebleu", "scipy")
"""Those that figures depend on."""


class EvaluationRequest(NamedTuple):
    """What a person asks for."""

    data: Sequence[Path]
    """Corpora; none: the examples that ship."""
    rows: str | None
    """Names with commas between them, `all`, or none for the usual ones."""
    limit: int | None
    seed: int
    split: str | None


class Corpus(BaseModel):
    """Data that samples were drawn from."""

    model_config = ConfigDict(frozen=True)

    name: str
    file: str
    """Its name, without the folder."""
    sha256: str
    """Of the samples that it holds."""
    available: int
    drawn: int


class RunConfig(BaseModel):
    """What makes a run; a folder is only taken up again by a run that asks for the same."""

    model_config = ConfigDict(frozen=True)

    task: str
    corpora: list[Corpus]
    rows: list[str]
    limit: int | None
    seed: int
    models: dict[str, dict[str, Any]]
    """By role: name, address and sampling; no keys."""
    settings: dict[str, Any]
    """Of the run; the papers' rows take from them where things are only."""
    version: str
    """Of Draftroom."""
    packages: dict[str, str]
    commit: str | None
    """Of the checkout, if it is one."""
    begun: str
    """UTC, ISO 8601."""
    id: str
    """Tells its checkpoints from those of other runs in one database."""

    @property
    def context_fields(self) -> dict[str, Any]:
        """Settings and models, as the fields of a graph's context."""
        return {**self.settings, "models": self.models}


class RunFolder:
    """Files of a run.

    Args:
        path: The folder; made when the run begins.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.json"
        self.samples_file = path / "samples.jsonl"
        self.outputs_file = path / "outputs.jsonl"
        self._checkpoints = f"sqlite:///{path.absolute() / 'outputs.sqlite'}"

    def create_or_extend(self, config: RunConfig, samples: Sequence[Record]) -> RunConfig:
        """Writes down what the run is, or takes up the one that is there; its rows are added up.

        Raises:
            SettingsError: If the folder holds another run; says what differs.
            StateError: If the folder cannot be written.
        """
        there = self.read_run_config() if self.config_file.exists() else None
        if there:
            if differing := _list_differing_choices(there, config):
                raise SettingsError(
                    f"{self.path} holds a run with other {' and '.join(differing)}: choose another folder with --out, "
                    "or the same choices as then."
                )
            config = there.model_copy(update={"rows": list(dict.fromkeys([*there.rows, *config.rows]))})
        try:
            if not there:
                self.path.mkdir(parents=True, exist_ok=True)
                lines = "".join(json.dumps(sample, ensure_ascii=False) + "\n" for sample in samples)
                write_atomically(self.samples_file, lines.encode())
            write_atomically(self.config_file, f"{config.model_dump_json(indent=2)}\n".encode())
        except OSError as error:
            raise StateError(
                f"The run cannot be kept in {self.path} ({error.strerror}); choose another folder with --out.",
                kind="output_unwritable",
            ) from error
        return config

    def read_run_config(self) -> RunConfig:
        """What the run is.

        Raises:
            BadInput: If the folder holds none.
        """
        try:
            config = RunConfig.model_validate_json(self.config_file.read_bytes())
        except OSError as error:
            raise InputError(
                f"{self.path} holds no evaluation: its config.json cannot be read ({error.strerror}); name the folder "
                "of a run.",
                kind="missing_file",
            ) from error
        except ValidationError as error:
            raise InputError(
                f"{self.config_file} is damaged, or of another version of Draftroom; name the folder of another run."
            ) from error
        return config

    def choose_checkpoint_address(self, in_settings: str) -> str:
        """Address of the checkpoints: a file here, unless the settings name a Postgres database."""
        return in_settings if in_settings.startswith("postgres") else self._checkpoints

    def read_samples(self) -> list[Record]:
        """The samples that were drawn.

        Raises:
            BadInput: If they are lost.
        """
        try:
            return read_json_lines(self.samples_file)
        except InputError as error:
            raise InputError(
                f"The samples of the run are lost: {error} Put the file back, or run the evaluation again in another "
                "folder."
            ) from error


def _list_differing_choices(there: RunConfig, wanted: RunConfig) -> list[str]:
    """Names of what two runs differ in, as far as figures would not be comparable; a newer version may go on."""
    if there.task != wanted.task:
        return ["task"]
    before, now = _collect_choices(there), _collect_choices(wanted)
    return [name for name in {**before, **now} if name not in before or name not in now or before[name] != now[name]]


def _collect_choices(config: RunConfig) -> dict[str, Any]:
    """What is chosen for a run beside its rows, which may be added to."""
    fields = dict.fromkeys(field for model in config.models.values() for field in model)
    return {
        "corpora": [(corpus.name, corpus.sha256) for corpus in config.corpora],
        "limit": config.limit,
        "seed": config.seed,
        **{f"models.{field}": {role: model.get(field) for role, model in config.models.items()} for field in fields},
        **{f"settings.{name}": value for name, value in config.settings.items()},
    }


def check_systems(task: Task, rows: Sequence[str], settings: Settings) -> None:
    """Raises a SettingsError if a system that the rows are taken from lacks what it needs."""
    for system in task.list_systems(rows):
        if check := task.systems[system].check:
            check(settings)


def prepare_run(task: Task, wanted: EvaluationRequest, settings: Settings, path: Path) -> RunFolder:
    """Draws the samples and begins the folder of the run, or takes up the one that is there.

    Raises:
        BadInput: If a corpus cannot be read, or two samples have one id.
        SettingsError: If a row is unknown, lacks what it needs, or the folder holds another run.
        StateError: If the folder cannot be written.
    """
    rows = task.parse_row_names(wanted.rows)
    check_systems(task, rows, settings)
    corpora, samples = [], []
    named: Sequence[Path | None] = wanted.data or [None]
    for data in named:
        available = load_corpus(data, task.kind, wanted.split) if data else load_examples(task.kind)
        drawn = draw_samples(available, wanted.limit, wanted.seed)
        corpora += _build_corpus_records(data.name if data else "examples", available, drawn)
        samples += drawn
    counts = Counter(sample["id"] for sample in samples)
    if doubles := [name for name, count in counts.items() if count > 1]:
        raise InputError(f"Two samples have the id {doubles[0]}: give each sample of all corpora an id of its own.")
    folder = RunFolder(path)
    folder.create_or_extend(build_run_config(task, rows, wanted, corpora, settings), samples)
    return folder


def _build_corpus_records(file: str, available: Sequence[Record], drawn: Sequence[Record]) -> list[Corpus]:
    """A file usually holds one corpus."""
    by_name: dict[str, list[Record]] = {}
    for sample in available:
        by_name.setdefault(sample["corpus"], []).append(sample)
    return [
        Corpus(
            name=name,
            file=file,
            sha256=hashlib.sha256(json.dumps(samples, sort_keys=True).encode()).hexdigest(),
            available=len(samples),
            drawn=sum(sample["corpus"] == name for sample in drawn),
        )
        for name, samples in by_name.items()
    ]


def build_run_config(
    task: Task, rows: Sequence[str], wanted: EvaluationRequest, corpora: Sequence[Corpus], settings: Settings
) -> RunConfig:
    """What makes the run, for its folder. A pause, which would wait for a person, is switched off."""
    roles = [*task.roles, *(role for role in task.optional_roles if settings.has_own_model(role))]
    return RunConfig(
        task=task.name,
        corpora=list(corpora),
        rows=list(rows),
        limit=wanted.limit,
        seed=wanted.seed,
        models={role: settings.resolve_model_settings(role).model_dump(mode="json") for role in roles},
        settings={
            **getattr(settings, task.kind).model_dump(mode="json"),
            "limits": settings.limits.model_dump(mode="json"),
            "pause": False,
        },
        version=version("draftroom"),
        packages={name: version(name) for name in _RECORDED_PACKAGES},
        commit=_find_git_commit(),
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
        id=str(uuid4()),
    )


def _find_git_commit() -> str | None:
    """Of the checkout that this code lies in; none if it was installed."""
    git = shutil.which("git")
    root = Path(__file__).parents[1]
    if git is None or not (root / ".git").exists():
        return None
    found = subprocess.run([git, "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
    return found.stdout.strip() or None


async def run_systems(
    load: Callable[[], Task],
    folder: RunFolder,
    workers: Workers,
    *,
    tell: Callable[[str], None],
    control: RunControl,
    checkpoints: str = "sqlite",
) -> None:
    """Runs each system that the rows need on each sample, unless its output is in the folder already.

    Models and settings are those on record in the folder, so that a run which is taken up goes on as it began. The
    systems of one sample are started before those of the next, so that a stopped run has whole samples. What actors of
    a Ray cluster leave is written down here, so the folder need not be shared.

    Args:
        load: Imports the evaluation; it is done in each actor, too.
        folder: Of the run, begun.
        workers: Who works; a sample asks one model after the other, or several at once.
        tell: Receives a line of progress for each output.
        control: Stops it, when it asks to drain, at the next safe point of each sample.
        checkpoints: Where the settings keep checkpoints.

    Raises:
        SettingsError: No cluster answers, or it has several machines and checkpoints are in a file.
    """
    task, config, samples = load(), folder.read_run_config(), await asyncio.to_thread(folder.read_samples)
    names, address = task.list_systems(config.rows), folder.choose_checkpoint_address(checkpoints)
    rows = {(sample["id"], name): {"sample": sample, "system": name} for sample in samples for name in names}
    await run_rows(
        rows.items(),
        SystemWork(load, config, address),
        folder.outputs_file,
        workers,
        keys=rows,
        fields=("id", "system"),
        tell=lambda ended: tell(str(ended)),
        control=control,
        on_one_machine=not address.startswith("postgres"),
    )


class SystemSession(NamedTuple):
    """The systems of a run, with their checkpoints open."""

    systems: Mapping[str, EvaluatedSystem]
    contexts: Mapping[str, RunContext]
    saver: BaseCheckpointSaver[str]
    run: str
    """Its id."""
    control: RunControl

    async def run_row(self, row: Record) -> Record:
        """Run a system on a sample, from its checkpoints if it has any.

        Raises:
            DraftroomError: It has failed.
            GraphDrained: It was stopped.
        """
        sample, name = row["sample"], row["system"]
        begun, system = perf_counter(), self.systems[name]
        thread, request = self._make_thread_id(sample["id"], name), system.request(sample)
        context = await asyncio.to_thread(system.build_sample_context, sample, self.contexts[name])
        output = await run_to_completion(system.builder, self.saver, thread, request, context, self.control)
        kept = {key: value for key, value in output.items() if key != "settings"}  # the same for all: see config.json
        return {"output": kept, "wall_s": perf_counter() - begun}

    async def discard_checkpoints(self, result: Record) -> None:
        """The output is on disk: delete its checkpoints."""
        await self.saver.adelete_thread(self._make_thread_id(result["id"], result["system"]))

    def _make_thread_id(self, sample: str, system: str) -> str:
        return f"{self.run} {sample} {system}"


class SystemWork(NamedTuple):
    """The systems that the rows of a run are taken from, with its models and settings."""

    load: Callable[[], Task]
    config: RunConfig
    checkpoints: str
    """Their address."""

    @asynccontextmanager
    async def open_session(self, control: RunControl) -> AsyncIterator[SystemSession]:
        """Open their checkpoints."""
        task, config = self.load(), self.config
        systems = {name: task.systems[name] for name in task.list_systems(config.rows)}
        contexts = {
            name: await asyncio.to_thread(system.build_context, config.context_fields)
            for name, system in systems.items()
        }
        try:
            async with open_checkpointer(self.checkpoints) as saver:
                yield SystemSession(systems, contexts, saver, config.id, control)
        finally:
            await close_clients()
