"""Hard sentences of a text, written anew one by one: each is put in where it is easier and says the same.

A small model that is asked for a whole new text likes to repeat the old one. Asked for sentences, it does change them.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from difflib import SequenceMatcher
from typing import Self

from state.errors import ModelOutputError, RetrievalUnavailableError
from state.model_settings import Limits
from state.records import CallRecord
from tools.checks.fidelity import compute_coverage, list_unsupported_facts
from tools.checks.omissions import find_negations
from tools.checks.readability import compute_mean_grade, compute_readability
from tools.models.ask import Answer, MarkdownAnswer
from tools.text import has_words, split_sentences

MIN_HARD_WORDS = 8
"""A shorter sentence is easy enough."""
MIN_COPIED_SHARE = 0.75
"""Share of a sentence's words that stand in one sentence of the source, in the same order, if it is a copy."""
MIN_KEPT_SHARE = 0.15
"""Share of a sentence's content words that its rewriting must keep, or it is another sentence and not an easier one."""

MAX_LENGTH_RATIO = 1.7
"""How many times as long as a sentence its rewriting may be: a technical word may need several plain ones."""
MAX_SENTENCES = 3
"""That a hard sentence may become."""

_WORD = re.compile(r"\w+")
_HEDGE = re.compile(
    r"\b(?:may|might|could|can|probably|likely|possibl[ey]|perhaps|suggest\w*|seem\w*|appear\w*|uncertain\w*|unclear|"
    r"not (?:clear|sure|certain|know)|unsure|don.t know|think\w*|believe\w*|estimate\w*|indicate\w*|about|roughly)\b",
    re.IGNORECASE,
)
_INCREASE = re.compile(
    r"\b(?:more|higher|greater|larger|longer|augment\w*|increas\w*|rais\w+|rose|ris\w+|improv\w*)\b", re.IGNORECASE
)
_DECREASE = re.compile(
    r"\b(?:less|lower|fewer|smaller|shorter|reduc\w*|decreas\w*|declin\w*|drop\w*|fell|falls?|worse\w*|underestimat\w*)\b",
    re.IGNORECASE,
)
_PERCENT_CHANGE = re.compile(r"\bby (?:about |over |nearly )?(\d[\d.]*) ?(?:%|percent|per cent)", re.IGNORECASE)
"""A change; "in 41% of participants" is a share."""
_NEGATION = re.compile(
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


MIN_COSINE = 0.5
"""Of the encoder's vectors of a sentence and the one in its place."""


class SimplifiedSentence(MarkdownAnswer):
    """A hard sentence in easy words; it may become two or three."""

    text: str

    @classmethod
    def from_markdown(cls, text: str) -> Self:
        """Take the sentence as one line.

        Raises:
            ValueError: There are no words.
        """
        if not has_words(text):
            raise ValueError("it has no words")
        return cls(text=" ".join(text.split()).strip('"“”'))

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return the words of a sentence that has become longer."""
        return limits.advice_words


def is_hard(sentence: str) -> bool:
    """Return whether a sentence is long enough to be hard."""
    return len(_split_words(sentence)) >= MIN_HARD_WORDS


def find_copied_sentences(source: str, text: str) -> list[str]:
    """The sentences of a text that repeat a sentence of its source, word by word or nearly so, each once."""
    originals = [each.text for each in split_sentences(source)]
    return [
        sentence
        for sentence in dict.fromkeys(each.text for each in split_sentences(text) if not each.heading)
        if sentence in text and is_hard(sentence) and any(_is_copy(sentence, o) for o in originals)
    ]


async def rewrite_selected_sentences(
    text: str,
    hard: Sequence[str],
    source: str,
    ask: Callable[[str], Awaitable[Answer[SimplifiedSentence]]],
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
        text = await asyncio.to_thread(_replace_sentence, text, sentence, answer.value.text, source, spoils)
    return text, calls


def _replace_sentence(
    text: str, hard: str, easy: str, source: str, spoils: Callable[[str, str, str], bool] | None
) -> str:
    """Put an easy sentence in the place of a hard one, unless something speaks against it."""
    if easy == hard or find_rewrite_objection(easy, hard, source) or not _has_similar_meaning(easy, hard):
        return text
    after = text.replace(hard, easy, 1)
    return text if spoils and spoils(text, after, easy) else after


def _has_similar_meaning(new: str, old: str) -> bool:
    """Whether two sentences are near in meaning by the encoder; without its packages, they count as near."""
    try:
        from tools.retrieval import EmbeddingModel, compute_cosines  # noqa: PLC0415 - its packages are those of an extra

        return bool(compute_cosines((new,), (old,), EmbeddingModel())[0, 0] >= MIN_COSINE)
    except (ImportError, RetrievalUnavailableError):
        return True


def find_rewrite_objection(rewritten: str, sentence: str, source: str) -> str:
    """What speaks against a rewritten sentence, as far as code can tell; empty if nothing does.

    It must be easier or truer, speak of the same with its numbers, names, denials and doubts, and say no more than the
    old one: nothing that the source lacks, no more of a less, no change of a share, no new denial or comparison.
    """
    lost = list_unsupported_facts(sentence, rewritten)
    foreign, before = (list_unsupported_facts(text, source) for text in (rewritten, sentence))
    easier = compute_mean_grade(compute_readability(rewritten)) < compute_mean_grade(
        compute_readability(sentence)
    ) or len(foreign) < len(before)
    turns_round = any(
        this.search(sentence) and not other.search(sentence) and other.search(rewritten)
        for this, other in ((_INCREASE, _DECREASE), (_DECREASE, _INCREASE))
    )
    objections = {
        f"says what the text does not: {', '.join(fact['text'] for fact in foreign)}": len(foreign) > len(before),
        f"leaves out {', '.join(fact['text'] for fact in lost)}": bool(lost),
        "leaves out that something is not so": bool(find_negations(sentence) and not _NEGATION.search(rewritten)),
        "speaks of something else than the sentence": compute_coverage(rewritten, sentence) < MIN_KEPT_SHARE,
        "is surer than the sentence": bool(_HEDGE.search(sentence) and not _HEDGE.search(rewritten)),
        "says more where the sentence says only less, or less where it says only more": turns_round,
        "makes a change by a percentage of what is a share": not {*_PERCENT_CHANGE.findall(rewritten)}
        <= {*_PERCENT_CHANGE.findall(sentence)},
        "denies what the sentence does not deny": bool(find_negations(rewritten) and not _NEGATION.search(sentence)),
        "is much longer than the sentence: add nothing to it": len(_split_words(rewritten))
        > MAX_LENGTH_RATIO * len(_split_words(sentence)),
        f"has more than {MAX_SENTENCES} sentences: add nothing": len(split_sentences(rewritten)) > MAX_SENTENCES,
        "draws a comparison of its own": bool(_THAN.search(rewritten) and not _COMPARISON.search(sentence)),
        "is no easier than the sentence: use shorter sentences and everyday words": not easier,
    }
    return next((objection for objection, holds in objections.items() if holds), "")


def _is_copy(text: str, original: str) -> bool:
    words = _split_words(text)
    blocks = SequenceMatcher(None, words, _split_words(original), autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) >= MIN_COPIED_SHARE * len(words)


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())
