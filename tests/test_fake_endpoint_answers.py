"""The fake endpoint's answers that are made up."""

import json
from enum import Enum
from typing import Annotated, Any, Literal

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, ConfigDict, Field, SecretStr

from tests.fake_endpoint import (
    Choices,
    FakeEndpoint,
    RecordedRequest,
    fill,
)


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
    tens: Annotated[int, Field(multiple_of=10, gt=10)]
    negative: Annotated[int, Field(lt=-7)]
    share: Annotated[float, Field(gt=0, lt=0.001)]
    halves: Annotated[float, Field(multiple_of=0.5, ge=0.5)]
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


def ask(endpoint: FakeEndpoint, text: str = "Explain cells.", **body: Any) -> dict[str, Any]:
    request = {"model": "large", "messages": [{"role": "user", "content": text}], **body}
    answer = httpx.post(endpoint.base_url + "/chat/completions", json=request, trust_env=False, verify=False)
    return dict(answer.json())


def request_for(schema: dict[str, Any], text: str) -> RecordedRequest:
    form = {"type": "json_schema", "json_schema": {"name": "Test", "schema": schema}}
    body = {"model": "large", "messages": [{"role": "user", "content": text}], "response_format": form}
    return RecordedRequest(0, 1, "POST", "/v1/chat/completions", {}, body)


def filled(schema: dict[str, Any], text: str = "") -> Any:
    reply = fill(request_for(schema, text))
    assert isinstance(reply, Choices)
    return json.loads(reply.texts[0].content)


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
def test_filler_admits_what_it_cannot_make_up(fake_endpoint: FakeEndpoint, schema: dict[str, Any]) -> None:
    assert ask(fake_endpoint, structured_outputs={"json": schema})["error"]["code"] == 400


async def test_langchain_gets_structured_output(fake_endpoint: FakeEndpoint) -> None:
    model = ChatOpenAI(model="large", base_url=fake_endpoint.base_url, api_key=SecretStr("none"))
    section = await model.with_structured_output(Section).ainvoke("Outline an article.")
    assert isinstance(section, Section)
    assert fake_endpoint.chat_requests[0].schema_name == "Section"
