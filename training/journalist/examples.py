"""What the model sees: the journalist's own prompt in its chat template, and the summary in the form of its answer."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import shorten
from typing import TYPE_CHECKING

from typing_extensions import TypedDict

from nodes.journalism.initialise import PROMPTS
from state.errors import SettingsError
from tools.models.prompts import load_prompt
from tools.text import has_words
from training.journalist.config import JournalistConfig
from training.journalist.pairs import SummaryPair

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_NO_LOSS = -100


class TokenisedConversation(TypedDict):
    """A tokenised conversation."""

    input_ids: list[int]
    labels: list[int]
    """The same, but -100 for what is given: the prompt."""


def examples_of(
    pairs: Iterable[SummaryPair], tokenizer: PreTrainedTokenizerBase, config: JournalistConfig
) -> list[TokenisedConversation]:
    """Tokenise pairs, but those that are too long, or whose summary makes no article.

    Raises:
        SettingsError: The model has no chat template, or no pair is short enough.
    """
    if not tokenizer.chat_template:
        raise SettingsError(f"{config.model} has no chat template; name a chat model as `model`.")
    made = [example_of(pair, tokenizer, config) for pair in pairs]
    kept = [example for example in made if example and len(example["input_ids"]) <= config.max_tokens]
    if not kept:
        raise SettingsError(f"None of the {len(made)} pairs fits into {config.max_tokens} tokens; raise `max_tokens`.")
    return kept


def example_of(
    pair: SummaryPair, tokenizer: PreTrainedTokenizerBase, config: JournalistConfig
) -> TokenisedConversation | None:
    """A pair as the conversation that a run has with the model; none if the summary makes no article.

    Its headline is given, too: the paper's own is a technical one, and headlines should stay as the model writes them.
    """
    text = "\n\n".join(line.strip() for line in pair.summary.splitlines() if line.strip())
    if not has_words(text):
        return None
    message = {"role": "user", "content": prompt_for(pair, config)}
    prompt = str(tokenizer.apply_chat_template([message], add_generation_prompt=True, tokenize=False))
    title = shorten(pair.title or pair.abstract, 120, placeholder="")
    given = _tokens(tokenizer, f"{prompt}## Article\n\n# {title}\n\n")
    learnt = _tokens(tokenizer, f"{text}{tokenizer.eos_token}")
    return TokenisedConversation(input_ids=given + learnt, labels=[_NO_LOSS] * len(given) + learnt)


def prompt_for(pair: SummaryPair, config: JournalistConfig) -> str:
    """The prompt of the journalist's first draft (`nodes/journalism/journalist.py`)."""
    chosen = {"audience": config.audience, "max_words": config.max_words, "limits": config.limits}
    return load_prompt(PROMPTS / "write_draft.md").render({"paper": pair.abstract, **chosen})


def _tokens(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    """As a server tokenises a rendered conversation: the template has added all special tokens."""
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
