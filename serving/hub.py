"""GGUF files of the Hugging Face hub, by name: `hub:OWNER/REPOSITORY/FILE@REVISION`."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

from serving.steps import Report, exclusive
from state.errors import ServingError
from state.files import cache_folder

TOLD = 10
"""After how many more hundredths of a file it is told how far the download is."""
_NAME = re.compile(r"hub:([\w.-]+/[\w.-]+)/([\w.-]+\.gguf)@([\w.-]+)")


def hub_gguf(model: str, sha256: str, report: Report, endpoint: str | None = None) -> Path:
    """The file, which is downloaded on first use; a download that was cut off goes on where it stopped.

    Args:
        model: Its name, beginning with `hub:`.
        sha256: What it must hash to.
        report: Is told how far the download is.
        endpoint: Address of the hub; by default that of `HF_ENDPOINT`, or the public one.

    Raises:
        ServingError: The name is none, the hub cannot be reached, or it has another file under that name.
    """
    named = _NAME.fullmatch(model)
    if not named:
        raise ServingError(f"{model!r} names no file of a hub: write it as hub:OWNER/REPOSITORY/FILE.gguf@REVISION.")
    repository, file, revision = named.groups()
    gguf = cache_folder() / "models" / file
    with exclusive(gguf.with_name(f"{file}.lock"), report):
        if not gguf.exists():
            found = _download(repository, file, revision, endpoint, report)
            _check(found, model, sha256)
            found.rename(gguf)
            shutil.rmtree(found.parent)
    return gguf


def _download(repository: str, file: str, revision: str, endpoint: str | None, report: Report) -> Path:
    try:
        from huggingface_hub import hf_hub_download  # noqa: PLC0415 - takes a while, and not every installation has it
    except ImportError as error:
        raise ServingError(
            "What downloads from the hub is not installed: pip install huggingface_hub, or use the profile `laptop`."
        ) from error
    report(f"Downloading {file} from {repository} of the Hugging Face hub")
    folder = cache_folder() / "models" / f"{file}.parts"
    try:
        return Path(
            hf_hub_download(
                repository, file, revision=revision, local_dir=folder, endpoint=endpoint, tqdm_class=_bar(file, report)
            )
        )
    except Exception as error:  # of the hub, of its client and of the network, all with one remedy
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise ServingError(
            f"{file} did not come from the hub ({told}); the same command goes on with it. Where no hub is in reach, "
            "use the profile `laptop`."
        ) from error


def _bar(file: str, report: Report) -> type[Any]:
    """What the hub's client tells of its progress, as steps."""
    from tqdm import tqdm  # noqa: PLC0415 - comes with the hub's client

    class Steps(tqdm):  # type: ignore[misc] # untyped
        told = 0

        def display(self, *_: Any, **__: Any) -> bool:
            """Report instead of drawing a bar."""
            done = int(100 * self.n / self.total) if self.total else 0
            if done >= self.told + TOLD:
                self.told = done
                report(f"Downloading {file}: {done} %")
            return True

    return Steps


def _check(found: Path, model: str, sha256: str) -> None:
    with found.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    if digest != sha256:
        found.unlink()
        raise ServingError(
            f"{model} has SHA-256 {digest} instead of {sha256}: the hub serves another file under that name. Look at "
            "its page there, and write the new digest into a profile of your own if you trust it."
        )
