"""From a question to the words that a lexical search engine can use."""

from __future__ import annotations

import re

MOST_WORDS = 10
_EMPTY = """
a about above after against all also among an and any are as at be been before being between both but by can
could did do does doing done during each either for from further had has have having how if in into is it its
itself just many may might more most much must no nor not of off on once one only or other others our out over
own paper papers same shall should since so some study studies such than that the their them then there these
they this those through to too under until up upon used using very was we were what when where whether which
while who whom whose why will with within without would you your
"""
_STOP_WORDS = frozenset(_EMPTY.split())


def search_words(question: str) -> list[str]:
    """The words that carry the question, in order, each once, ten at most.

    Hyphenated words are taken apart, as Semantic Scholar finds nothing for them; wildcards and operators of query
    languages do not come through.
    """
    every = list(dict.fromkeys(word.lower() for word in re.findall(r"[^\W_]+", question)))
    telling = [word for word in every if word not in _STOP_WORDS and (len(word) > 1 or word.isdigit())]
    return (telling or every)[:MOST_WORDS]
