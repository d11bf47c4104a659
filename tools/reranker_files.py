"""The files of a plan re-ranker: `weights.safetensors`, and `config.json` that says what they are and checks them."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import safetensors.torch
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError

from state.errors import SettingsError, StateError
from state.files import write_atomically
from tools.low_rank import Adapter

if TYPE_CHECKING:
    from torch import Tensor

_WEIGHTS = "weights.safetensors"
_CONFIG = "config.json"


class RerankerConfig(BaseModel):
    """What `config.json` says."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    encoder: str
    encoder_sha256: str
    """Of the encoder's parameters that the weights file does not hold."""
    adapter: Adapter | None = None
    """Of the low-rank factors that the weights file holds in place of whole parameters; None if it holds none."""
    dropout: float
    max_length: int
    sha256: str
    """Of the weights file."""
    training: dict[str, Any]
    """How the weights came about."""


def write_reranker(folder: Path, weights: dict[str, Tensor], **config: Any) -> None:
    """Write both files, the description last.

    Raises:
        StateError: The folder cannot be written.
    """
    data = safetensors.torch.save(weights)
    described = RerankerConfig(sha256=hashlib.sha256(data).hexdigest(), **config)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / _WEIGHTS, data)
        write_atomically(folder / _CONFIG, described.model_dump_json(indent=2).encode() + b"\n")
    except OSError as error:
        raise StateError(
            f"The plan re-ranker cannot be saved in {folder} ({error.strerror}); name a folder that can be written."
        ) from error


def read_reranker(folder: Path) -> tuple[RerankerConfig, dict[str, Tensor]]:
    """Read both files.

    Raises:
        SettingsError: One is missing, or is not as it was written, or training had come to no numbers.
    """
    try:
        config = RerankerConfig.model_validate_json((folder / _CONFIG).read_bytes())
        data = (folder / _WEIGHTS).read_bytes()
    except OSError as error:
        raise SettingsError(
            f"There is no plan re-ranker in {folder} ({Path(error.filename).name}: {error.strerror}); name the folder "
            "of one that was trained.",
            kind="missing_file",
        ) from error
    except ValidationError as error:
        raise SettingsError(
            f"{folder / _CONFIG} does not describe a plan re-ranker; train it again, or name another folder."
        ) from error
    if hashlib.sha256(data).hexdigest() != config.sha256:
        raise _damaged(folder)
    try:
        weights = safetensors.torch.load(data)
    except SafetensorError as error:
        raise _damaged(folder) from error
    if not all(value.isfinite().all() for value in weights.values()):
        raise SettingsError(
            f"{folder / _WEIGHTS} holds values that are no numbers, so its ranking would be random; train it again "
            "with a lower learning rate."
        )
    return config, weights


def _damaged(folder: Path) -> SettingsError:
    return SettingsError(
        f"{folder / _WEIGHTS} is damaged: it is not the file that was saved; copy the folder anew, or train it again."
    )
