"""Sentences that were sent back and yet copied: written anew one by one, and put in by code where they are better.

A small model that is asked for a whole new text likes to repeat the old one; asked for one sentence it does change it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from state.limits import AtMost
from tools.fidelity import coverage, unsupported_facts
from tools.prose import whole_sentences
from tools.readability import grade, mean_grade

LEAST_OF_A_SENTENCE = 0.15
"""Share of a sentence's content words that its rewriting must keep, or it is another sentence and not an easier one."""


class RewrittenSentence(BaseModel):
    """One sentence in simpler words; it may become two or three.

    `point` comes first, because a small model copies the hard sentence into whatever it writes first (seen with
    Qwen2.5-Coder-1.5B: without this field it repeats the sentence as its rewriting).
    """

    model_config = ConfigDict(extra="forbid")

    number: int = Field(ge=1)
    point: Annotated[str, AtMost("note_words"), Field(min_length=5)]
    rewritten: Annotated[str, AtMost("advice_words"), Field(min_length=10)]


class RewrittenSentences(BaseModel):
    """What an agent makes of the sentences that were sent back."""

    model_config = ConfigDict(extra="forbid")

    rewrites: Annotated[list[RewrittenSentence], AtMost("rewrites"), Field(min_length=1)]


def still_in(text: str, sentences: Iterable[str]) -> list[str]:
    """The sentences that a text repeats word by word, each once."""
    return [sentence for sentence in dict.fromkeys(sentences) if sentence in text]


def better(copied: Sequence[str], answer: RewrittenSentences, source: str) -> Iterator[tuple[str, str]]:
    """The rewritten sentences that are better than what was copied, each with the old one before it.

    Args:
        copied: The sentences that were sent back, as they were numbered.
        answer: The rewritten ones; numbers that do not exist are left out.
        source: What the text was made from.
    """
    for item in answer.rewrites:
        if item.number > len(copied):
            continue
        old, new = copied[item.number - 1], whole_sentences(item.rewritten)
        if new and is_better(new, old, source):
            yield old, new


def is_better(rewritten: str, sentence: str, source: str) -> bool:
    """Whether a rewritten sentence is easier or truer, speaks of the same, and adds nothing that the source lacks."""
    unsupported, before = (len(unsupported_facts(text, source)) for text in (rewritten, sentence))
    easier = mean_grade(grade(rewritten)) < mean_grade(grade(sentence)) or unsupported < before
    return easier and unsupported <= before and coverage(rewritten, sentence) >= LEAST_OF_A_SENTENCE
