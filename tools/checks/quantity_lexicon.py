"""The lexicon of quantities: units of measurement with their conversions, and number words (`units.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Unit:
    """Unit of a number: `mg/kg` has dimension mass, factor 0.001 (to grams) and per `("kilogram",)`."""

    dimension: str
    factor: float
    name: str
    per: tuple[str, ...] = ()
    zero: float = 0.0
    """Position of its zero on the base unit's scale: -17.8 (°C) for degrees Fahrenheit."""

    def is_comparable(self, other: Unit) -> bool:
        """Return whether both measure one quantity; denominators count only if both units have them."""
        return self.dimension == other.dimension and (self.per == other.per or not (self.per and other.per))

    def convert_value(self, value: float, other: Unit) -> float:
        """Return a value of this unit in the other unit, which must be comparable."""
        return (value * self.factor + self.zero - other.zero) / other.factor


RATIO: Final = Unit("ratio", 1.0, "of one")
DECADE: Final = Unit("decade", 1.0, "years of a decade")

_DATA: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_name("units.toml").read_text(encoding="utf-8"))
CURRENCIES: Final = {sign: Unit(dimension, 1.0, name) for sign, (dimension, name) in _DATA["currencies"].items()}


def _build_unit_tables() -> tuple[dict[str, Unit], dict[str, Unit]]:
    """Build the table of all units by their symbols, and that by their names in the singular."""
    symbols: dict[str, Unit] = {}
    names: dict[str, Unit] = {}
    for dimension, short, long, prefixes in _DATA["units"]["prefixed"]:
        for prefix, (spelled, factor) in {"": ("", 1.0), **{p: _DATA["prefixes"][p] for p in prefixes}}.items():
            unit = Unit(dimension, factor, spelled + long.split()[0])
            symbols |= {prefix + symbol: unit for symbol in short.split()}
            names |= {spelled + name: unit for name in long.split()}
    symbols |= {prefix + "A": names[_DATA["prefixes"][prefix][0] + "ampere"] for prefix in "pnµμum"}
    for dimension, factor, short, long in _DATA["units"]["plain"]:
        name = long.split("|")[0] or short.split()[0]
        unit = Unit(dimension, factor, name, zero=_DATA["zeros"].get(name, 0.0))
        symbols |= dict.fromkeys(short.split(), unit)
        names |= dict.fromkeys(filter(None, long.split("|")), unit)
    return symbols, names


UNITS_BY_SYMBOL, _UNITS_BY_NAME = _build_unit_tables()


def build_alternation(words: Iterable[str]) -> str:
    """Return the words, escaped, the longest first, joined by | as a regular expression without a group around it."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


# Names match in any case, but only ASCII letters: the Turkish dotless i is no "i" here.
_UNIT: Final = rf"(?:(?ai:{build_alternation(_UNITS_BY_NAME)})(?ai:s)?|{build_alternation(UNITS_BY_SYMBOL)})(?![^\W_])"
_PER: Final = r"\s?/\s?|\sper\s"
_DENOMINATOR: Final = re.compile(rf"(?:{_PER}|\s)({_UNIT})")
_FOLLOWING: Final = re.compile(
    rf"[\s-]{{0,2}}(?P<unit>{_UNIT})(?P<per>(?:(?:{_PER}){_UNIT}|\s{_UNIT}\s?\^?\s?[-–−]1(?![\d.]*\d)){{0,3}})"
)


def parse_following_unit(text: str, position: int, *, spelled: bool) -> tuple[Unit, int] | None:
    """Return the unit after a number that ends at a position, and its end; None without one, or for "five m"."""
    match = _FOLLOWING.match(text, position)
    # A number in words has a unit in words: "five metres", never "five m".
    if not match or (spelled and match["unit"] in UNITS_BY_SYMBOL and match["unit"] != "%"):
        return None
    per = tuple(_parse_unit(part).name for part in _DENOMINATOR.findall(match["per"]))
    return replace(_parse_unit(match["unit"]), per=per), match.end()


def _parse_unit(word: str) -> Unit:
    """Return the unit of a symbol or a name, in the singular or the plural."""
    if word in UNITS_BY_SYMBOL:
        return UNITS_BY_SYMBOL[word]
    name = word.lower()
    return _UNITS_BY_NAME[name] if name in _UNITS_BY_NAME else _UNITS_BY_NAME[name.removesuffix("s")]


_NUMBERS: Final[dict[str, dict[str, int]]] = _DATA["numbers"]
_ONES, _TEENS, _TENS, _SCALES, _NTHS = (_NUMBERS[kind] for kind in ("ones", "teens", "tens", "scales", "nths"))
SMALL_NUMBERS: Final = {"zero": 0} | _ONES | _TEENS | _TENS  # the whole numbers below a hundred that are a single word
_PARTS: Final = {"half": 2} | _NTHS

# The following patterns have no word boundaries.
SCALE_WORDS: Final = "|".join(["hundred", "dozen", *_SCALES])  # behind a number in digits: `1.5 million`
_BELOW_100: Final = rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{'|'.join(_ONES)}))?|{'|'.join([*_TEENS, *_ONES])})"
_BELOW_1000: Final = rf"(?:(?:a|{_BELOW_100}) hundred(?:(?: and)? {_BELOW_100}\b)?|{_BELOW_100})"
_TIMES: Final = rf"[- ](?:{'|'.join(_SCALES)})\b"

WHOLE_NUMBER_WORDS: Final = (
    rf"(?:(?:half )?an? (?:{SCALE_WORDS})|{_BELOW_100} dozen"
    rf"|{_BELOW_1000}(?:{_TIMES}(?: {_BELOW_1000}{_TIMES}){{0,3}}(?: (?:and )?{_BELOW_1000}\b(?!{_TIMES}))?)?)"
)
# "A third group" is no fraction; "a third of", "by a third" and "nearly a third" are. Half a million is a whole number.
_NTH: Final = "|".join(_NTHS)
_LEAD: Final = "|".join(rf"(?<=\b{word} )" for word in ("by", "about", "around", "nearly", "almost", "over", "than"))
FRACTION_WORDS: Final = (
    rf"(?:(?:{'|'.join(_ONES)})[- ](?:halves|(?:{_NTH})s)|one[- ](?:{_NTH}|half(?= of\b))"
    rf"|an? (?:{_NTH}|half)(?= of\b)|(?:{_LEAD})an? (?:{_NTH})"
    rf"|(?:(?:{_LEAD})half|half(?= (?:of|the|an?|as|all|its|their|are|were|have|had)\b))(?! an? (?:{SCALE_WORDS})\b))"
)


def parse_number_words(words: str) -> float:
    """Return the value of a text that matches `WHOLE_NUMBER_WORDS` or `FRACTION_WORDS`: 0.25 for "a quarter"."""
    parts = re.findall(r"[a-z]+", words.lower())
    share = "half" if parts[-1] == "halves" else parts[-1].removesuffix("s")
    if share in _PARTS:
        return SMALL_NUMBERS.get(parts[0], 1) / _PARTS[share]
    total, group = 0.0, 0.0
    for part in parts:
        if part in _SCALES:
            total, group = total + (group or 1) * _SCALES[part], 0.0
        elif part in {"hundred", "dozen"}:
            group = (group or 1) * (100 if part == "hundred" else 12)
        else:
            group += SMALL_NUMBERS.get(part, 0)
    return (total + group) / (2 if parts[0] == "half" else 1)
