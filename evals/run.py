"""Running an evaluation: drawing samples, running the systems on them, and resuming a stopped run.

A run has a folder with these files:

config.json     the run's choices: task, data by hash, rows, seed, models, settings
samples.jsonl   the samples that were drawn; the run can be scored again without the corpora
outputs.jsonl   the output or the error of each system on each sample, appended as soon as it is known
outputs.sqlite  checkpoints of unfinished samples, unless the settings name a Postgres database for them
scores.json  report.md  report.html  figures/  samples/
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import shutil
import subprocess
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple, Self
from uuid import uuid4

from langgraph.runtime import RunControl
from pydantic import BaseModel, ConfigDict

from evals.datasets.corpora import draw_samples, load_corpus, load_examples
from evals.task import Task
from runs.checkpoints import open_checkpointer
from runs.driver import run_to_completion
from runs.jobs import Record, RowWork, Workers, read_json_lines, run_rows
from state.errors import InputError, SettingsError, StateError
from state.files import parse_json_record, read_file, write_atomically
from state.settings import Settings
from tools.models.endpoint import close_clients

# More than 1, so that the endpoint stays busy while the drafts of other samples are assessed on this machine.
SAMPLES_PER_REQUEST = 2

# The packages whose versions may change the figures.
_RECORDED_PACKAGES = ("langgraph", "langchain-openai", "textstat", "nltk", "rouge-score", "sacrebleu", "scipy")


class EvaluationRequest(NamedTuple):
    """Options of an evaluation, as given on the command line."""

    data: Sequence[Path]
    """Paths of the corpora; empty: the examples that ship with Draftroom."""
    rows: str | None
    """Names separated by commas, `all`, or None for the default rows."""
    limit: int | None
    seed: int
    split: str | None


class Corpus(BaseModel):
    """The record of a corpus in config.json: its name, file, hash and numbers of samples, but no samples."""

    model_config = ConfigDict(frozen=True)

    name: str
    file: str
    sha256: str
    """Hash of all samples of the corpus."""
    available: int
    drawn: int


class RunConfig(BaseModel):
    """The content of config.json: the choices of a run, which a later run in the folder must share, except the rows."""

    model_config = ConfigDict(frozen=True)

    task: str
    corpora: list[Corpus]
    rows: list[str]
    limit: int | None
    seed: int
    models: dict[str, dict[str, Any]]
    """Model name, address and sampling by role, without API keys."""
    settings: dict[str, Any]
    """Settings of the run. Of these, the paper's rows use only paths and addresses."""
    version: str
    packages: dict[str, str]
    commit: str | None
    """Git commit of the checkout; None for an installed package."""
    begun: str
    """Time in UTC, ISO 8601."""
    id: str
    """Prefix of the run's checkpoint threads, for databases that several runs share."""

    @property
    def context_fields(self) -> dict[str, Any]:
        """Settings and models, as the fields of a graph's context."""
        return {**self.settings, "models": self.models}


