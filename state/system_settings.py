"""What the settings of a system say beside their fields: apart from `state.settings`, which imports every system."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from state.extensions import Extension


class SystemSettings(BaseModel):
    """How a system runs: a table of `Settings`."""

    model_config = ConfigDict(extra="forbid")

    roles: ClassVar[tuple[str, ...]]
    """Its agents."""
    known_extensions: ClassVar[Mapping[Any, Extension]] = {}
    """What `extensions` may name; a system without that field has none."""
    places: ClassVar[Mapping[str, Any]] = {}
    """The fields that say where something is, what is read and asked and where a person is waited for, and not how the
    system works: those that are true here, and of a nested table those that it names."""
