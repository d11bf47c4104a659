"""LangChain chat models that settings name by `use`: one makes up its answers, one is scripted, one calls a tool."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable

from tests.fake_endpoint.filler import _fill
from tests.fake_endpoint.request_log import RecordedRequest

SCHEMA = re.compile(r"keeps to this JSON schema:\n(\{.*\})")


class MadeUp(BaseChatModel):
    """Makes up an answer as the fake endpoint does, to the schema at the end of its prompt; it cannot stream."""

    model: str
    temperature: float | None = None
    max_tokens: int | None = None

    @property
    def _llm_type(self) -> str:
        return "made-up"

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        text = str(messages[0].text)
        body: dict[str, Any] = {"model": self.model, "messages": [{"role": "user", "content": text}]}
        if found := SCHEMA.search(text):
            body["response_format"] = {"json_schema": {"schema": json.loads(found[1])}}
        answer = _fill(RecordedRequest(0, None, "POST", "", {}, body), 0)
        return ChatResult(generations=[ChatGeneration(message=AIMessage(answer.content))])


class Scripted(BaseChatModel):
    """Streams the next of its answers, or raises it; notes what it was asked, with the values that it then had."""

    answers: ClassVar[list[AIMessage | Exception]] = []
    asked: ClassVar[list[tuple[str, dict[str, Any]]]] = []

    model: str
    temperature: float | None = None
    seed: int | None = None
    num_predict: int | None = None
    region: str = ""
    api_key: str = ""

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(self, *_: Any, **__: Any) -> ChatResult:
        raise NotImplementedError

    def _stream(self, messages: list[BaseMessage], *_: Any, **__: Any) -> Iterator[ChatGenerationChunk]:
        self.asked.append((str(messages[0].text), self.model_dump()))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        calls = [*answer.tool_calls, *answer.invalid_tool_calls]
        for piece in re.split(r"(?<= )", str(answer.text)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=piece))
        for call in calls:
            arguments = call["args"] if isinstance(call["args"], str) else json.dumps(call["args"])
            for part in (arguments[:5], arguments[5:]):
                piece = {"name": call["name"], "args": part, "id": "1", "index": 0, "type": "tool_call_chunk"}
                yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[piece]))
        more = {"response_metadata": answer.response_metadata, "usage_metadata": answer.usage_metadata}
        yield ChatGenerationChunk(message=AIMessageChunk(content="", **more))


class Tooled(Scripted):
    """Answers to a schema by a tool call, as Anthropic's models do."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Runnable[LanguageModelInput, AIMessage]:
        return self.bind(tools=tools)
