"""The contexts of the graphs: choices for one run, from a Python call, Studio or the command.

A context has the fields of its system's settings, which are described and bounded there and nowhere else. A field that
is not given comes from the settings file and the environment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from state.errors import SettingsError
from state.settings import FeedbackSettings, JournalismSettings, Role, SimplificationSettings, describe, what_became_of

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

    @model_validator(mode="wrap")
    @classmethod
    def _checked(cls, chosen: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Leave out what was left empty, and say in a sentence what is wrong with the rest.

        Raises:
            SettingsError: A field is unknown, or one of earlier versions, or its value is out of bounds.
        """
        if isinstance(chosen, Mapping):
            if problem := next(filter(None, (what_became_of(f"{cls.table}.{name}") for name in chosen)), ""):
                raise SettingsError(f"The settings of this run cannot be used: {problem}.")
            may_be_none = {name for name, field in cls.model_fields.items() if field.default is None}
            chosen = {name: value for name, value in chosen.items() if value is not None or name in may_be_none}
        try:
            return handler(chosen)
        except ValidationError as error:
            raise SettingsError(f"The settings of this run cannot be used: {describe(error)}.") from error

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Without defaults: a form that filled them in would lay them over the settings file."""
        schema = handler.resolve_ref_schema(handler(core))
        for field in schema["properties"].values():
            field.pop("default", None)
            nested = handler.resolve_ref_schema(field) if "$ref" in field else field
            for part in nested.get("properties", {}).values():
                part.pop("default", None)
        return schema

    def overrides(self) -> dict[str, Any]:
        """As nested settings: only what was set to something."""
        return self.nested(self.model_dump(exclude_unset=True, exclude_none=True))

    @classmethod
    def nested(cls, chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Fields of such a context as settings: those of the system in its table."""
        outside = {key: chosen[key] for key in _OUTSIDE if key in chosen}
        return {**outside, cls.table: {key: value for key, value in chosen.items() if key not in _OUTSIDE}}


class JournalismContext(RunContext, JournalismSettings):
    """Choices for one run. What is left empty comes from the settings file and the environment."""

    model_config = ConfigDict(title="Science journalism")

    table = "journalism"


class SimplificationContext(RunContext, SimplificationSettings):
    """Choices for one run. What is left empty comes from the settings file and the environment."""

    model_config = ConfigDict(title="Medical simplification")

    table = "simplification"


class FeedbackContext(RunContext, FeedbackSettings):
    """Choices for one run. What is left empty comes from the settings file and the environment."""

    model_config = ConfigDict(title="Focused feedback")

    table = "feedback"
