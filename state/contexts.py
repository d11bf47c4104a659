"""What the choices for one run have in common: the context of a graph, from a Python call, Studio or the command."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, model_validator

from state.errors import SettingsError
from state.settings import Role, what_became_of

_OUTSIDE = ("preset", "models", "limits")
"""Fields that stand beside a system's table in the settings."""


class RunContext(BaseModel):
    """Choices for one run. What is left empty comes from the settings file and the environment."""

    model_config = ConfigDict(extra="forbid")

    table: ClassVar[str]
    """Of the system in the settings."""

    preset: str | None = Field(
        None, description="Settings to start from: embedded, fast, debug, paper, or the path of a TOML file."
    )
    limits: dict[str, int] | None = Field(None, description='Fields of Limits, for example {"terms": 20}.')
    models: dict[Role, dict[str, Any]] | None = Field(
        None, description='Models by role, for example {"default": {"base_url": "http://127.0.0.1:8000/v1"}}.'
    )
    resolved: dict[str, Any] | None = Field(
        None, description="All settings, as a run before has resolved them: they hold as they are, and no others."
    )

    @model_validator(mode="before")
    @classmethod
    def _of_this_version(cls, chosen: Any) -> Any:
        """Say what became of settings of earlier versions.

        Raises:
            SettingsError: There is one of them.
        """
        fields = chosen if isinstance(chosen, Mapping) else {}
        if removed := next(filter(None, (what_became_of(f"{cls.table}.{name}") for name in fields)), ""):
            raise SettingsError(f"The settings of this run cannot be used: {removed}.")
        return chosen

    def overrides(self) -> dict[str, Any]:
        """As nested settings: only what was set to something."""
        return self.nested(self.model_dump(exclude_none=True))

    @classmethod
    def nested(cls, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of such a context as settings: those of the system in its table."""
        outside = {key: chosen[key] for key in _OUTSIDE if key in chosen}
        return {**outside, cls.table: {key: value for key, value in chosen.items() if key not in _OUTSIDE}}
