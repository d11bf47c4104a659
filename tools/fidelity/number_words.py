"""English number words and their values: `twenty-one`, `three hundred and five thousand`, `two-thirds`, `half`."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
}  # fmt: skip
_TEENS: Final = {
    "ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16,
    "seventeen": 17, "eighteen": 18, "nineteen": 19,
}  # fmt: skip
_TENS: Final = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_SMALL: Final = _UNITS | _TEENS | _TENS
_SCALES: Final = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_NTHS: Final = {
    "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9, "tenth": 10,
}  # fmt: skip
_PARTS: Final = {"half": 2} | _NTHS

SCALE: Final = "|".join(["hundred", "dozen", *_SCALES])
"""Pattern of a word that may follow a number in digits: `1.5 million`."""

_BELOW_100: Final = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_UNITS)}))?|{'|'.join([*_TEENS, *_UNITS])})"
_BELOW_1000: Final = rf"(?:(?:a|{_BELOW_100}) hundred(?:(?: and)? {_BELOW_100}\b)?|{_BELOW_100})"
_TIMES: Final = rf"[- ](?:{'|'.join(_SCALES)})\b"

WHOLE: Final = (
    rf"(?:(?:half )?an? (?:{SCALE})|{_BELOW_100} dozen"
    rf"|{_BELOW_1000}(?:{_TIMES}(?: {_BELOW_1000}{_TIMES}){{0,3}}(?: (?:and )?{_BELOW_1000}\b(?!{_TIMES}))?)?)"
)
"""Pattern of a whole number in words, without word boundaries."""

# "A third group" is no fraction; "a third of", "by a third" and "nearly a third" are. Half a million is a whole number.
_NTH: Final = "|".join(_NTHS)
_LEAD: Final = "|".join(rf"(?<=\b{word} )" for word in ("by", "about", "around", "nearly", "almost", "over", "than"))
FRACTION: Final = (
    rf"(?:(?:{'|'.join(_UNITS)})[- ](?:halves|(?:{_NTH})s)|one[- ](?:{_NTH}|half(?= of\b))"
    rf"|an? (?:{_NTH}|half)(?= of\b)|(?:{_LEAD})an? (?:{_NTH})"
    rf"|(?:(?:{_LEAD})half|half(?= (?:of|the|an?|as|all|its|their|are|were|have|had)\b))(?! an? (?:{SCALE})\b))"
)
"""Pattern of a fraction in words, without word boundaries."""


def value_of(words: str) -> float:
    """The value of a text that matches `WHOLE` or `FRACTION`."""
    parts = re.findall(r"[a-z]+", words.lower())
    share = "half" if parts[-1] == "halves" else parts[-1].removesuffix("s")
    if share in _PARTS:
        return _SMALL.get(parts[0], 1) / _PARTS[share]
    return _whole(parts) / (2 if parts[0] == "half" else 1)


def _whole(parts: list[str]) -> float:
    total, group = 0.0, 0.0
    for part in parts:
        if part in _SCALES:
            total, group = total + (group or 1) * _SCALES[part], 0.0
        elif part in {"hundred", "dozen"}:
            group = (group or 1) * (100 if part == "hundred" else 12)
        else:
            group += _SMALL.get(part, 0)
    return total + group
