"""Make a prompt fit the model's context: shorten one named variable from its end, and record it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from state.errors import ContextOverflow
from state.records import Trim
from state.settings import ModelSettings
from tools.models.endpoint import context_length, count_tokens, describe_endpoint
from tools.prompts import Prompt

REASK_TOKENS = 160
"""Room kept for the sentence that a second attempt adds to the prompt."""

LEAST_ANSWER = 4096
"""Tokens kept for an answer, or a quarter of the context where that is less, or `max_tokens` where that is.

The rest of the context may be prompt, and what the prompt leaves of it is the answer's: an answer rarely needs
`max_tokens`, and a paper should not lose its end to a room that stays empty. 4,096 tokens hold the longest article and
some thoughts before it; of a small context, a quarter leaves more to read than to say.
"""

FEWEST_WORDS = 40
"""A variable is not trimmed below this: an agent that sees less of a text has nothing to work on."""

AIM = 0.97
"""Share of the room that trimming aims at, because the number of tokens per word differs along a text."""


@dataclass(frozen=True)
class FittedPrompt:
    """A rendered prompt that leaves room for the answer."""

    text: str
    tokens: int
    max_tokens: int
    trims: list[Trim]


async def fit(
    prompt: Prompt, variables: dict[str, object], trim: str, settings: ModelSettings, *, ending: str = ""
) -> FittedPrompt:
    """Render `prompt` with `ending` below, shortening `variables[trim]` until prompt and answer fit the context.

    Raises:
        ContextOverflow: If even the shortest form does not fit.
        ModelUnavailable: If the endpoint does not answer, or does not serve the model.
    """
    endpoint = await describe_endpoint(settings)
    length = context_length(settings, endpoint)
    whole = str(variables[trim])

    async def render(value: str) -> tuple[str, int]:
        text = prompt.render({**variables, trim: value}) + ending
        return text, await count_tokens(text, settings, endpoint)

    text, tokens = await render(whole)
    if length is None:
        return FittedPrompt(text, tokens, settings.max_tokens, [])
    whole_room = length - REASK_TOKENS
    room = whole_room - min(settings.max_tokens, length // 4, LEAST_ANSWER)
    if tokens <= room:
        return FittedPrompt(text, tokens, min(settings.max_tokens, whole_room - tokens), [])

    _, fixed = await render("")
    words = list(re.finditer(r"\S+", whole))
    kept = len(words)
    while tokens > room:
        share = (room - fixed) / max(1, tokens - fixed)
        kept = min(kept - 1, int(kept * share * AIM))
        if kept < FEWEST_WORDS:
            problem = f"its prompt {prompt.name} does not fit the {length} tokens of {settings.model!r}"
            raise ContextOverflow(
                f"The {prompt.front_matter.role} cannot be asked: {problem}; serve the model with a longer context, "
                "lower `max_tokens`, or give a shorter text.",
                problem=problem,
            )
        text, tokens = await render(whole[: words[kept - 1].end()])
    cut = Trim(variable=trim, words_kept=kept, words_before=len(words))
    return FittedPrompt(text, tokens, min(settings.max_tokens, whole_room - tokens), [cut])
