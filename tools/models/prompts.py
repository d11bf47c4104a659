"""Prompts are Markdown files: YAML front matter (role, purpose, variables) and a Jinja2 body.

`{% include %}` names a fragment: a file in the same folder whose name begins with an underscore. A variable that the
front matter does not declare, or that is not given, is an error, never an empty string in a prompt.

`fit` makes a prompt fit the model's context: it shortens one named variable from its end, and records that.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml
from jinja2 import DictLoader, Environment, StrictUndefined, Template
from pydantic import BaseModel, ConfigDict

from state.errors import ContextOverflowError
from state.model_settings import ModelSettings
from state.records import Trim
from tools.models.endpoint import count_message_tokens, fetch_endpoint, find_context_length


class FrontMatter(BaseModel):
    """What a prompt file says of itself."""

    model_config = ConfigDict(extra="forbid")

    role: str
    purpose: str
    variables: list[str]


@dataclass(frozen=True)
class Prompt:
    """A prompt that is ready to be rendered."""

    name: str
    front_matter: FrontMatter
    template: Template
    sha256: str
    """Of the file and the fragments of its folder, any of which it may include."""

    def render(self, variables: Mapping[str, object]) -> str:
        """Fill the prompt in.

        Raises:
            ValueError: If a declared variable is missing or an undeclared one is given.
        """
        declared = set(self.front_matter.variables)
        if declared != set(variables):
            raise ValueError(f"prompt {self.name} declares {sorted(declared)}, but was given {sorted(variables)}")
        return self.template.render(variables).strip()


@cache
def load_prompt(path: Path) -> Prompt:
    """Read the prompt file at `path` and the fragments beside it, so that rendering reads no file.

    Raises:
        ValueError: If its front matter is missing or wrong.
    """
    text = path.read_text(encoding="utf-8")
    fragments = {file.name: file.read_text(encoding="utf-8") for file in sorted(path.parent.glob("_*.md"))}
    front_matter, body = split_front_matter(text)
    environment = Environment(
        loader=DictLoader(fragments),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,  # of a fragment: else what follows it is on its last line
        autoescape=False,  # noqa: S701 - prompts are plain text, not HTML
    )
    return Prompt(
        name=path.stem,
        front_matter=FrontMatter.model_validate(yaml.safe_load(front_matter)),
        template=environment.from_string(body),
        sha256=hashlib.sha256("".join([text, *fragments.values()]).encode()).hexdigest(),
    )


def split_front_matter(text: str) -> tuple[str, str]:
    """Split a file into its YAML front matter and its body.

    Raises:
        ValueError: If there is no front matter.
    """
    before, *parts = text.split("---\n", 2)
    if before or len(parts) != 2:
        raise ValueError("a prompt file must begin with front matter between two lines of ---")
    return parts[0], parts[1]


def format_numbered_list(points: Iterable[str]) -> str:
    """A numbered list for a prompt, one point a line."""
    return "\n".join(f"{number}. {point}" for number, point in enumerate(points, start=1))


_SENTENCE_BREAK = re.compile(r"(?<=[.!?:])[\"'”’)*_`]*\s+|\n+")
_WORD = re.compile(r"[\w'’]+")
MIN_REPEATED_WORDS = 5
"""A shorter sentence that stands in prompt and answer may be chance, or a label."""


def find_repeated_sentence(answer: str, prompt: str, variables: Mapping[str, object]) -> str:
    """Return the first sentence of an answer that is the prompt's own; empty if there is none.

    What a colon ends counts as a sentence of its own, so that a label or a list's number hides nothing.

    Args:
        answer: What the model wrote.
        prompt: What it was asked with, filled in.
        variables: What the prompt was filled in with; a sentence of theirs may be repeated.
    """
    own = {_normalize_sentence(part) for part in _SENTENCE_BREAK.split(prompt)}
    own = {words for words in own if words.count(" ") > MIN_REPEATED_WORDS}  # one is on either side, too
    shared = [part for part in _SENTENCE_BREAK.split(answer) if _normalize_sentence(part) in own]
    given = [_normalize_sentence(str(value)) for value in variables.values()] if shared else []
    repeated = (part for part in shared if not any(_normalize_sentence(part) in each for each in given))
    return next(repeated, "").strip(' \t"“”')


def _normalize_sentence(text: str) -> str:
    """Return the words of a text in small letters, with a space before and after each run of them."""
    return f" {' '.join(_WORD.findall(text.casefold()))} "


REASK_TOKENS = 160
"""Room kept for the sentence that a second attempt adds to the prompt."""

RESERVED_ANSWER_TOKENS = 4096
"""Tokens kept for an answer, or a quarter of the context where that is less, or `max_tokens` where that is.

The rest of the context may be prompt, and what the prompt leaves of it is the answer's: an answer rarely needs
`max_tokens`, and a paper should not lose its end to a room that stays empty. 4,096 tokens hold the longest article and
some thoughts before it; of a small context, a quarter leaves more to read than to say.
"""

MIN_TRIMMED_WORDS = 40
"""A variable is not trimmed below this: an agent that sees less of a text has nothing to work on."""

TRIM_TARGET_SHARE = 0.97
"""Share of the room that trimming aims at, because the number of tokens per word differs along a text."""


@dataclass(frozen=True)
class FittedPrompt:
    """A rendered prompt that leaves room for the answer."""

    text: str
    tokens: int
    is_counted: bool
    """By the server; otherwise `tokens` is an estimate."""
    max_tokens: int
    trims: list[Trim]


async def fit_prompt(
    prompt: Prompt, variables: dict[str, object], trim: str, settings: ModelSettings, *, ending: str = ""
) -> FittedPrompt:
    """Render `prompt` with `ending` below, shortening `variables[trim]` until prompt and answer fit the context.

    Raises:
        ContextOverflow: If even the shortest form does not fit.
        ModelUnavailable: If the endpoint does not answer, or does not serve the model.
    """
    endpoint = await fetch_endpoint(settings)
    length = find_context_length(settings, endpoint)
    whole, counted = str(variables[trim]), bool(endpoint.tokenizer)

    async def render(value: str) -> tuple[str, int]:
        text = prompt.render({**variables, trim: value}) + ending
        return text, await count_message_tokens(text, settings, endpoint)

    text, tokens = await render(whole)
    if length is None:
        return FittedPrompt(text, tokens, counted, settings.max_tokens, [])
    whole_room = length - REASK_TOKENS
    room = whole_room - min(settings.max_tokens, length // 4, RESERVED_ANSWER_TOKENS)
    if tokens <= room:
        return FittedPrompt(text, tokens, counted, min(settings.max_tokens, whole_room - tokens), [])

    _, fixed = await render("")
    words = list(re.finditer(r"\S+", whole))
    kept = len(words)
    while tokens > room:
        share = (room - fixed) / max(1, tokens - fixed)
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
    return FittedPrompt(text, tokens, counted, min(settings.max_tokens, whole_room - tokens), [cut])
