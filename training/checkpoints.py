"""The files of a training run: who may write them, which checkpoint is whole, and the weights of the best epoch."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import safetensors.torch
from filelock import FileLock, Timeout
from torch import nn

from state.errors import SettingsError, StateError
from state.files import write_atomically

_RUN = "run.json"
_COMPLETE = "complete"


@contextmanager
def claimed(out: Path, run: Mapping[str, Any]) -> Iterator[None]:
    """Hold the folder of a run while it is trained.

    Args:
        out: Made if it does not exist.
        run: What the result depends on, in JSON values: a run is only taken up by the same.

    Raises:
        SettingsError: The folder holds a run with other settings or data.
        StateError: The folder cannot be written, or another process trains in it.
    """
    try:
        out.mkdir(parents=True, exist_ok=True)
        with FileLock(out / "lock", timeout=0):
            _check_same(out, run)
            write_atomically(out / _RUN, json.dumps(run, indent=2).encode() + b"\n")
            yield
    except Timeout as error:
        raise StateError(
            f"Another process trains in {out}; wait for it, or name another folder.", kind="run_busy"
        ) from error
    except OSError as error:
        raise StateError(
            f"The training run in {out} cannot be written ({error}); name a folder that can be written."
        ) from error


def newest_checkpoint(out: Path) -> Path | None:
    """The last checkpoint that was written to its end."""
    return max((path.parent for path in out.glob(f"checkpoint-*/{_COMPLETE}")), key=_step, default=None)


def keep_checkpoint(checkpoint: Path) -> None:
    """Mark a checkpoint as complete, and delete those before it."""
    (checkpoint / _COMPLETE).touch()
    for other in checkpoint.parent.glob("checkpoint-*"):
        if other != checkpoint:
            shutil.rmtree(other)


def delete_checkpoints(out: Path) -> None:
    """Delete all of them: the run is finished."""
    for checkpoint in out.glob("checkpoint-*"):
        shutil.rmtree(checkpoint)


def best_weights(out: Path, epoch: int) -> Path:
    """Where the trained weights of an epoch are kept."""
    return out / f"best-{epoch}.safetensors"


def save_best(model: nn.Module, out: Path, epoch: int) -> None:
    """Write the parameters that are trained; those of earlier epochs stay until `keep_best`."""
    trained = {name: value.detach().cpu() for name, value in model.named_parameters() if value.requires_grad}
    write_atomically(best_weights(out, epoch), safetensors.torch.save(trained))


def keep_best(out: Path, epoch: int) -> None:
    """Delete the weights of other epochs."""
    for path in out.glob("best-*.safetensors"):
        if path != best_weights(out, epoch):
            path.unlink()


def load_best(model: nn.Module, out: Path, epoch: int) -> None:
    """Put the weights of an epoch into the model.

    Raises:
        SettingsError: They were deleted.
    """
    path = best_weights(out, epoch)
    if not path.is_file():
        raise SettingsError(
            f"The training run in {out} is finished and its weights are gone; name another folder to train again."
        )
    model.load_state_dict(safetensors.torch.load_file(path), strict=False)


@contextmanager
def written_whole(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `folder` only when all is written."""
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        written = Path(scratch) / folder.name
        yield written
        written.rename(folder)


def _check_same(out: Path, run: Mapping[str, Any]) -> None:
    if not (out / _RUN).exists():
        return
    try:
        found = json.loads((out / _RUN).read_bytes())
    except ValueError:
        found = None
    if found != run:
        raise SettingsError(
            f"The folder {out} holds a training run with other settings or data{_differences(found, run)}; name "
            "another folder, or delete this one."
        )


def _differences(found: object, run: Mapping[str, Any]) -> str:
    ours, theirs = _flat(run), _flat(found)
    names = sorted(name for name in ours.keys() | theirs.keys() if ours.get(name) != theirs.get(name))
    return f" ({', '.join(names)})" if theirs else ""


def _flat(run: object) -> dict[str, Any]:
    """Settings and data by their own names."""
    flat: dict[str, Any] = {}
    for name, value in run.items() if isinstance(run, Mapping) else ():
        flat.update(value if isinstance(value, Mapping) else {name: value})
    return flat


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.removeprefix("checkpoint-"))
