"""Hyperparameters come from TOML files (`training/configs/`) and are checked before anything is loaded."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from state.errors import SettingsError
from state.settings import describe

CONFIGS = Path(__file__).parent / "configs"

Config = TypeVar("Config", bound=BaseModel)


def config_path(name: str) -> Path:
    """The file of a configuration: one of `training/configs/` by its name, or a path.

    Raises:
        SettingsError: There is none; lists those that exist.
    """
    given, own = Path(name), CONFIGS / f"{name}.toml"
    if own.is_file() or given.is_file():
        return own if own.is_file() else given
    names = ", ".join(sorted(path.stem for path in CONFIGS.glob("*.toml")))
    raise SettingsError(f"There is no configuration {name!r}; choose from {names}, or name a TOML file.")


def read_config(path: Path, schema: type[Config]) -> Config:
    """The configuration in a TOML file.

    Raises:
        SettingsError: The file cannot be read, or holds an unknown key or a value out of bounds.
    """
    try:
        values: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        return schema.model_validate(values)
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SettingsError(f"The configuration {path} cannot be read ({error}); name a TOML file.") from error
    except ValidationError as error:
        raise SettingsError(f"The configuration {path} cannot be used: {describe(error)}.") from error
