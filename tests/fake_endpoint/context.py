"""Whether a chat request fits the model's context, with the words that vLLM refuses it in."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.fake_endpoint.exchange import Room
from tests.fake_endpoint.replies import Status
from tests.fake_endpoint.tokens import count_tokens, render_chat


def room_for(body: Mapping[str, Any], context: int, *, clamps: bool) -> Room | Status:
    """Measure a chat request, or refuse it.

    Args:
        body: The request.
        context: The model's context length in tokens.
        clamps: Shorten the answer to what the prompt leaves, as vLLM 0.32 does; otherwise refuse a request whose
            prompt and `max_tokens` do not fit together, as vLLM did before.
    """
    prompt = count_tokens(render_chat(body["messages"]))
    if prompt > context:
        return _refused(
            f"This model's maximum context length is {context} tokens. However, your prompt contains {prompt} input "
            "tokens, which exceeds this limit even without any output tokens. Please reduce the length of the input "
            "prompt.",
            "input_tokens",
            prompt,
        )
    name = "max_tokens" if body.get("max_completion_tokens") is None else "max_completion_tokens"
    wanted: int | None = body.get(name)
    if wanted is None:
        return Room(prompt, context - prompt)
    if wanted > context:
        return _refused(
            f"{name}={wanted} cannot be greater than max_model_len={context}. Please request fewer output tokens.",
            name,
            wanted,
        )
    if prompt + wanted > context and not clamps:
        return Status(
            400,
            f"'max_tokens' or 'max_completion_tokens' is too large: {wanted}. This model's maximum context length is "
            f"{context} tokens and your request has {prompt} input tokens ({wanted} > {context} - {prompt}).",
        )
    return Room(prompt, min(wanted, context - prompt))


def _refused(message: str, param: str, value: int) -> Status:
    return Status(400, f"{message} (parameter={param}, value={value})", param=param)
