"""Takes the disguise off a text: letters set apart or run together, look-alikes, ciphers and codes.

A decoder is right if English comes out of what was none, so each of them may be simple, and a new one is a line.
"""

from __future__ import annotations

import base64
import html
import re
import string
import urllib.parse
from collections.abc import Callable, Iterator
from functools import cache
from typing import Final, NamedTuple

from tools.checks.foreign_sentences import commonness, is_known, known_share, known_words, reads_foreign
from tools.text import fold, strip_invisible

_FEWEST_WORDS: Final = 4
_FEWEST_LETTERS: Final = 16
_LEAST_KNOWN: Final = 0.4
"""Share of known words from which on what a decoder gives is English."""
_MOST_KNOWN: Final = 0.34
"""Share of them from which on nothing is decoded."""
_LEAST_COMMON: Final = 0.5
"""Share of common runs of letters that decoded words have."""
_LEAST_GAIN: Final = 3
"""Known words that come out of a decoder."""
_MOST_SIGNS: Final = 0.25
"""Share of figures and signs in English."""
_LONGEST_WORD: Final = 16
_LONG_WORD: Final = 4
_LEAST_COVERED: Final = 0.5
"""Share of letters in known words of some length, from which on words that run together are divided."""
_MOST_LETTERS: Final = 200
"""Of words that are divided."""
_LETTERS: Final = string.ascii_lowercase

_SET_APART: Final = re.compile(r"(?<!\w)[^\W_](?:([^\w\n]{1,2})[^\W_])(?:\1[^\W_])*(?!\w)")
_CAPITAL_WITHIN: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_WITHIN: Final = re.compile(r"(?<=\w)[^\w\s](?=\w)")
_TWICE: Final = re.compile(r"(\w)\1")
_WORD: Final = re.compile(r"[^\W\d_]+")
_MIXED: Final = re.compile(r"(?<!\w)(?=\w*[a-zA-Z])(?=\w*[0-9@$])[\w@$]+")
_LATIN: Final = re.compile(r"[\x20-\x7e\xa0-\u024f\u2010-\u2026\s]*")
_MOST_MIXED: Final = 0.3
"""Share of words with figures in them beyond which these are letters in disguise."""

_BETWEEN: Final = (
    (re.compile(r"(?<=[a-z])-\s*\n\s*(?=[a-z])"), ""),
    (re.compile(r"\s*(?:\[\d{1,3}(?:[,–-] ?\d{1,3})*\]|\([pP] ?[=<>] ?[01]?\.\d+\))"), ""),
    (re.compile(r"\s*(?:\|\s*)+"), " "),
)
"""What may stand between words or within them and says nothing: line ends, references, p-values, borders of cells."""

Decoder = Callable[[str], str]


def plainly(sentence: str) -> str:
    """A sentence without its disguise; what has none stays as it is."""
    shown = strip_invisible(_unescaped(sentence)).replace("_", " ")
    for between, sign in _BETWEEN:
        shown = between.sub(sign, shown)
    shown = _WORD.sub(
        lambda word: word[0] if is_known(word[0]) else _by_its_letters().get(_letters(word[0]), word[0]), shown
    )
    if not _LATIN.fullmatch(shown) or len(_MIXED.findall(shown)) > _MOST_MIXED * len(shown.split()):
        shown = fold(shown).text
    return _deciphered(shown) or shown


def _unescaped(text: str) -> str:
    """Without entities, however often they were escaped."""
    while (plain := html.unescape(text)) != text:
        text = plain
    return text


def _letters(word: str) -> str:
    """The same for all words that differ in the order of their inner letters only."""
    return word[:1].lower() + "".join(sorted(word[1:-1].lower())) + word[-1:].lower()


@cache
def _by_its_letters() -> dict[str, str]:
    return {_letters(word): word for word in reversed(known_words()) if len(word) > _LONG_WORD}


def in_no_english(sentence: str) -> bool:
    """Whether a sentence of an English paper is in another language, in letters in disguise, or holds a code."""
    if reads_foreign(sentence) or any(_says_something(code.text) for code in codes(sentence)):
        return True
    shown = strip_invisible(sentence)
    return _is_odd(shown) and (_gains(fold(shown).text, shown) or bool(_deciphered(shown)))


