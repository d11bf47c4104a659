"""The folder of an evaluation: what was asked for, its samples, what the systems left, scores and reports.

config.json     what makes the run: task, data by hash, rows, seed, models, settings
samples.jsonl   the samples that were drawn; nothing else is needed to score the run again
outputs.jsonl   what each system left for each sample, appended as soon as it is there; or why it failed
outputs.sqlite  checkpoints of the samples under way
scores.json  report.md  report.html  figures/  samples/
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from runs.many import Record, read_records
from state.errors import BadInput, SettingsError, StateError
from state.files import write_atomically


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

    @property
    def on_record(self) -> dict[str, Any]:
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
        self.checkpoints_file = path.absolute() / "outputs.sqlite"

    def begin(self, config: RunConfig, samples: Sequence[Record]) -> RunConfig:
        """Writes down what the run is, or takes up the one that is there; its rows are added up.

        Raises:
            SettingsError: If the folder holds another run; says what differs.
            StateError: If the folder cannot be written.
        """
        there = self.config() if self.config_file.exists() else None
        if there:
            self._refuse_another(there, config)
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

    def config(self) -> RunConfig:
        """What the run is.

        Raises:
            BadInput: If the folder holds none, or one whose aids have no names.
        """
        config = self._read_config()
        if "aids" not in config.settings:
            raise BadInput(
                f"{self.path} was begun by a Draftroom whose aids had no names ({config.version}, commit "
                f"{config.commit or 'unknown'}): go on with it there, or run the evaluation anew in another folder."
            )
        return config

    def _read_config(self) -> RunConfig:
        try:
            return RunConfig.model_validate_json(self.config_file.read_bytes())
        except OSError as error:
            raise BadInput(
                f"{self.path} holds no evaluation: its config.json cannot be read ({error.strerror}); name the folder "
                "of a run.",
                kind="missing_file",
            ) from error
        except ValidationError as error:
            raise BadInput(
                f"{self.config_file} is damaged, or of another version of Draftroom; name the folder of another run."
            ) from error

    def samples(self) -> list[Record]:
        """The samples that were drawn.

        Raises:
            BadInput: If they are lost.
        """
        try:
            return read_records(self.samples_file)
        except BadInput as error:
            raise BadInput(
                f"The samples of the run are lost: {error} Put the file back, or run the evaluation again in another "
                "folder."
            ) from error

    def _refuse_another(self, there: RunConfig, wanted: RunConfig) -> None:
        if differing := _differing(there, wanted):
            raise SettingsError(
                f"{self.path} holds a run with other {' and '.join(differing)}: choose another folder with --out, or "
                "the same choices as then."
            )


def _differing(there: RunConfig, wanted: RunConfig) -> list[str]:
    """Names of what two runs differ in, as far as figures would not be comparable; a newer version may go on."""
    if there.task != wanted.task:
        return ["task"]
    before, now = _choices(there), _choices(wanted)
    return [name for name in {**before, **now} if name not in before or name not in now or before[name] != now[name]]


def _choices(config: RunConfig) -> dict[str, Any]:
    """What is chosen for a run beside its rows, which may be added to."""
    fields = dict.fromkeys(field for model in config.models.values() for field in model)
    return {
        "corpora": [(corpus.name, corpus.sha256) for corpus in config.corpora],
        "limit": config.limit,
        "seed": config.seed,
        **{f"models.{field}": {role: model.get(field) for role, model in config.models.items()} for field in fields},
        **{f"settings.{name}": value for name, value in config.settings.items()},
    }
