"""Hard sentences of a text, written anew one by one: each is put in where it is easier and says the same.

A small model that is asked for a whole new text likes to repeat the old one. Asked for sentences, it does change them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from difflib import SequenceMatcher
from typing import Self

from state.errors import ModelOutputError, RetrievalUnavailable
from state.model_settings import Limits
from state.records import CallRecord
from tools.checks.fidelity import coverage, unsupported_facts
from tools.checks.omissions import negations
from tools.checks.readability import grade, mean_grade
from tools.models.ask import Answer, MarkdownAnswer
from tools.text import has_words, sentences

FEWEST_WORDS = 8
"""A shorter sentence is easy enough."""
SHARE_COPIED = 0.75
"""Share of a sentence's words that stand in one sentence of the source, in the same order, if it is a copy."""
LEAST_OF_A_SENTENCE = 0.15
"""Share of a sentence's content words that its rewriting must keep, or it is another sentence and not an easier one."""

LONGER = 1.7
"""How many times as long as a sentence its rewriting may be: a technical word may need several plain ones."""
MOST_SENTENCES = 3
"""That a hard sentence may become."""

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
_BY = re.compile(r"\bby (?:about |over |nearly )?(\d[\d.]*) ?(?:%|percent|per cent)", re.IGNORECASE)
"""A change; "in 41% of participants" is a share."""
_DENIAL = re.compile(
    r"\b(?:no|not|never|none|nor|neither|nothing|cannot|without|\w+n['’]t|lack\w*|absen\w+|fail\w*|un\w{4,}|in(?:ability|sensitive|sufficient)\w*|"
    r"exclu\w+|omit\w*|except|only|remain\w*|too|hardly|little|few)\b",
    re.IGNORECASE,
)
"""Whatever a denial may stand for: "unaware" becomes "did not know"."""
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_COMPARISON = re.compile(
    r"\b(?:than|versus|vs|against|compar\w+|relative|differ\w*|exceed\w*|rather|most|least|more|higher|greater|larger|"
    r"longer|less|lower|fewer|smaller|shorter)\b",
    re.IGNORECASE,
)


LEAST_COSINE = 0.5
"""Of the encoder's vectors of a sentence and the one in its place."""


class EasySentence(MarkdownAnswer):
    """A hard sentence in easy words; it may become two or three."""

    text: str

    @classmethod
    def read(cls, text: str) -> Self:
        """Take the sentence as one line.

        Raises:
            ValueError: There are no words.
        """
        if not has_words(text):
            raise ValueError("it has no words")
        return cls(text=" ".join(text.split()).strip('"“”'))

    @classmethod
    def most_words(cls, limits: Limits) -> int:
        """Return the words of a sentence that has become longer."""
        return limits.advice_words


def is_hard(sentence: str) -> bool:
    """Return whether a sentence is long enough to be hard."""
    return len(_words(sentence)) >= FEWEST_WORDS


def copied_from(source: str, text: str) -> list[str]:
    """The sentences of a text that repeat a sentence of its source, word by word or nearly so, each once."""
    originals = [each.text for each in sentences(source)]
    return [
        sentence
        for sentence in dict.fromkeys(each.text for each in sentences(text) if not each.heading)
        if sentence in text and is_hard(sentence) and any(_is_copy(sentence, o) for o in originals)
    ]


async def rewrite_each(
    text: str,
    hard: Sequence[str],
    source: str,
    ask: Callable[[str], Awaitable[Answer[EasySentence]]],
    spoils: Callable[[str, str, str], bool] | None = None,
) -> tuple[str, list[CallRecord]]:
    """Ask for sentences one by one, and put in those that are easier and say the same, as far as code tells.

    A small model that is given several at once copies most of them.

    Args:
        text: Holds the sentences.
        hard: The sentences.
        source: What the text was made from.
        ask: Asks the agent for one of them in easy words.
        spoils: Whether an easy sentence does harm, given the text before and after, and the sentence.

    Returns:
        The text with what is better now, and what all answers cost.
    """
    calls: list[CallRecord] = []
    for sentence in hard:
        try:
            answer = await ask(sentence)
        except ModelOutputError as error:  # the sentence stays
            calls += error.spent
            continue
        calls += answer.calls
        text = await asyncio.to_thread(_replace, text, sentence, answer.value.text, source, spoils)
    return text, calls


def _replace(text: str, hard: str, easy: str, source: str, spoils: Callable[[str, str, str], bool] | None) -> str:
    """Put an easy sentence in the place of a hard one, unless something speaks against it."""
    if easy == hard or objection_to(easy, hard, source) or not _is_near(easy, hard):
        return text
    after = text.replace(hard, easy, 1)
    return text if spoils and spoils(text, after, easy) else after


def _is_near(new: str, old: str) -> bool:
    """Whether two sentences are near in meaning by the encoder; without its packages, they count as near."""
    try:
        from tools.retrieval import Embedding, cosines  # noqa: PLC0415 - its packages are those of an extra

        return bool(cosines((new,), (old,), Embedding())[0, 0] >= LEAST_COSINE)
    except (ImportError, RetrievalUnavailable):
        return True


def objection_to(rewritten: str, sentence: str, source: str) -> str:
    """What speaks against a rewritten sentence, as far as code can tell; empty if nothing does.

    It must be easier or truer, speak of the same with its numbers, names, denials and doubts, and say no more than the
    old one: nothing that the source lacks, no more of a less, no change of a share, no new denial or comparison.
    """
    lost = unsupported_facts(sentence, rewritten)
    foreign, before = (unsupported_facts(text, source) for text in (rewritten, sentence))
    easier = mean_grade(grade(rewritten)) < mean_grade(grade(sentence)) or len(foreign) < len(before)
    turns_round = any(
        this.search(sentence) and not other.search(sentence) and other.search(rewritten)
        for this, other in ((_MORE, _LESS), (_LESS, _MORE))
    )
    objections = {
        f"says what the text does not: {', '.join(fact['text'] for fact in foreign)}": len(foreign) > len(before),
        f"leaves out {', '.join(fact['text'] for fact in lost)}": bool(lost),
        "leaves out that something is not so": bool(negations(sentence) and not _DENIAL.search(rewritten)),
        "speaks of something else than the sentence": coverage(rewritten, sentence) < LEAST_OF_A_SENTENCE,
        "is surer than the sentence": bool(_HEDGE.search(sentence) and not _HEDGE.search(rewritten)),
        "says more where the sentence says only less, or less where it says only more": turns_round,
        "makes a change by a percentage of what is a share": not {*_BY.findall(rewritten)} <= {*_BY.findall(sentence)},
        "denies what the sentence does not deny": bool(negations(rewritten) and not _DENIAL.search(sentence)),
        "is much longer than the sentence: add nothing to it": len(_words(rewritten)) > LONGER * len(_words(sentence)),
        f"has more than {MOST_SENTENCES} sentences: add nothing": len(sentences(rewritten)) > MOST_SENTENCES,
        "draws a comparison of its own": bool(_THAN.search(rewritten) and not _COMPARISON.search(sentence)),
        "is no easier than the sentence: use shorter sentences and everyday words": not easier,
    }
    return next((objection for objection, holds in objections.items() if holds), "")


def _is_copy(text: str, original: str) -> bool:
    words = _words(text)
    blocks = SequenceMatcher(None, words, _words(original), autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) >= SHARE_COPIED * len(words)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
