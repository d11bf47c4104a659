"""Reading the JSON of services: what is missing or null is empty, and an entry that is broken costs itself only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

M = TypeVar("M", bound="ServiceRecord")


class ServiceRecord(BaseModel):
    """A record of a service, of which we read some fields."""

    model_config = ConfigDict(populate_by_name=True)


def entries(raw: Sequence[Any], model: type[M]) -> list[M]:
    """Those of the entries that are what the service's documentation says."""
    return [entry for item in raw if (entry := _entry(item, model)) is not None]


def _entry(item: Any, model: type[M]) -> M | None:
    try:
        return model.model_validate(item)
    except ValidationError:
        return None