class RunFolder:
    """The paths of a run's files, with reading and writing of them; making one creates no folder."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config_file = path / "config.json"
        self.samples_file = path / "samples.jsonl"
        self.outputs_file = path / "outputs.jsonl"
        self.sqlite_address = f"sqlite:///{path.absolute() / 'outputs.sqlite'}"

    def create_or_extend(self, config: RunConfig, samples: Sequence[Record]) -> RunConfig:
        """Write the run's files, or add the rows to the folder's run if its other choices are equal; return the config.

        Raises:
            SettingsError: The folder holds a run with other choices; the message names them.
            StateError: The folder cannot be written.
        """
        existing = self.read_run_config() if self.config_file.exists() else None
        if existing:
            before, now = _collect_choices(existing), _collect_choices(config)
            names = dict.fromkeys([*before, *now])
            differing = [name for name in names if name not in before or name not in now or before[name] != now[name]]
            if existing.task != config.task:
                differing = ["task"]  # All other choices may differ as a consequence.
            if differing:
                raise SettingsError(
                    f"{self.path} holds a run with other {' and '.join(differing)}: choose another folder with --out, "
                    "or make the same choices as that run."
                )
            config = existing.model_copy(update={"rows": list(dict.fromkeys([*existing.rows, *config.rows]))})
        try:
            if not existing:
                self.path.mkdir(parents=True, exist_ok=True)
                lines = "".join(json.dumps(sample, ensure_ascii=False) + "\n" for sample in samples)
                write_atomically(self.samples_file, lines.encode())
            # Written last: a folder without config.json is taken as empty, so a kill in between loses nothing.
            write_atomically(self.config_file, f"{config.model_dump_json(indent=2)}\n".encode())
        except OSError as error:
            raise StateError(
                f"The run cannot be kept in {self.path} ({error.strerror}); choose another folder with --out.",
                kind="output_unwritable",
            ) from error
        return config

    def read_run_config(self) -> RunConfig:
        """Read config.json of the run.

        Raises:
            InputError: The folder holds no run, or the file is damaged.
        """
        return parse_json_record(
            RunConfig,
            read_file(self.config_file, "folder that holds an evaluation"),
            f"{self.config_file} is damaged, or of another version of Draftroom; name the folder of another run",
        )

    def read_samples(self) -> list[Record]:
        """Read the samples of the run, or raise InputError if the file is missing, damaged or of another length."""
        advice = "put the file back as it was, or run the evaluation again in another folder"
        try:
            samples = read_json_lines(self.samples_file)
        except InputError as error:
            raise InputError(f"{str(error).rpartition('; ')[0]}; {advice}.", kind=error.kind) from error
        if len(samples) != (drawn := sum(corpus.drawn for corpus in self.read_run_config().corpora)):
            raise InputError(f"{self.samples_file} has {len(samples)} samples instead of {drawn}; {advice}.")
        return samples


def _collect_choices(config: RunConfig) -> dict[str, Any]:
    """Return the choices that figures depend on, without rows and versions, by their names in messages."""
    # Rows are left out, because a run may be extended by rows; versions, because a newer Draftroom may resume a run.
    fields = dict.fromkeys(field for model in config.models.values() for field in model)
    return {
        "corpora": [(corpus.name, corpus.sha256) for corpus in config.corpora],
        "limit": config.limit,
        "seed": config.seed,
        **{f"models.{field}": {role: model.get(field) for role, model in config.models.items()} for field in fields},
        **{f"settings.{name}": value for name, value in config.settings.items()},
    }


def require_runnable_systems(task: Task, rows: Sequence[str], settings: Settings) -> None:
    """Raise a SettingsError if the settings lack something that a system of the rows needs."""
    for system in task.list_systems(rows):
        if check := task.systems[system].check:
            check(settings)


def prepare_run(task: Task, wanted: EvaluationRequest, settings: Settings, path: Path) -> RunFolder:
    """Draw the samples and return the run's folder, which is created or extended by the rows; run nothing.

    Raises:
        InputError: A corpus cannot be read, or two samples have the same id.
        SettingsError: A row is unknown or lacks a setting, or the folder holds another run.
        StateError: The folder cannot be written.
    """
    # 1. Check the rows and their systems.
    rows = task.parse_row_names(wanted.rows)
    require_runnable_systems(task, rows, settings)
    # 2. Draw from each corpus by itself, so that the limit holds for each.
    corpora, samples = [], []
    paths: Sequence[Path | None] = wanted.data or [None]
    for corpus_path in paths:
        kind = task.samples or task.kind
        available = load_corpus(corpus_path, kind, wanted.split) if corpus_path else load_examples(kind)
        drawn = draw_samples(available, wanted.limit, wanted.seed)
        corpora += _build_corpus_records(corpus_path.name if corpus_path else "examples", available, drawn)
        samples += drawn
    # 3. Outputs are stored by the sample's id, which must therefore be unique across the corpora.
    counts = Counter(sample["id"] for sample in samples)
    if duplicates := [name for name, count in counts.items() if count > 1]:
        files = " and ".join(dict.fromkeys(each.file for each in corpora))
        raise InputError(f"Two samples of {files} have the id {duplicates[0]!r}; give each its own.")
    # 4. Write the folder.
    folder = RunFolder(path)
    folder.create_or_extend(build_run_config(task, rows, wanted, corpora, settings), samples)
    return folder


def _build_corpus_records(file: str, available: Sequence[Record], drawn: Sequence[Record]) -> list[Corpus]:
    """Return the record of each corpus in a file's samples; most files hold one."""
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
    """Build the content of config.json from a request and the settings, with a new id and the time; write nothing."""
    # The commit of the checkout with this code; an installed package has none.
    git, root = shutil.which("git"), Path(__file__).parents[1]
    commit = ""
    if git is not None and (root / ".git").exists():
        found = subprocess.run([git, "-C", root, "rev-parse", "HEAD"], capture_output=True, text=True, check=False)
        commit = found.stdout.strip()
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
            "prompts": settings.prompts,
            "pause": False,  # An evaluation must not wait for a person.
        },
        version=version("draftroom"),
        packages={name: version(name) for name in _RECORDED_PACKAGES},
        commit=commit or None,
        begun=datetime.now(UTC).isoformat(timespec="seconds"),
        id=str(uuid4()),
    )


