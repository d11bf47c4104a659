"""Put easy sentences in place of the hard ones of a text: a new sentence is kept if it is easier and says the same.

A small model that is asked for a whole new text tends to repeat the old text; asked for sentences, it changes them.
"""

from __future__ import annotations

import re
import tomllib
from difflib import SequenceMatcher
from pathlib import Path
from typing import Self

from state.errors import RetrievalUnavailableError
from state.model_settings import Limits
from tools.checks.fidelity import compute_coverage, list_unsupported_facts
from tools.checks.omissions import find_negations
from tools.checks.readability import compute_mean_grade, compute_readability
from tools.models.ask import MarkdownAnswer
from tools.text import has_words, split_sentences

# A shorter sentence is easy enough.
MIN_HARD_WORDS = 8
# A copy has this share of its words in one sentence of the source, in the same order.
MIN_COPIED_SHARE = 0.75
# A rewritten sentence that keeps fewer of the content words is another sentence, not an easier one.
MIN_KEPT_SHARE = 0.15

# A technical word may need several plain words.
MAX_LENGTH_RATIO = 1.7
# Sentences that a hard sentence may become.
MAX_SENTENCES = 3

_WORD = re.compile(r"\w+")
_WORDS = {
    meaning: re.compile(rf"\b(?:{'|'.join(words)})\b", re.IGNORECASE)
    for meaning, words in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
# "By 41%" is a change; "in 41% of participants" is a share.
_PERCENT_CHANGE = re.compile(r"\bby (?:about |over |nearly )?(\d[\d.]*) ?(?:%|percent|per cent)", re.IGNORECASE)
_THAN = re.compile(r"\bthan\b", re.IGNORECASE)

# Cosine of the encoder's vectors of a sentence and its replacement. In Cochrane reviews 72 % of 138 pairs of an
# abstract's and a plain summary's sentence that share two numbers reach it, and 11 % of 1,965 other pairs.
MIN_COSINE = 0.6


class SimplifiedSentence(MarkdownAnswer):
    """A hard sentence in easy words; it may become two or three."""

    text: str

    @classmethod
    def from_markdown(cls, text: str) -> Self:
        """Return the answer on one line without outer quotation marks; raise ValueError if it has no words."""
        if not has_words(text):
            raise ValueError("it has no words")
        return cls(text=" ".join(text.split()).strip('"“”'))

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return the most words of an answer, for a sentence that has become longer."""
        return limits.advice_words


def is_hard(sentence: str) -> bool:
    """Return whether a sentence has at least 8 words; a shorter one is easy enough."""
    return len(_split_words(sentence)) >= MIN_HARD_WORDS


def find_copied_sentences(source: str, text: str) -> list[str]:
    """List, each once, the hard sentences of a text that repeat a sentence of its source nearly word by word."""
    originals = [_split_words(each.text) for each in split_sentences(source)]
    copied: list[str] = []
    for sentence in dict.fromkeys(each.text for each in split_sentences(text) if not each.heading):
        # A sentence across a line break is not in the text as such, and could not be replaced.
        if sentence in text and is_hard(sentence):
            words = _split_words(sentence)
            for original in originals:
                blocks = SequenceMatcher(None, words, original, autojunk=False).get_matching_blocks()
                if sum(block.size for block in blocks) >= MIN_COPIED_SHARE * len(words):
                    copied.append(sentence)
                    break
    return copied


def replace_sentence(text: str, hard: str, new: str, source: str) -> str:
    """Return a text with a new sentence in place of a hard one, or as it is if something speaks against it; blocks."""
    is_accepted = not find_rewrite_objection(new, hard, source) and is_near_in_meaning(new, hard)
    return text.replace(hard, new, 1) if is_accepted else text


def is_near_in_meaning(sentence: str, other: str) -> bool:
    """Return whether the encoder's vectors of two sentences are near, or the encoder cannot be had to tell."""
    try:
        from tools.retrieval.embedders import compute_cosines  # noqa: PLC0415 - its packages are those of an extra

        return bool(compute_cosines((sentence,), (other,))[0, 0] >= MIN_COSINE)
    except (ImportError, RetrievalUnavailableError):
        return True


def find_rewrite_objection(rewritten: str, sentence: str, source: str) -> str:
    """Return the first reason against a rewritten sentence that code can find; empty if there is none.

    A good rewriting is easier or truer. It keeps the subject with its numbers, names, negations and hedges, and adds no
    fact that the source lacks and no new comparison.

    Args:
        rewritten: The new sentence, or the sentences that one has become.
        sentence: The sentence before.
        source: Text of the paper or abstract, which may support what the sentence does not say.
    """
    lost = list_unsupported_facts(sentence, rewritten)
    foreign, before = (list_unsupported_facts(text, source) for text in (rewritten, sentence))
    grade, old_grade = (compute_mean_grade(compute_readability(text)) for text in (rewritten, sentence))
    negations, new_negations = find_negations(sentence), find_negations(rewritten)
    percent_changes = {*_PERCENT_CHANGE.findall(rewritten)} - {*_PERCENT_CHANGE.findall(sentence)}
    is_reversed = any(
        this.search(sentence) and not other.search(sentence) and other.search(rewritten)
        for this, other in ((_WORDS["increase"], _WORDS["decrease"]), (_WORDS["decrease"], _WORDS["increase"]))
    )
    words, old_words = len(_split_words(rewritten)), len(_split_words(sentence))
    objections = {
        f"says what the text does not: {', '.join(fact['text'] for fact in foreign)}": len(foreign) > len(before),
        f"leaves out {', '.join(fact['text'] for fact in lost)}": lost,
        "leaves out that something is not so": negations and not _WORDS["negation"].search(rewritten),
        "speaks of something else than the sentence": compute_coverage(rewritten, sentence) < MIN_KEPT_SHARE,
        "is surer than the sentence": _WORDS["hedge"].search(sentence) and not _WORDS["hedge"].search(rewritten),
        "says more where the sentence says only less, or less where it says only more": is_reversed,
        "makes a change by a percentage of what is a share": percent_changes,
        "denies what the sentence does not deny": new_negations and not _WORDS["negation"].search(sentence),
        "is much longer than the sentence: add nothing to it": words > MAX_LENGTH_RATIO * old_words,
        f"has more than {MAX_SENTENCES} sentences: add nothing": len(split_sentences(rewritten)) > MAX_SENTENCES,
        "draws a comparison of its own": _THAN.search(rewritten) and not _WORDS["comparison"].search(sentence),
        "is no easier than the sentence: use shorter sentences and everyday words": grade >= old_grade
        and len(foreign) >= len(before),
    }
    return next((objection for objection, holds in objections.items() if holds), "")


def _split_words(text: str) -> list[str]:
    """List the words of a text in lower case."""
    return _WORD.findall(text.casefold())
