"""Sentences that a text has copied from its source: each is written anew by itself, and put in where it is better.

A small model that is asked for a whole new text likes to repeat the old one. Asked for one sentence, with the source
before it, it does change it.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from difflib import SequenceMatcher
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from state.errors import ModelOutputError
from state.model_settings import AtMost
from state.records import CallRecord
from tools.checks.fidelity import coverage, unsupported_facts
from tools.checks.readability import grade, mean_grade
from tools.models import Answer
from tools.text import sentences, whole_sentences

FEWEST_WORDS = 8
"""A shorter sentence is easy enough."""
SHARE_COPIED = 0.75
"""Share of a sentence's words that stand in one sentence of the source, in the same order, if it is a copy."""
LEAST_OF_A_SENTENCE = 0.15
"""Share of a sentence's content words that its rewriting must keep, or it is another sentence and not an easier one."""

_WORD = re.compile(r"\w+")
_HEDGE = re.compile(
    r"\b(?:may|might|could|can|probably|likely|possibl[ey]|perhaps|suggest\w*|seem\w*|appear\w*|uncertain\w*|unclear|"
    r"not (?:clear|sure|certain|know)|unsure|don.t know|think\w*|believe\w*|estimate\w*|indicate\w*|about|roughly)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:more|higher|greater|larger|longer|augment\w*|increas\w*|rais\w+|rose|ris\w+|improv\w*)\b", re.IGNORECASE
)
_LESS = re.compile(
    r"\b(?:less|lower|fewer|smaller|shorter|reduc\w*|decreas\w*|declin\w*|drop\w*|fell|falls?|worse\w*|underestimat\w*)\b",
    re.IGNORECASE,
)
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_COMPARISON = re.compile(
    r"\b(?:than|versus|vs|against|compar\w+|relative|differ\w*|exceed\w*|rather|most|least|more|higher|greater|larger|"
    r"longer|less|lower|fewer|smaller|shorter)\b",
    re.IGNORECASE,
)


class EasySentence(BaseModel):
    """A hard sentence in easy words; it may become two or three."""

    model_config = ConfigDict(extra="forbid")

    easy: Annotated[str, AtMost("advice_words"), Field(min_length=10)]


def copied_from(source: str, text: str) -> list[str]:
    """The sentences of a text that repeat a sentence of its source, word by word or nearly so, each once."""
    originals = [each.text for each in sentences(source)]
    return [
        sentence
        for sentence in dict.fromkeys(each.text for each in sentences(text) if not each.heading)
        if sentence in text and len(_words(sentence)) >= FEWEST_WORDS and any(_is_copy(sentence, o) for o in originals)
    ]


async def rewrite_each(
    copied: Iterable[str], ask: Callable[[str], Awaitable[Answer[EasySentence]]], source: str
) -> tuple[list[tuple[str, str]], list[CallRecord]]:
    """Ask for each sentence by itself. One that gets no usable answer, or no better one, stays as it is.

    Args:
        copied: The sentences.
        ask: Asks the agent for one of them in easy words.
        source: What the text was made from, and whatever else it may say.

    Returns:
        The sentences that are better now, each with the old one before it, and what all of them cost.
    """
    rewritten: list[tuple[str, str]] = []
    calls: list[CallRecord] = []
    for old in copied:
        try:
            answer = await ask(old)
        except ModelOutputError as error:
            calls += error.spent
            continue
        calls += answer.calls
        new = whole_sentences(answer.value.easy)
        if new and is_better(new, old, source):
            rewritten.append((old, new))
    return rewritten, calls


def is_better(rewritten: str, sentence: str, source: str) -> bool:
    """Whether a rewritten sentence is easier or truer, speaks of the same, and says nothing that the old one does not.

    Code can tell so much: no number or name that the source lacks, no doubt that is gone, no more made of a less, and
    no comparison that is new.
    """
    unsupported, before = (len(unsupported_facts(text, source)) for text in (rewritten, sentence))
    easier = mean_grade(grade(rewritten)) < mean_grade(grade(sentence)) or unsupported < before
    says_it = unsupported <= before and coverage(rewritten, sentence) >= LEAST_OF_A_SENTENCE
    is_as_sure = bool(_HEDGE.search(rewritten)) or not _HEDGE.search(sentence)
    return easier and says_it and is_as_sure and not _compares(rewritten, sentence)


def _compares(rewritten: str, sentence: str) -> bool:
    """Whether a text says more where the other says only less, less where it says only more, or compares by itself."""
    turned = any(
        this.search(sentence) and not other.search(sentence) and other.search(rewritten)
        for this, other in ((_MORE, _LESS), (_LESS, _MORE))
    )
    return turned or bool(_THAN.search(rewritten) and not _COMPARISON.search(sentence))


def _is_copy(text: str, original: str) -> bool:
    words = _words(text)
    blocks = SequenceMatcher(None, words, _words(original), autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) >= SHARE_COPIED * len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
