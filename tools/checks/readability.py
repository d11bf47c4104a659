"""Grade the readability of a text in United States school grades, after its Markdown is removed."""

from __future__ import annotations

import re
from itertools import pairwise

from textstat.textstat import textstatistics

from state.records import Readability
from tools.text import list_sentence_starts, split_blocks, strip_headline

# A separate instance, since `textstat.set_lang` and the other switches of the package change a shared object, and a
# call elsewhere must not change these grades.
_STATISTICS = textstatistics()
_STATISTICS.set_lang("en_US")
_STATISTICS.set_rounding(rounding=False)

_STOP = re.compile("[.!?]")
_CLOSING = "\"'”’)]*"


def compute_readability(text: str) -> Readability:
    """Grade an English text, in Markdown or plain, with four formulas of textstat; count its words, too.

    The headline is not graded. Every other heading, list item and paragraph ends a sentence, with or without a full
    stop. A decimal point and the stop of an abbreviation do not, although textstat counts them as ends: an abstract
    full of intervals would look three grades easier than it is.

    Returns:
        Unrounded grades; zeros for a text without words. Below about a hundred words the formulas mean little.
    """
    # End each sentence of a block with a stop, and remove all other stops, since textstat counts every stop.
    blocks: list[str] = []
    for block in (block.text for block in split_blocks(strip_headline(text))):
        closed: list[str] = []
        for start, end in pairwise([0, *list_sentence_starts(block), len(block)]):
            sentence = block[start:end].strip()
            last = len(sentence.rstrip(_CLOSING)) - 1
            if not _STOP.match(sentence, max(last, 0)):
                sentence = f"{sentence.rstrip(':;,')}."
                last = len(sentence) - 1
            closed.append(_STOP.sub(",", sentence[:last]) + sentence[last:])
        blocks.append(" ".join(closed))
    prose = "\n".join(blocks)
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


def compute_mean_grade(scores: Readability) -> float:
    """Return the mean of the paper's measures: Coleman-Liau, Flesch-Kincaid and Dale-Chall (Jiang, Shi and Luo)."""
    return (scores["cli"] + scores["fkgl"] + scores["dcrs"]) / 3
