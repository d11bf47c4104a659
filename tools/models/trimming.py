"""Make a prompt fit the model's context: shorten one named variable from its end, and record it."""

from __future__ import annotations

from dataclasses import dataclass

from state.errors import ContextOverflow
from state.records import Trim
from state.settings import ModelSettings
from tools.models.endpoint import context_length, count_tokens, describe_endpoint
from tools.prompts import Prompt

REASK_TOKENS = 160
"""Room kept for the sentence that a second attempt adds to the prompt."""

FEWEST_WORDS = 40
"""A variable is not trimmed below this: an agent that sees less of a text has nothing to work on."""


@dataclass(frozen=True)
class FittedPrompt:
    """A rendered prompt that leaves room for the answer."""

    text: str
    tokens: int
    max_tokens: int
    trims: list[Trim]


async def fit(prompt: Prompt, variables: dict[str, object], trim: str, settings: ModelSettings) -> FittedPrompt:
    """Render `prompt`, shortening `variables[trim]` until prompt and answer fit the context.

    Raises:
        ContextOverflow: If even the shortest form does not fit.
    """
    endpoint = await describe_endpoint(settings)
    length = context_length(settings, endpoint)
    text = prompt.render(variables)
    tokens = await count_tokens(text, settings, endpoint)
    if length is None:
        return FittedPrompt(text, tokens, settings.max_tokens, [])

    max_tokens = min(settings.max_tokens, length // 2)
    room = length - max_tokens - REASK_TOKENS
    whole = str(variables[trim])
    kept = len(whole.split())
    while tokens > room:
        # Aim a little low: the share of tokens per word differs along a text.
        kept = min(kept - 1, int(kept * room / tokens * 0.97))
        if kept < FEWEST_WORDS:
            raise ContextOverflow(
                f"The prompt {prompt.name} does not fit the {length} tokens of {settings.model!r}; "
                "serve it with a longer context, lower `max_tokens`, or give a shorter paper."
            )
        text = prompt.render({**variables, trim: _first_words(whole, kept)})
        tokens = await count_tokens(text, settings, endpoint)

    before = len(whole.split())
    trims = [Trim(variable=trim, words_kept=kept, words_before=before)] if kept < before else []
    return FittedPrompt(text, tokens, max_tokens, trims)


def _first_words(text: str, count: int) -> str:
    """The first `count` words with their white space, so that paragraphs stay paragraphs."""
    position = 0
    for _ in range(count):
        while position < len(text) and text[position].isspace():
            position += 1
        while position < len(text) and not text[position].isspace():
            position += 1
    return text[:position]
