"""Find quoted words in a text, so that every quote shown has the wording of the text and not of the model."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tools.text import split_sentences

_WORD: Final = re.compile(r"\w+")
_MIN_QUOTE_WORDS: Final = 3  # two words stand in any text by chance
MIN_SHARED_WORDS: Final = 0.6  # of a quote's words, in the sentence that it is taken to mean
# An opening mark never follows a letter and a closing mark never precedes a letter, so an apostrophe is neither.
_QUOTATION: Final = re.compile(r"(?<!\w)[\"“„«‘'](.+?)[\"”“»’'](?!\w)", re.DOTALL)
# Signs that belong to the first and the last word of a quote: those of a formula, and per cent.
_OPENING_SIGNS: Final = re.compile(r"(?:\$[\\({\[]*|\\)\Z")
_CLOSING_SIGNS: Final = re.compile(r"[\])}]*\$|%")
_OPENING_BRACKETS: Final = {")": "(", "]": "[", "}": "{"}  # by the closing ones
_ELLIPSIS: Final = re.compile(r"…|\.\.\.")


class TextSpan(NamedTuple):
    """Named tuple of the offsets of start and end of words in a text."""

    start: int
    end: int

    def slice_text(self, text: str) -> str:
        """Return the part of a text that the span covers."""
        return text[self.start : self.end]


def find_quote(quote: str, text: str, *, fewest: int = _MIN_QUOTE_WORDS) -> TextSpan | None:
    """Return the first span of a text with the words of a quote in a row; None without any, or for too short a quote.

    Args:
        quote: Words to find; case, punctuation and white space may differ, accents may not.
        text: Text that is searched.
        fewest: Least number of words; None is returned for a shorter quote.
    """
    wanted = [word.casefold() for word in _WORD.findall(quote)]
    if len(wanted) < max(1, fewest):
        return None
    found = list(_WORD.finditer(text))
    words = [match[0].casefold() for match in found]
    for at in range(len(words) - len(wanted) + 1):
        if words[at : at + len(wanted)] == wanted:
            start, end = found[at].start(), found[at + len(wanted) - 1].end()
            before, after = _OPENING_SIGNS.search(text, max(0, start - 9), start), _CLOSING_SIGNS.match(text, end)
            start = before.start() if before else start
            # A formula that begins before the quote does not end with it.
            if after and (after[0] == "%" or text.count("$", start, end) % 2):
                end = after.end()
            # A bracket that opens within the quote closes in it, too.
            while (opening := _OPENING_BRACKETS.get(text[end : end + 1])) and (
                text.count(opening, start, end) > text.count(text[end], start, end)
            ):
                end += 1
            return TextSpan(start, end)
    return None


def find_closest_quote(quote: str, text: str, *, least: float = MIN_SHARED_WORDS) -> TextSpan | None:
    """Return the span of a quote, or of the sentence that shares most of its words; None if none has the `least`."""
    place = find_quote(quote, text)
    if place:
        return place
    shared = {each.text: measure_shared_words(quote, each.text) for each in split_sentences(text)}
    best = max(shared, key=lambda sentence: shared[sentence], default="")
    return find_quote(best, text) if shared.get(best, 0) >= least else None


def measure_shared_words(quote: str, text: str) -> float:
    """Return the share of the different words of a quote that a text has, too; 0 for a quote without words."""
    wanted, found = ({word.casefold() for word in _WORD.findall(each)} for each in (quote, text))
    return len(wanted & found) / max(1, len(wanted))


def find_quotation(comment: str, text: str) -> TextSpan | None:
    """Return the span of the longest passage in a comment's quotation marks that a text has, too; None without any."""
    passages = [part for quotation in _QUOTATION.findall(comment) for part in _ELLIPSIS.split(quotation)]
    places = filter(None, (find_quote(passage, text, fewest=1) for passage in passages))
    return max(places, key=lambda place: place.end - place.start, default=None)
