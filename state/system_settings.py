"""Base of the systems' settings, in a module of its own because `state.settings` imports every system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from state.extensions import Extension


class SystemSettings(BaseModel):
    """Base class of the settings of a system, which are a table of `Settings`."""

    model_config = ConfigDict(extra="forbid")

    roles: ClassVar[tuple[str, ...]]
    """Roles of the system's agents."""
    known_extensions: ClassVar[Mapping[Any, Extension]] = {}
    """Extensions that `extensions` may name; none for a system without that field."""
    places: ClassVar[Mapping[str, Any]] = {}
    """Fields that do not change how the system works: places of files and services, which input is read, and pauses.

    True for a field, and the names of fields for a nested table.
    """
