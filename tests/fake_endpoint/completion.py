"""Chat completions in the shapes of vLLM 0.32, as a stream of chunks."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tests.fake_endpoint.exchange import Exchange
from tests.fake_endpoint.tokens import count_tokens, split_tokens

ReasoningField = Literal["reasoning", "reasoning_content"]
Usage = Mapping[str, int]


@dataclass(frozen=True)
class Text:
    """Answers with text, to which the limit of output tokens applies as on a real server."""

    content: str
    finish_reason: str = "stop"
    usage: Usage | Literal["counted"] | None = "counted"
    """Tokens to report; None leaves them out, as some servers do."""
    reasoning: str | None = None
    """Thoughts in a field of their own."""
    reasoning_field: ReasoningField = "reasoning"
    """vLLM's name for it, or the one that older vLLM and other servers use."""

    def send(self, exchange: Exchange) -> None:
        """Send this as every one of the answers asked for."""
        send_completion(exchange, [self] * exchange.answers)


@dataclass(frozen=True)
class Choice:
    """One answer as generated: cut at the token limit."""

    content: str
    finish_reason: str
    reasoning: str | None
    reasoning_field: ReasoningField

    @property
    def tokens(self) -> int:
        """Number of tokens generated."""
        return count_tokens(self.reasoning or "") + count_tokens(self.content)


class Completion:
    """The answers to one chat request.

    Args:
        exchange: The request.
        texts: As many answers as it asks for.
    """

    def __init__(self, exchange: Exchange, texts: Sequence[Text]) -> None:
        self._request = exchange.request
        self._choices = [_generate(text, exchange) for text in texts]
        reported = texts[0].usage
        self._usage = self._count(exchange.room.prompt) if reported == "counted" else reported

    def chunks(self, tokens: int = 1) -> Iterator[dict[str, Any]]:
        """The answer as a stream: the role, so many tokens at a time, the finish reason, then the usage."""
        for index, choice in enumerate(self._choices):
            for delta, end in _deltas(choice, tokens):
                parts = {"index": index, "delta": delta, "logprobs": None, "finish_reason": None}
                yield self._frame("chat.completion.chunk", [parts | end])
        options = self._request.body.get("stream_options") or {}
        if options.get("include_usage") and self._usage is not None:
            yield self._frame("chat.completion.chunk", []) | {"usage": self._usage}

    def _frame(self, kind: str, choices: list[dict[str, Any]]) -> dict[str, Any]:
        identity = f"chatcmpl-{self._request.sequence:016x}"
        created = int(time.time())
        return {"id": identity, "object": kind, "created": created, "model": self._request.model, "choices": choices}

    def _count(self, prompt_tokens: int) -> Usage:
        completion_tokens = sum(choice.tokens for choice in self._choices)
        total_tokens = prompt_tokens + completion_tokens
        return {"prompt_tokens": prompt_tokens, "total_tokens": total_tokens, "completion_tokens": completion_tokens}


def send_completion(exchange: Exchange, texts: Sequence[Text]) -> None:
    """Answer with `texts`, as a stream: nobody here asks for anything else."""
    exchange.send_events(Completion(exchange, texts).chunks(exchange.stream_interval))


def _generate(text: Text, exchange: Exchange) -> Choice:
    budget = max(0, exchange.room.answer - count_tokens(text.reasoning or ""))
    pieces = split_tokens(text.content)
    finish_reason = text.finish_reason if len(pieces) <= budget else "length"
    return Choice("".join(pieces[:budget]), finish_reason, text.reasoning, text.reasoning_field)


def _deltas(choice: Choice, tokens: int) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    """Each delta of a streamed answer, with what else its chunk says."""
    yield {"role": "assistant", "content": ""}, {}
    for piece in _together(choice.reasoning or "", tokens):
        yield {choice.reasoning_field: piece}, {}
    for piece in _together(choice.content, tokens):
        yield {"content": piece}, {}
    yield {"content": ""}, {"finish_reason": choice.finish_reason, "stop_reason": None}


def _together(text: str, tokens: int) -> Iterator[str]:
    pieces = split_tokens(text)
    return ("".join(pieces[begin : begin + tokens]) for begin in range(0, len(pieces), tokens))