async def run_systems(
    load: Callable[[], Task],
    folder: RunFolder,
    workers: Workers,
    *,
    on_end: Callable[[str], None],
    control: RunControl,
    checkpoints: str = "sqlite",
) -> None:
    """Run the systems of the rows on all samples without an output, and append outputs and errors to outputs.jsonl.

    Models and settings are read from the folder, so that a resumed run does not change them. Outputs of Ray actors are
    written by the calling process, so the folder need not be shared. `load` imports the task, in each Ray actor, too.
    `on_end` receives a line of progress for each output. If `control` requests draining, each sample stops at its next
    checkpoint.

    Raises:
        SettingsError: No Ray cluster answers, or it has several machines and the checkpoints are in a file.
    """
    task, config, samples = load(), folder.read_run_config(), await asyncio.to_thread(folder.read_samples)
    names = task.list_systems(config.rows)
    address = checkpoints if checkpoints.startswith("postgres") else folder.sqlite_address
    # Sample by sample, so that a run which is stopped early has complete samples and paired scores.
    rows = {(sample["id"], name): {"sample": sample, "system": name} for sample in samples for name in names}
    await run_rows(
        rows.items(),
        SystemWork(load, config, address),
        folder.outputs_file,
        workers,
        keys=rows,
        fields=("id", "system"),
        on_end=lambda ended: on_end(str(ended)),
        control=control,
        has_local_checkpoints=not address.startswith("postgres"),
    )


@dataclass
class SystemWork(RowWork):
    """The work of a run: its systems, each with its settings, on samples."""

    load: Callable[[], Task]
    config: RunConfig
    checkpoint_address: str

    @asynccontextmanager
    async def open_session(self, control: RunControl) -> AsyncIterator[Self]:
        """Load the systems and open the checkpointer; afterwards close the models' clients."""
        self._task, fields, self._control = self.load(), self.config.context_fields, control
        self._systems = {name: self._task.systems[name] for name in self._task.list_systems(self.config.rows)}
        self._settings = {
            name: await asyncio.to_thread(system.build_settings, fields) for name, system in self._systems.items()
        }
        try:
            async with open_checkpointer(self.checkpoint_address) as self._saver:
                yield self
        finally:
            await close_clients()

    async def run_row(self, row: Record) -> Record:
        """Run a system on a sample, or resume it from its checkpoint; return its `output` and the seconds, `wall_s`.

        Raises:
            DraftroomError: The system failed.
            GraphDrained: The run was stopped.
        """
        sample, name = row["sample"], row["system"]
        begun, system = perf_counter(), self._systems[name]
        thread, request = self._make_thread_id(sample["id"], name), self._task.build_graph_input(sample)
        request |= system.sample_input(sample)
        settings = await asyncio.to_thread(system.build_sample_settings, sample, self._settings[name])
        output = await run_to_completion(system.builder, self._saver, thread, request, settings, self._control)
        # The settings are equal for all samples and stand in config.json.
        kept = {key: value for key, value in output.items() if key != "settings"}
        if (judge := self._task.judge) and "judge" in self.config.models:
            # It has settings of its own, because a system's know the models of its agents only.
            frozen = {**output["settings"], "models": {"judge": self.config.models["judge"]}}
            asked = {**judge.build_input(sample, name, kept), "settings": frozen}
            own = f"{thread} judge"
            kept["judged"] = await run_to_completion(judge.builder, self._saver, own, asked, settings, self._control)
        return {"output": kept, "wall_s": perf_counter() - begun}

    async def discard_checkpoints(self, result: Record) -> None:
        """Delete the checkpoints of an output that has been written to disk."""
        thread = self._make_thread_id(result["id"], result["system"])
        for name in (thread, f"{thread} judge"):
            await self._saver.adelete_thread(name)

    def _make_thread_id(self, sample: str, system: str) -> str:
        return f"{self.config.id} {sample} {system}"
