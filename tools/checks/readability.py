"""How hard a text is to read, in United States school grades, after its Markdown is taken off."""

from __future__ import annotations

import re

from textstat.textstat import textstatistics

from state.records import Readability
from tools.text import blocks, without_headline

# An instance of our own: `textstat.set_lang` and the other switches of the package change one shared object, and
# whoever calls them elsewhere must not change our grades.
_STATISTICS = textstatistics()
_STATISTICS.set_lang("en_US")
_STATISTICS.set_rounding(rounding=False)

_SENTENCE_ENDS = (".", "!", "?")
_DECIMAL_POINT = re.compile(r"(?<=\d)\.(?=\d)")


def grade(text: str) -> Readability:
    """Grades a Markdown text with textstat.

    The headline is not graded. Every other heading, list item and paragraph ends a sentence, with or without a full
    stop. A decimal point does not, though textstat takes it for one: an abstract full of intervals would look three
    grades easier than it is. These rules are ours; for the rest the pinned version of textstat counts, syllables by
    hyphenation, each difficult word once.

    Args:
        text: Markdown or plain text, in English.

    Returns:
        The grades as textstat gives them, unrounded. A text without a word is all zeros. The formulas mean little
        below about a hundred words: the grade of a single word can be negative or above 16.
    """
    lines = [_DECIMAL_POINT.sub(",", block.text) for block in blocks(without_headline(text))]
    closed = [line.rstrip("\"'”’)]*").endswith(_SENTENCE_ENDS) for line in lines]
    prose = "\n".join(line if ends else f"{line.rstrip(':;,')}." for line, ends in zip(lines, closed, strict=True))
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


def mean_grade(scores: Readability) -> float:
    """Mean of the paper's three measures: Coleman-Liau, Flesch-Kincaid and Dale-Chall (Jiang, Shi and Luo)."""
    return (scores["cli"] + scores["fkgl"] + scores["dcrs"]) / 3
