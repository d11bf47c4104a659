"""Make a prompt fit the model's context: shorten one named variable from its end, and record the cut."""

from __future__ import annotations

import re
from dataclasses import dataclass

from state.errors import ContextOverflowError
from state.model_settings import ModelSettings
from state.records import Trim
from tools.models.endpoint import count_message_tokens, fetch_endpoint, find_context_length
from tools.models.prompts import Prompt

REASK_TOKENS = 160  # kept for the sentence that a re-ask adds to the prompt
RESERVED_ANSWER_TOKENS = 4096  # hold the longest article and some thoughts before it
MIN_TRIMMED_WORDS = 40  # with less of a text, an agent has nothing to work on
MIN_COMPARABLE_TOKENS = 2000  # of a prompt; a shorter one is rarely cut, and estimates of it differ
TRIM_TARGET_SHARE = 0.97  # Trimming aims below the limit, because the number of tokens per word differs along a text.


@dataclass(frozen=True)
class FittedPrompt:
    """A rendered prompt that leaves enough context for the answer."""

    text: str
    tokens: int
    max_tokens: int
    trims: list[Trim]


async def fit_prompt(
    prompt: Prompt, variables: dict[str, object], trim: str, settings: ModelSettings, *, ending: str = ""
) -> FittedPrompt:
    """Render `prompt` and append `ending`; shorten `variables[trim]` until prompt and answer fit, and record the cut.

    Raises:
        ContextOverflowError: If even the shortest form does not fit.
        ModelUnavailableError: If the endpoint does not answer, or does not serve the model.
    """
    endpoint = await fetch_endpoint(settings)
    length = find_context_length(settings, endpoint)
    whole = str(variables[trim])

    async def render(value: str) -> tuple[str, int]:
        text = prompt.render({**variables, trim: value}) + ending
        return text, await count_message_tokens(text, settings, endpoint)

    # 1. Keep the whole text if it fits, or if nobody knows the context length.
    text, tokens = await render(whole)
    if length is None:
        return FittedPrompt(text, tokens, settings.max_tokens, [])
    available, limit = length - REASK_TOKENS, compute_prompt_limit(settings, length)
    if tokens <= limit:
        return FittedPrompt(text, tokens, min(settings.max_tokens, available - tokens), [])
    # 2. Else cut the variable, by the share of its tokens that is too much, until the prompt fits.
    _, fixed = await render("")
    words = list(re.finditer(r"\S+", whole))
    kept = len(words)
    while tokens > limit:
        share = (limit - fixed) / max(1, tokens - fixed)
        kept = min(kept - 1, int(kept * share * TRIM_TARGET_SHARE))
        if kept < MIN_TRIMMED_WORDS:
            problem = f"its prompt {prompt.name} does not fit the {length} tokens of {settings.model!r}"
            raise ContextOverflowError(
                f"The {prompt.front_matter.role} cannot be asked: {problem}; serve the model with a longer context, "
                "lower `max_tokens`, or give a shorter text.",
                problem=problem,
            )
        text, tokens = await render(whole[: words[kept - 1].end()])
    cut = Trim(variable=trim, words_kept=kept, words_before=len(words))
    return FittedPrompt(text, tokens, min(settings.max_tokens, available - tokens), [cut])


def compute_prompt_limit(settings: ModelSettings, length: int) -> int:
    """Return the most tokens of a prompt: a paper should not lose its end to the space that answers rarely need."""
    return length - REASK_TOKENS - min(settings.max_tokens, length // 4, RESERVED_ANSWER_TOKENS)


def is_prompt_truncated(read: int, sent: int) -> bool:
    """Return whether a server has read far fewer tokens than an error of the count can explain; 0 is no count."""
    return 0 < read < sent / 2 and sent > MIN_COMPARABLE_TOKENS