def _deciphered(text: str) -> str:
    """What the first decoder gives that makes English of what is none."""
    if not _is_odd(text):
        return ""
    return next((plain for decode in _DECODERS if _gains(plain := decode(text), text)), "")


def _is_odd(text: str) -> bool:
    words = [word for word in _WORD.findall(text) if len(word) > 1]
    return sum(map(str.isalpha, text)) >= _FEWEST_LETTERS and known_share(words) < _MOST_KNOWN


def _gains(plain: str, text: str) -> bool:
    """Whether a reading is English, and by words that the text has not."""
    before, after = ([word for word in _WORD.findall(each) if len(word) > 1] for each in (text, plain))
    gain = known_share(after) * len(after) - known_share(before) * len(before)
    return gain >= _LEAST_GAIN and _is_english(plain)


def _is_english(text: str) -> bool:
    words = _WORD.findall(text)
    signs = len("".join(text.split())) - len("".join(words))
    return (
        len(words) >= _FEWEST_WORDS
        and signs <= _MOST_SIGNS * len(text)
        and known_share(words) >= _LEAST_KNOWN
        and _says_something(text)
    )


def _says_something(text: str) -> bool:
    """Whether a text has words that look English: bytes that are no code of letters hardly ever do."""
    words = [word.lower() for word in _WORD.findall(text)]
    return len(words) > 1 and commonness(words) >= _LEAST_COMMON


def _joined(text: str) -> str:
    return _SET_APART.sub(lambda run: run[0].replace(run[1], ""), text)


def _divided(text: str) -> str:
    """Words run together, or wholly spelt out, divided where known words end; nothing where most are unknown."""
    pieces = _WORD.findall(text)
    if any(1 < len(piece) < _FEWEST_LETTERS for piece in pieces):
        return ""
    letters = "".join(pieces).lower()[:_MOST_LETTERS]
    best: list[tuple[int, list[str]]] = [(0, [])]
    for end in range(1, len(letters) + 1):
        choices = [(best[end - 1][0], [*best[end - 1][1], letters[end - 1]])]
        for size in range(2, min(_LONGEST_WORD, end) + 1):
            word = letters[end - size : end]
            if is_known(word):
                score, words = best[end - size]
                choices.append((score + size * size, [*words, word]))
        best.append(max(choices, key=lambda choice: choice[0]))
    words = best[-1][1]
    covered = sum(len(word) for word in words if len(word) >= _LONG_WORD)
    return " ".join(words) if covered >= max(_LEAST_COVERED * len(letters), _FEWEST_LETTERS) else ""


def _turned(distance: int, step: int = 1) -> Decoder:
    shifted = _by_alphabet(_LETTERS[distance:] + _LETTERS[:distance])
    return lambda text: shifted(text[::step])


def _by_alphabet(letters: str) -> Decoder:
    table = str.maketrans(_LETTERS + _LETTERS.upper(), letters + letters.upper())
    return lambda text: text.translate(table)


_PRINTED: Final = "".join(map(chr, range(33, 127)))
_ROT47: Final = str.maketrans(_PRINTED, _PRINTED[47:] + _PRINTED[:47])
_DECODERS: Final[tuple[Decoder, ...]] = (
    lambda text: _CAPITAL_WITHIN.sub(" ", text),
    _joined,
    lambda text: _WITHIN.sub("", text),
    lambda text: _WITHIN.sub(" ", text),
    _divided,
    lambda text: _TWICE.sub(r"\1", text),
    lambda text: text[::-1],
    lambda text: " ".join(word[::-1] for word in text.split()),
    lambda text: text[::2],
    lambda text: text[1::2],
    lambda text: re.sub(r"\b(\w+)(\w)ay\b", r"\2\1", text),
    lambda text: text.translate(_ROT47),
    _by_alphabet(_LETTERS[::-1]),
    *map(_turned, range(1, 26)),
    *(_turned(distance, -1) for distance in range(1, 26)),
)
"""What undoes a disguise of letters; tried where hardly a word is English."""


