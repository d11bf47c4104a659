"""Whether a sentence of an English paper is in no English: another language, or letters in disguise.

A paper has little use for such a sentence between its own, and a model reads it all the same.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import Final

_WORD: Final = re.compile(r"(?<![\w-])[^\W\d_]{2,}(?![\w-])")
_ADDRESS: Final = re.compile(r"https?://\S+|\bet al\b")
_LETTER: Final = re.compile(r"[^\W\d_]")
_FEWEST_WORDS: Final = 4
_FEWEST_STRANGE: Final = 8
"""Letters of another script, of which many have no words with spaces between them."""
_MOST_SIGNS: Final = 0.2
"""Share of figures, brackets and the like: with more of them, what has no English words is a list or a formula."""
_MOST_NAMES: Final = 0.5
"""Share of capitalised words."""
_LEAST_STRANGE: Final = 0.6
"""Share of letters of another script."""

_ENGLISH: Final = frozenset(
    "the of and to in a is was were with for that by from this we which not or has have be as it its these those than then can are on at an into our their his her may might must should could would will been being had do does did if when where while who what how no all any some more most such only also other both each between after before during over under about against through there here they he she you your my us them but so because however without within".split()  # noqa: E501,SIM905 - one can read it
)
_OTHER: Final = frozenset(
    "der die das und ist nicht ein eine mit von zu den dem des auf für im sie keine le la les de du et est que qui pas une un dans pour cette ce el los las del y en se no una por con para este esta il lo di che non per del della questo o os as da do em não uma que het een van niet dit geen voor alle en og ikke det er av och att inte som den är på w z nie na się jest że oraz tego v ne je se do že bu ve bir için hiçbir şi nu este să pe o în ja ei on se että dan yang di ini tidak untuk dari và của không này một các um você são foi deste neste seu sua ao aos nas nos com todas todos mais este els les totes amb cap aquest aquesta toate acest acestui este sunt niciun todo sus tu cet toutes tous votre ton aux sur par deze zijn wordt schrijf diesen dieses dieser sind wenn ihr wird".split()  # noqa: E501,SIM905 - one can read it
)
TRIGRAMS: Final = Path(__file__).with_name("english_trigrams.txt")
"""The 800 runs of three letters that most words of open papers have; `draftroom train instructions` writes them."""
_LEAST_COMMON: Final = 0.45
"""Share of a sentence's runs among these below which it is no English; of English ones one in 30,000 has less."""
_LEAST_COMMON_BESIDE: Final = 0.5
"""The same, beside a small word of another language."""


def reads_foreign(sentence: str) -> bool:
    """Whether a sentence has words, and none of them looks English."""
    letters = _LETTER.findall(sentence)
    strange = sum(map(_is_strange, letters))
    if strange >= max(_FEWEST_STRANGE, _LEAST_STRANGE * len(letters)):
        return True
    words = _WORD.findall(_ADDRESS.sub(" ", sentence))
    if len(words) < _FEWEST_WORDS:
        return False
    lower = [word.casefold() for word in words]
    signs = sum(not character.isspace() for character in sentence) - len(letters)
    names = sum(word[0].isupper() for word in words[1:])
    if signs > _MOST_SIGNS * len(letters) or names > _MOST_NAMES * len(words) or not _ENGLISH.isdisjoint(lower):
        return False
    others = sum(word in _OTHER for word in lower)
    return others >= 2 or _commonness(lower) < (_LEAST_COMMON_BESIDE if others else _LEAST_COMMON)


def runs_of_three(word: str) -> list[str]:
    """Its letters, three by three."""
    return [word[at : at + 3] for at in range(len(word) - 2)]


def _commonness(words: list[str]) -> float:
    found = [run for word in words for run in runs_of_three(word)]
    return sum(run in _common() for run in found) / max(len(found), 1)


@cache
def _common() -> frozenset[str]:
    return frozenset(TRIGRAMS.read_text(encoding="utf-8").split())


@cache
def _is_strange(letter: str) -> bool:
    """Whether a letter is of another script; Greek ones are signs in English papers, too, but no sentence of them."""
    return not letter.isascii() and not unicodedata.name(letter, "LATIN").startswith(("LATIN", "MATHEMATICAL"))
