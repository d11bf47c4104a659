"""Whether a text is English: the language that prompts, readability formulas and checks are made for."""

from __future__ import annotations

import re

FEWEST = 20
"""Words, or letters of another script, below which a text is not judged."""
LEAST_SHARE = 0.07
"""Share of function words among the words of an English text.

The least in 691 abstracts (eLife, PLOS, Cochrane) and 611 plain summaries is 0.13, in 194 whole papers 0.19; in
abstracts in five other languages it is 0.00 to 0.02.
"""
NOT_ENGLISH = "it does not read as English, which prompts, grades and checks are made for: none of them is valid here"

_FUNCTION_WORDS = frozenset(
    "the of and to is was were with for that by from this we which not or has have be as it its these than can".split()  # noqa: SIM905 - one can read it
)
_WORD = re.compile(r"[^\W\d_]+")


def is_english(text: str) -> bool:
    """Whether a text is in Latin letters and has the function words of English; a very short one passes for it."""
    words = _WORD.findall(text.casefold())
    letters = "".join(words)
    if len(letters) >= FEWEST and sum(letter.isascii() for letter in letters) < len(letters) / 2:
        return False
    return len(words) < FEWEST or sum(word in _FUNCTION_WORDS for word in words) >= LEAST_SHARE * len(words)
