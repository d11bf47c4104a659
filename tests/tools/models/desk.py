"""One agent at its desk: a graph of a single node that asks a model for a word."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from pydantic import Field
from typing_extensions import TypedDict

from nodes.shared import AgentAnswer
from state.model_settings import Limits, ModelSettings
from state.records import CallRecord
from tests.fake_endpoint import FakeEndpoint, Json
from tools.models.ask import Caller, MarkdownAnswer, ask_model
from tools.models.prompts import load_prompt

PROMPT = """---
role: reader
purpose: Ask for a word.
variables: [text, question]
---
{{ text }}

{{ question }}
"""
GOOD = Json({"word": "cell"})
THREAD: Any = {"configurable": {"thread_id": "desk"}}


class Verdict(AgentAnswer):
    """What the model is asked for."""

    word: str = Field(min_length=2, max_length=20)


class Phrase(MarkdownAnswer):
    """The word as prose."""

    word: str

    @classmethod
    def from_markdown(cls, text: str) -> Phrase:
        """Take the text as it is."""
        return cls(word=text)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """As of a note."""
        return limits.note_words


class Points(Phrase):
    """Prose that is of use up to where it was cut off."""

    usable_if_cut_off = True


class Result(TypedDict):
    """State of the graph."""

    text: str
    word: str
    calls: list[CallRecord]


@dataclass
class Desk:
    """Asks `endpoint` with the prompt file `prompt`."""

    endpoint: FakeEndpoint
    prompt: Path
    schema: type[Verdict | Phrase] = Verdict

    def settings(self, **choices: Any) -> ModelSettings:
        """Settings that never wait between tries."""
        here = {"base_url": self.endpoint.base_url, "model": "large", "retry_wait_s": 0, "timeout_s": 20}
        return ModelSettings.model_validate({**here, **choices})

    def graph(self, saver: BaseCheckpointSaver[str] | None = None, **choices: Any) -> CompiledStateGraph[Any]:
        """A graph whose only node asks for a word about the text of its state."""

        async def judge(state: Result) -> dict[str, Any]:
            variables: dict[str, object] = {"text": state["text"], "question": "Which word?"}
            caller, prompt = Caller("reader", "judge", 2), await asyncio.to_thread(load_prompt, self.prompt)
            answer = await ask_model(caller, prompt, variables, self.schema, self.settings(**choices), trim="text")
            return {"word": answer.value.word, "calls": answer.calls}

        return StateGraph(Result).add_node(judge).add_edge(START, "judge").compile(checkpointer=saver)

    async def ask(self, text: str = "A tale of cells.", **choices: Any) -> Result:
        """Run the graph once."""
        result: Any = await self.graph(**choices).ainvoke({"text": text})
        return result

    @property
    def sent(self) -> list[dict[str, Any]]:
        """Bodies of the chat requests so far."""
        return [request.body for request in self.endpoint.chat_requests]