class Code(NamedTuple):
    """A piece of a text that is a code of bytes or letters, and what it says."""

    start: int
    end: int
    text: str


def codes(text: str) -> Iterator[Code]:
    """The codes that a text holds."""
    for pattern, decode in _CODES:
        for match in pattern.finditer(text):
            try:
                yield Code(*match.span(), decode(match[0]))
            except (ValueError, OverflowError, KeyError):  # it only looks like a code
                continue


def _from_base64(encoded: str) -> str:
    return " ".join(base64.b64decode(piece + "=" * (-len(piece) % 4)).decode() for piece in encoded.split())


def _from_numbers(base: int, first: int = 0) -> Decoder:
    return lambda encoded: "".join(chr(int(number, base) + first) for number in re.findall(r"\w+", encoded))


_MORSE_CODES: Final = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
_MORSE: Final = dict(zip(_MORSE_CODES.split(), _LETTERS, strict=True))
_SIGNS_OF_MORSE: Final = str.maketrans("·•−–—_", "..----")


def _from_morse(encoded: str) -> str:
    words = re.split(r"\s*[/|]\s*|\s{2,}", encoded.translate(_SIGNS_OF_MORSE))
    return " ".join("".join(_MORSE.get(letter, "") for letter in word.split()) for word in words)


def _from_places(encoded: str) -> str:
    words = re.split(r"\s*[/|,;]\s*|\s+", encoded) if "-" in encoded else re.split(r"\s*[/|]\s*|\s{2,}", encoded)
    return " ".join("".join(chr(int(place) + 96) for place in re.findall(r"\d+", word)) for word in words)


_CODES: Final[tuple[tuple[re.Pattern[str], Decoder], ...]] = (
    (
        re.compile(
            r"(?<![\w+/])(?:[A-Za-z0-9+/]{24,}={0,2}|[A-Za-z0-9+/]{3,40}={0,2}(?: [A-Za-z0-9+/]{3,40}={0,2}){3,60})"
        ),
        _from_base64,
    ),
    (re.compile(r"(?<!\w)[A-Z2-7]{24,}={0,6}"), lambda code: base64.b32decode(code + "=" * (-len(code) % 8)).decode()),
    (re.compile(r"(?<!\w)(?:[0-9a-fA-F]{2} ?){16,}(?!\w)"), lambda code: bytes.fromhex(code).decode()),
    (
        re.compile(r"(?:(?:0x|\\x)[0-9a-fA-F]{2}[ ,]{0,2}){16,}"),
        lambda code: bytes.fromhex(re.sub(r"0x|\\x|,", "", code)).decode(),
    ),
    (re.compile(r"(?:\\u[0-9a-fA-F]{4} ?){12,}"), lambda code: _from_numbers(16)(code.replace("\\u", " "))),
    (
        re.compile(r"(?:[\w.,!?-]{0,30}[%=][0-9a-fA-F]{2}[\w.,!?-]{0,30}){4,}"),
        lambda code: urllib.parse.unquote(code.replace("=", "%")),
    ),
    (re.compile(r"(?:&#x?[0-9a-fA-F]{2,6};[ ]?){16,}"), html.unescape),
    (re.compile(r"(?<!\d)(?:[01]{7,8}[ ,]{0,2}){12,}"), _from_numbers(2)),
    (re.compile(r"(?<!\d)(?:\d{2,3}[ ,]{1,2}){12,}\d{2,3}"), _from_numbers(10)),
    (re.compile(r"(?<!\d)(?:[0-7]{2,3}[ ,]{1,2}){12,}[0-7]{2,3}"), _from_numbers(8)),
    (re.compile(r"(?<!\d)(?:(?:[1-9]|1\d|2[0-6])[-, /|]{1,3}){12,}(?:1\d|2[0-6]|[1-9])(?!\d)"), _from_places),
    (re.compile(r"(?:[.\-·•−–—_]{1,5}[ /|]{1,3}){12,}[.\-·•−–—_]{0,5}"), _from_morse),
)
