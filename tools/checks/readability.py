"""How hard a text is to read, in United States school grades, after its Markdown is taken off."""

from __future__ import annotations

import re
from itertools import pairwise

from textstat.textstat import textstatistics

from state.records import Readability
from tools.text import list_sentence_starts, split_blocks, strip_headline

# An instance of our own: `textstat.set_lang` and the other switches of the package change one shared object, and
# whoever calls them elsewhere must not change our grades.
_STATISTICS = textstatistics()
_STATISTICS.set_lang("en_US")
_STATISTICS.set_rounding(rounding=False)

_STOP = re.compile("[.!?]")
_CLOSING = "\"'”’)]*"


def compute_readability(text: str) -> Readability:
    """Grades a Markdown text with textstat.

    The headline is not graded. Every other heading, list item and paragraph ends a sentence, with or without a full
    stop. A decimal point and the stop of an abbreviation do not, though textstat takes them for ends: an abstract full
    of intervals would look three grades easier than it is. These rules are ours; for the rest the pinned version of
    textstat counts, syllables by hyphenation, each difficult word once.

    Args:
        text: Markdown or plain text, in English.

    Returns:
        The grades as textstat gives them, unrounded. A text without a word is all zeros. The formulas mean little
        below about a hundred words: the grade of a single word can be negative or above 16.
    """
    prose = "\n".join(map(_close_sentences, (block.text for block in split_blocks(strip_headline(text)))))
    words = _STATISTICS.lexicon_count(prose)
    if not words:
        return Readability(cli=0.0, fkgl=0.0, dcrs=0.0, ari=0.0, words=0)
    return Readability(
        cli=_STATISTICS.coleman_liau_index(prose),
        fkgl=_STATISTICS.flesch_kincaid_grade(prose),
        dcrs=_STATISTICS.dale_chall_readability_score(prose),
        ari=_STATISTICS.automated_readability_index(prose),
        words=words,
    )


def _close_sentences(block: str) -> str:
    """Let each sentence of a block, and only a sentence, end with a stop, since textstat counts every stop."""
    closed: list[str] = []
    for start, end in pairwise([0, *list_sentence_starts(block), len(block)]):
        sentence = block[start:end].strip()
        last = len(sentence.rstrip(_CLOSING)) - 1
        if not _STOP.match(sentence, max(last, 0)):
            sentence = f"{sentence.rstrip(':;,')}."
            last = len(sentence) - 1
        closed.append(_STOP.sub(",", sentence[:last]) + sentence[last:])
    return " ".join(closed)


def compute_mean_grade(scores: Readability) -> float:
    """Mean of the paper's three measures: Coleman-Liau, Flesch-Kincaid and Dale-Chall (Jiang, Shi and Luo)."""
    return (scores["cli"] + scores["fkgl"] + scores["dcrs"]) / 3
