"""Whether a sentence of an English paper is in no English: another language, or letters in disguise.

A paper has little use for such a sentence between its own, and a model reads it all the same. No language is known but
English: what has hardly a word that open papers have, and no run of letters like theirs, is in none.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

_WORD: Final = re.compile(r"(?<![\w-])[^\W\d_]{2,}(?![\w-])|(?<![\w-])a(?![\w-])")
_ASIDE: Final = re.compile(
    r"https?://\S+|\S+@\S+|\bet al\b|\b(?:(?:van|von|de|der|den|dos|da|del|di|la|le|el|al|y) ){1,2}(?=[A-Z])"
)
"""Addresses, and what is foreign in names."""
_LETTER: Final = re.compile(r"[^\W\d_]")
_FEWEST_WORDS: Final = 4
_FEWEST_STRANGE: Final = 6
"""Letters of another script, of which many have no words with spaces between them."""
_MOST_SIGNS: Final = 0.2
"""Share of figures, brackets and the like: with more of them, what has no English words is a list or a formula."""
_MOST_NAMES: Final = 0.5
"""Share of capitalised words."""
_LEAST_STRANGE: Final = 0.6
"""Share of letters of another script."""

_ENGLISH: Final = frozenset(
    "the and with by from were which this that these those their it its have has than when while although because into after before between during under about against through would could should there they them you your such only both each without within however".split()  # noqa: E501,SIM905 - one can read it
)
_LIKELY: Final = frozenset(
    "of or for we is are if but as at his her had been can be not most also over".split()  # noqa: SIM905 - one can read it
)
"""Small words of English that are words of few other languages."""
_SHARED: Final = _LIKELY | frozenset("a in no do an so was on to me us he all men".split())  # noqa: SIM905 - the same
"""Those that are words of many."""
_OTHER: Final = frozenset(
    "der die das und ist nicht ein eine mit von zu den dem des auf für im sie keine le la les de du et est que qui pas une un dans pour cette ce el los las del y en se una por con para este esta il lo di che per della questo os da em não uma het een van niet dit geen voor alle en og ikke det er av och att inte som den är på w z nie na się jest że oraz tego v ne je že bu ve bir için hiçbir şi nu să pe o în ja ei että dan yang ini tidak untuk dari và của không này các você são foi deste neste seu sua ao aos nas nos com todas todos mais els totes amb cap aquest aquesta toate acest acestui sunt niciun todo sus tu cet toutes tous votre ton aux sur par deze zijn wordt schrijf diesen dieses dieser sind wenn ihr wird sin sem ou aucune aucun sans ohne utan zonder senza".split()  # noqa: E501,SIM905 - one can read it
)
WORDS: Final = Path(__file__).with_name("english_words.txt")
"""The words that most open papers have, the most frequent first; `draftroom train instructions` writes them."""
_FEWEST_WORDS_WITH_RUN: Final = 4
"""Known words in which a run of three letters is a common one."""
_MOST_KNOWN: Final = 0.34
"""Share of known words, small ones aside, from which on a sentence is English."""
_MOST_KNOWN_BESIDE: Final = 0.5
"""The same, beside two small words of other languages or words with accents."""
_MOST_COMMON: Final = 0.55
"""Share of common runs from which on it is English, though its words be rare."""


def reads_foreign(sentence: str) -> bool:
    """Whether a sentence has words, and hardly one of them looks English."""
    letters = _LETTER.findall(sentence)
    strange = sum(map(_is_strange, letters))
    if strange >= max(_FEWEST_STRANGE, _LEAST_STRANGE * len(letters)):
        return True
    words = _WORD.findall(_ASIDE.sub(" ", sentence))
    lower = {word.casefold() for word in words}
    signs = sum(not character.isspace() for character in sentence) - len(letters)
    names = sum(word[0].isupper() for word in words[1:])
    if (
        len(words) < _FEWEST_WORDS
        or signs > _MOST_SIGNS * len(letters)
        or names > _MOST_NAMES * len(words)
        or not lower.isdisjoint(_ENGLISH)
    ):
        return False
    rare = [word.casefold() for word in words if word.casefold() not in _SHARED]
    others = len((lower & _OTHER) | {word for word in words if not word.isascii() and word.islower()})
    if known_share(rare) >= (_MOST_KNOWN_BESIDE if others > 1 else _MOST_KNOWN):
        return False
    doubts = len(lower & _SHARED) > 1, not lower.isdisjoint(_LIKELY)
    if others < sum(doubts):  # "There was no clubbing, cyanosis or lymphadenopathy."
        return False
    return others > 0 or commonness(rare) < _MOST_COMMON


def known_share(words: Sequence[str]) -> float:
    """The share of words that open papers have often."""
    return sum(map(is_known, words)) / max(len(words), 1)


def is_known(word: str) -> bool:
    """Whether open papers have a word often."""
    return word.lower() in _known()


def commonness(words: Sequence[str]) -> float:
    """The share of their runs of three letters that English has often."""
    found = [run for word in words for run in runs_of_three(word)]
    return sum(run in _common() for run in found) / max(len(found), 1)


def runs_of_three(word: str) -> list[str]:
    """Its letters, three by three."""
    return [word[at : at + 3] for at in range(len(word) - 2)]


@cache
def known_words() -> tuple[str, ...]:
    """The words that most open papers have, the most frequent first."""
    return tuple(WORDS.read_text(encoding="utf-8").split())


@cache
def _known() -> frozenset[str]:
    return frozenset(known_words()) - _OTHER | _SHARED


@cache
def _common() -> frozenset[str]:
    counts = Counter(run for word in _known() for run in set(runs_of_three(word)))
    return frozenset(run for run, count in counts.items() if count >= _FEWEST_WORDS_WITH_RUN)


@cache
def _is_strange(letter: str) -> bool:
    """Whether a letter is of another script; Greek ones are signs in English papers, too, but no sentence of them."""
    return not letter.isascii() and not unicodedata.name(letter, "LATIN").startswith(("LATIN", "MATHEMATICAL"))
