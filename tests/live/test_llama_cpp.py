"""Real llama.cpp answers as the agents need it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from serving.profiles import Profile, load_profile
from serving.servers import start_profile_servers, stop_profile_servers
from state.model_settings import Limits, ModelSettings
from tools.models.ask import parse_answer
from tools.models.client import request_completions
from tools.models.endpoint import (
    TEMPLATE_TOKENS,
    close_clients,
    count_message_tokens,
    fetch_endpoint,
    find_context_length,
)

SMALL = """
description = "The embedded model by llama.cpp"
device = "cpu"
engine = "llama.cpp"

[[servers]]
name = "smollm2"
model = "embedded:smollm2-135m-instruct"
served_model_name = "small"
port = 8139
max_model_len = 2048
slots = 2
"""
PROMPT = "Mosses live without roots. Summarise this in a sentence, and say the school grade of its words, as JSON."


class Summary(BaseModel):
    """A schema as agents have them."""

    grade: int = Field(ge=1, le=12)
    summary: str = Field(max_length=200)


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Profile]:
    path: Path = tmp_path_factory.mktemp("profile") / "live-llama-cpp.toml"
    path.write_text(SMALL)
    profile = load_profile(path)
    start_profile_servers(profile, print)
    yield profile
    stop_profile_servers(profile.name, print)


@pytest.fixture
async def settings(profile: Profile) -> AsyncIterator[ModelSettings]:
    (server,) = profile.servers
    yield ModelSettings(base_url=server.base_url, model="small", temperature=0)
    await close_clients()


async def test_it_counts_the_tokens_that_it_then_reads_and_tells_the_context_of_a_slot(settings: ModelSettings) -> None:
    endpoint = await fetch_endpoint(settings)
    assert find_context_length(settings, endpoint) == 2048
    (answer,) = await request_completions(PROMPT, settings, None, 5, lambda *_: None)
    counted = await count_message_tokens(PROMPT, settings, endpoint)
    assert counted - TEMPLATE_TOKENS <= answer["input_tokens"] <= counted


async def test_its_grammar_holds_an_answer_to_the_schema(settings: ModelSettings) -> None:
    (answer,) = await request_completions(PROMPT, settings, Summary.model_json_schema(), 200, lambda *_: None)
    assert parse_answer(answer, Summary, Limits())[0].summary


async def test_several_answers_come_whole(settings: ModelSettings) -> None:
    answers = await request_completions(
        PROMPT, settings.model_copy(update={"temperature": 1.0}), None, 40, lambda *_: None, number=2
    )
    assert all(answer["text"] for answer in answers)
