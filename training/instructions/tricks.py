"""Ways to disguise a sentence, and which of them the classifier is shown."""

from __future__ import annotations

import base64
import codecs
import random
import urllib.parse
from collections.abc import Callable, Mapping
from typing import Final

Disguise = Callable[[str], str]

_CYRILLIC: Final = str.maketrans(
    "aceopxyiACEOPXTHKM",
    "\u0430\u0441\u0435\u043e\u0440\u0445\u0443\u0456\u0410\u0421\u0415\u041e\u0420\u0425\u0422\u041d\u041a\u041c",
)
_GREEK: Final = str.maketrans(
    "oviaekpOIAEKP",
    "\u03bf\u03bd\u03b9\u03b1\u03b5\u03ba\u03c1\u039f\u0399\u0391\u0395\u039a\u03a1",
)
_LEET: Final = str.maketrans("aeiost", "431057")
_SMALL_CAPITALS: Final = str.maketrans("abcdefghijklmnoprtuvwz", "ᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀᴛᴜᴠᴡᴢ")
_MORSE_CODES: Final = (
    ".- -... -.-. -.. . ..-. --. .... .. .--- -.- .-.. -- -. --- .--. --.- .-. ... - ..- ...- .-- -..- -.-- --.."
)
_MORSE: Final = dict(zip("abcdefghijklmnopqrstuvwxyz", _MORSE_CODES.split(" "), strict=True))


def _between(sign: str) -> Disguise:
    return lambda sentence: "  ".join(sign.join(word) for word in sentence.split())


def _shifted(distance: int) -> Disguise:
    return lambda sentence: "".join(
        chr(ord(letter) + distance) if letter.isascii() and letter.isalpha() else letter for letter in sentence
    )


def _every_other(sentence: str, sign: str) -> str:
    return "".join(letter + sign if at % 3 == 1 else letter for at, letter in enumerate(sentence))


def _caesar(distance: int) -> Disguise:
    def turned(sentence: str) -> str:
        return "".join(
            chr((ord(letter.lower()) - 97 + distance) % 26 + 97) if letter.isascii() and letter.isalpha() else letter
            for letter in sentence
        )

    return turned


def _pig_latin(sentence: str) -> str:
    return " ".join(word[1:] + word[0] + "ay" if word[0].isalpha() else word for word in sentence.lower().split())


def _misspelt(sentence: str) -> str:
    draw = random.Random(sentence)  # noqa: S311 - a sample
    words = sentence.split()
    for at, word in enumerate(words):
        if len(word) > 4 and draw.random() < 0.5:
            place = draw.randrange(1, len(word) - 2)
            words[at] = word[:place] + word[place + 1] + word[place] + word[place + 2 :]
    return " ".join(words)


KNOWN: Final[Mapping[str, Disguise]] = {
    "capitals": str.upper,
    "zero-width characters": lambda sentence: _every_other(sentence, "\u200b"),
    "Cyrillic look-alikes": lambda sentence: sentence.translate(_CYRILLIC),
    "letters set apart by spaces": _between(" "),
    "digits for letters": lambda sentence: sentence.translate(_LEET),
    "base64": lambda sentence: base64.b64encode(sentence.encode()).decode(),
    "rot13": lambda sentence: codecs.encode(sentence, "rot13"),
    "divided over lines": lambda sentence: "\n".join(sentence.split()),
    "words run together by underscores": lambda sentence: sentence.replace(" ", "_"),
    "soft hyphens": lambda sentence: _every_other(sentence, "\u00ad"),
    "Greek look-alikes": lambda sentence: sentence.translate(_GREEK),
    "small capitals": lambda sentence: sentence.lower().translate(_SMALL_CAPITALS),
    "letters set apart by points": _between("."),
    "letters set apart by hyphens": _between("-"),
    "mathematical letters": _shifted(0x1D41A - ord("a")),
    "words without spaces": lambda sentence: "".join(word.capitalize() for word in sentence.split()),
    "swapped letters": _misspelt,
    "combining accents": lambda sentence: "".join(letter + "\u0301" * letter.isalpha() for letter in sentence),
    "written backwards": lambda sentence: sentence[::-1],
    "alphabet shifted by five": _caesar(5),
    "pig Latin": _pig_latin,
    "hexadecimal": lambda sentence: sentence.encode().hex(),
    "percent encoding": lambda sentence: "".join(f"%{byte:02X}" for byte in sentence.encode()),
    "without vowels": lambda sentence: "".join(letter for letter in sentence if letter not in "aeiou"),
    "Morse code": lambda sentence: " ".join(_MORSE.get(letter, "/") for letter in sentence.lower()),
    "words in reverse order": lambda sentence: " ".join(reversed(sentence.rstrip(".").split())),
    "base64 in pieces": lambda sentence: " ".join(
        base64.b64encode(word.encode()).decode() for word in sentence.split()
    ),
    "HTML entities": lambda sentence: "".join(f"&#{ord(letter)};" for letter in sentence),
    "percent encoding of spaces": urllib.parse.quote,
}
"""What decoders were written for, or could have been: they were seen when those were written."""
LEARNT: Final = ("capitals", "swapped letters", "words in reverse order", "divided over lines")
"""Those that leave English words, which no decoder undoes, so that the classifier is shown some."""
