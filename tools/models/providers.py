"""Chat models of other providers: those that LangChain knows by name, and classes of the user's own.

Nothing is asked of them but answers, so tokens are estimated.
"""

from __future__ import annotations

import json
import os
import re
from functools import partial
from typing import Any

from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage
from langchain_core.runnables import Runnable
from pydantic import ValidationError

from state.errors import SettingsError
from state.model_settings import ModelSettings
from state.settings import describe_validation_error
from tools.configuration import load_custom_object, mask_keys, name_key

# The names that chat model classes have for the most tokens of an answer.
TOKEN_LIMIT_FIELDS = ("max_tokens", "max_output_tokens", "num_predict")
# The names of the finish reason in an answer's metadata: OpenAI and Google, Anthropic, Bedrock, Ollama.
FINISH_REASON_FIELDS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
# "length", "MAX_TOKENS", "max_tokens", "model_length", "model_context_window_exceeded".
CUT_OFF_PATTERN = re.compile(r"length|tokens|exceeded|limit", re.IGNORECASE)


def build_chat_model(settings: ModelSettings) -> BaseChatModel:
    """Build the chat model of a provider or of the user's class, which reads its key from the environment; blocks.

    Raises:
        SettingsError: Its package is not installed, or it cannot be built with these settings.
    """
    arguments: dict[str, Any] = {"model": settings.model, **settings.extra_body}
    if settings.base_url:
        arguments["base_url"] = settings.base_url
    if key := os.environ.get(name_key(settings)):
        arguments["api_key"] = key
    build: Any = partial(init_chat_model, model_provider=settings.provider)
    if settings.use:
        build = load_custom_object(settings.use)
    try:
        model = build(**arguments)
    except ImportError as error:
        raise SettingsError(f"{settings.server} {describe_missing_package(error)}.") from None
    except Exception as error:  # noqa: BLE001 - constructors raise what they like
        told = str(error).partition("\n")[0].rstrip(".")
        if isinstance(error, ValidationError):  # which quotes all values
            told = describe_validation_error(error)
        raise SettingsError(
            f"{settings.server} cannot be used with these settings: {mask_keys(told)}; correct its "
            "fields under [models], or set the variable with its key."
        ) from None  # the cause may quote the key
    if not isinstance(model, BaseChatModel):
        raise SettingsError(f"{settings.server} is no chat model; name a class derived from LangChain's BaseChatModel.")
    return model


def describe_missing_package(error: ImportError) -> str:
    """Return the end of a sentence about what needs a missing package, with the command that installs it."""
    found = re.search(r"pip install ([\w-]+)", str(error))
    fix = f"install it with `pip install {found[1]}`" if found else f"install what is missing ({error})"
    fix = re.sub(r"langchain-(anthropic|ollama)", r"'draftroom[\1]'", fix)  # which are extras
    return f"needs a package that is not installed; {fix}"


def bind_request(
    model: BaseChatModel, settings: ModelSettings, schema: dict[str, Any] | None, max_tokens: int
) -> Runnable[LanguageModelInput, AIMessage]:
    """Return a chat model with the schema and the sampling values of a request, as far as its class has such fields."""
    values = settings.model_dump(exclude_none=True, include={"temperature", "top_p", "frequency_penalty", "seed"})
    values |= dict.fromkeys(TOKEN_LIMIT_FIELDS, max_tokens)
    chosen = model.model_copy(update={name: values[name] for name in values.keys() & type(model).model_fields.keys()})
    bound = bind_schema(chosen, schema) if schema and settings.structured_output == "json_schema" else None
    return bound or chosen


def bind_schema(model: BaseChatModel, schema: dict[str, Any]) -> Runnable[LanguageModelInput, AIMessage] | None:
    """Return a chat model that answers by a schema in its provider's own way; None if its class has none."""
    try:
        # The first part of the chain is the model; the other would parse the answer, and fail if it is cut off.
        return getattr(model.with_structured_output(schema), "first", None)
    except (NotImplementedError, ValueError, TypeError):
        return None


def read_piece(message: AIMessage) -> str:
    """Return the text of an answer, or of a piece of it, with the arguments of a tool call that stands for it."""
    calls: list[Any] = getattr(message, "tool_call_chunks", None) or [*message.tool_calls, *message.invalid_tool_calls]
    arguments = (call["args"] or "" for call in calls)
    return str(message.text) + "".join(each if isinstance(each, str) else json.dumps(each) for each in arguments)


def read_finish_reason(message: AIMessage) -> str:
    """Return the finish reason of an answer, `length` if it was cut off; empty without one."""
    reasons = (message.response_metadata.get(field) for field in FINISH_REASON_FIELDS)
    reason = str(next(filter(None, reasons), ""))
    return "length" if CUT_OFF_PATTERN.search(reason) else reason
