"""Folders of models in Hugging Face's format: read with advice where there is none, and written whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from state.errors import SettingsError
from training.journalist.config import SummaryConfig


def pretrained(kind: Any, config: SummaryConfig, what: str, **options: Any) -> Any:
    """The model of a configuration, or its tokenizer.

    Args:
        kind: A class of transformers with `from_pretrained`.
        config: Names the model.
        what: It has to be, for the message.
        options: For `from_pretrained`.

    Raises:
        SettingsError: It cannot be loaded.
    """
    source = config.source
    try:
        return kind.from_pretrained(source, local_files_only=isinstance(source, Path), **options)
    except (OSError, ValueError) as error:
        reason = str(error).strip().splitlines()[0]
        raise SettingsError(
            f"The model {config.model!r} cannot be loaded ({reason}); set `model` to the folder of a {what} in Hugging "
            "Face's format, or to a hub id where the hub can be reached."
        ) from error


@contextmanager
def written_whole(folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes the place of `folder` only when all is written."""
    shutil.rmtree(folder, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
        written = Path(scratch) / folder.name
        yield written
        written.rename(folder)
