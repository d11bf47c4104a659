"""The fake endpoint's answers that are made up keep to what a request asks for."""

import json
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict, Field

from tests.fake_endpoint import Choices, RecordedRequest, Status, fill


class Tone(Enum):
    WARM = "warm"
    PLAIN = "plain"


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid")

    title: Annotated[str, Field(min_length=3, max_length=20)]
    tone: Tone
    parts: list["Section"] = Field(max_length=2)


class Everything(BaseModel):
    """One field for every keyword that the filler keeps to."""

    model_config = ConfigDict(extra="forbid")

    kind: Literal["review"]
    verdict: Literal["accept", "revise"]
    long: Annotated[str, Field(min_length=400)]
    exact: Annotated[str, Field(min_length=7, max_length=7)]
    score: Annotated[int, Field(ge=1, le=5)]
    above: Annotated[int, Field(gt=3, lt=5)]
    negative: Annotated[int, Field(lt=-7)]
    share: Annotated[float, Field(gt=0, lt=0.001)]
    is_clear: bool
    nothing: None
    note: str | None
    mixed: int | list[str]
    items: Annotated[list[str], Field(min_length=4, max_length=5)]
    none: Annotated[list[int], Field(max_length=0)]
    tones: Annotated[set[Tone], Field(min_length=2)]
    pair: tuple[int, str]
    counts: Annotated[dict[str, int], Field(min_length=3, max_length=3)]
    tree: Section
    anything: Any
    optional: list[Section] = []


EVERYTHING = Everything.model_json_schema()


def request_for(schema: dict[str, Any], text: str, **body: Any) -> RecordedRequest:
    form = {"type": "json_schema", "json_schema": {"name": "Test", "schema": schema}}
    said = {"model": "large", "messages": [{"role": "user", "content": text}], "response_format": form, **body}
    return RecordedRequest(0, 1, "POST", "/v1/chat/completions", {}, said)


def filled(schema: dict[str, Any], text: str = "", **body: Any) -> Any:
    reply = fill(request_for(schema, text, **body))
    assert isinstance(reply, Choices)
    return json.loads(reply.texts[-1].content)


@settings(max_examples=40, deadline=None)
@given(text=st.text(max_size=8))
def test_filler_keeps_to_every_keyword(text: str) -> None:
    value = filled(EVERYTHING, text)
    Everything.model_validate_json(json.dumps(value))
    assert set(value) == set(Everything.model_fields)
    assert value["note"] is not None


@settings(max_examples=40, deadline=None)
@given(text=st.text(max_size=8))
def test_filler_keeps_to_hand_written_schemas(text: str) -> None:
    schema = {
        "$defs": {"Named": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
        "allOf": [{"$ref": "#/$defs/Named"}],
        "properties": {"age": {"type": ["integer", "null"], "minimum": 3}, "of": {"oneOf": [{"const": 1}]}},
        "required": ["age", "free"],
        "additionalProperties": {"type": "boolean"},
    }
    value = filled(schema, text)
    assert (type(value["name"]), type(value["free"]), value["of"]) == (str, bool, 1)
    assert value["age"] >= 3


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "pattern": "^a+$"},
        {"type": "integer", "minimum": 2, "maximum": 1},
        {"type": "tuple"},
        {"type": "object", "required": ["name"], "additionalProperties": False},
        {"$defs": {"Endless": {"properties": {"next": {"$ref": "#/$defs/Endless"}}, "required": ["next"]}}}
        | {"$ref": "#/$defs/Endless"},
    ],
)
def test_filler_admits_what_it_cannot_make_up(schema: dict[str, Any]) -> None:
    assert isinstance(fill(request_for(schema, "")), Status)


def test_filler_repeats_itself_for_the_same_request_only() -> None:
    first, again, other = (filled(EVERYTHING, text) for text in ("cells", "cells", "stars"))
    assert first == again != other
    assert filled(EVERYTHING, "cells", seed=1) != first
    assert filled(EVERYTHING, "cells", n=4) != first
