"""METEOR of a text and its reference, by NLTK (Lavie and Agarwal 2007: alpha 0.9, beta 3, gamma 0.5), 0 to 100.

Words are matched exactly, then by their Porter stems, then as synonyms (which NLTK looks up by the stem). Synonyms come
from WordNet, data that NLTK would have to download, so that stage runs only where it is installed already: figures with
and without it cannot be compared, and each score names the stages that ran.

Tokens are the runs of letters and digits of the lower-cased text, composed (NFC); punctuation does not count. A text
that equals its reference scores a little less than 100: it is one chunk, and chunks are penalised.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple
from unicodedata import normalize

from nltk.corpus import wordnet
from nltk.translate.meteor_score import single_meteor_score

_WORD = re.compile(r"\w+")


class Meteor(NamedTuple):
    """A score, 0 to 100, and the stages that words were matched by."""

    score: float
    stages: Literal["exact+stem", "exact+stem+synonym"]


class _NoSynonyms:
    """Stands for a WordNet that knows no word."""

    def synsets(self, word: str) -> list[object]:  # noqa: ARG002 - NLTK's signature
        return []


def meteor(text: str, reference: str) -> Meteor:
    """METEOR of one text; a corpus' score is the mean over its texts."""
    known = _has_wordnet()
    score = single_meteor_score(_tokens(reference), _tokens(text), wordnet=wordnet if known else _NoSynonyms())
    return Meteor(100 * score, "exact+stem+synonym" if known else "exact+stem")


def _tokens(text: str) -> list[str]:
    return _WORD.findall(normalize("NFC", text).lower())


@cache
def _has_wordnet() -> bool:
    try:
        wordnet.ensure_loaded()
    except LookupError:
        return False
    return True
