"""The files of a trained model: `weights.safetensors`, and `config.json` that says what they are and checks them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import safetensors.numpy
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, ValidationError
from safetensors import SafetensorError

from state.errors import SettingsError, StateError
from state.files import write_atomically

Weights = Mapping[str, NDArray[Any]]
"""Arrays of floating-point numbers by name."""

_WEIGHTS = "weights.safetensors"
_CONFIG = "config.json"


class WeightsConfig(BaseModel):
    """What `config.json` says of any model; a subclass adds what the model is made of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sha256: str
    """Of the weights file."""
    training: dict[str, Any]
    """How the weights came about."""


Config = TypeVar("Config", bound=WeightsConfig)


def write_weights(folder: Path, weights: Weights, config: Mapping[str, Any], *, what: str) -> None:
    """Write both files, the description last.

    Args:
        folder: Made if it does not exist.
        weights: By name.
        config: All of the description but the checksum, in JSON values.
        what: The model is, for messages: "plan re-ranker".

    Raises:
        StateError: The folder cannot be written.
    """
    data = safetensors.numpy.save(dict(weights))
    described = {**config, "sha256": hashlib.sha256(data).hexdigest()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / _WEIGHTS, data)
        write_atomically(folder / _CONFIG, json.dumps(described, indent=2).encode() + b"\n")
    except OSError as error:
        raise StateError(
            f"The {what} cannot be saved in {folder} ({error.strerror}); name a folder that can be written."
        ) from error


def read_weights(folder: Path, schema: type[Config], *, what: str) -> tuple[Config, dict[str, NDArray[Any]]]:
    """Read both files.

    Args:
        folder: Where they are.
        schema: Of the description.
        what: The model is, for messages.

    Raises:
        SettingsError: One is missing, or is not as it was written, or training had come to no numbers.
    """
    try:
        config = schema.model_validate_json((folder / _CONFIG).read_bytes())
        data = (folder / _WEIGHTS).read_bytes()
    except OSError as error:
        raise SettingsError(
            f"There is no {what} in {folder} ({Path(error.filename).name}: {error.strerror}); name the folder of one "
            "that was trained.",
            kind="missing_file",
        ) from error
    except ValidationError as error:
        raise SettingsError(
            f"{folder / _CONFIG} does not describe a {what}; train it again, or name another folder."
        ) from error
    if hashlib.sha256(data).hexdigest() != config.sha256:
        raise _damaged(folder)
    try:
        weights = safetensors.numpy.load(data)
    except SafetensorError as error:
        raise _damaged(folder) from error
    if not all(np.isfinite(value).all() for value in weights.values()):
        raise SettingsError(
            f"{folder / _WEIGHTS} holds values that are no numbers, so what it says would be random; train it again "
            "with a lower learning rate."
        )
    return config, weights


def _damaged(folder: Path) -> SettingsError:
    return SettingsError(
        f"{folder / _WEIGHTS} is damaged: it is not the file that was saved; copy the folder anew, or train it again."
    )
