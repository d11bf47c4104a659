"""Find the numbers of a sentence, with their units and hedges, and decide whether a source supports them."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import Final, Literal

from state.records import FactKind
from tools.checks.quantity_lexicon import (
    CURRENCIES,
    DECADE,
    FRACTION_WORDS,
    RATIO,
    SCALE_WORDS,
    WHOLE_NUMBER_WORDS,
    Unit,
    parse_following_unit,
    parse_number_words,
)
from tools.checks.word_lists import NUMBERS_BY_WORD

Hedge = Literal["exact", "about", "above", "below"]


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of a sentence with its unit, hedge and place."""

    kind: FactKind
    value: float
    unit: Unit | None
    text: str
    start: int
    end: int
    significant: int
    """Significant digits as written; trailing zeros of a whole number are not counted."""
    hedge: Hedge
    spelled: bool
    """Whether it is written as a word."""
    scale: float = 1.0
    """Factor of a word such as "million"."""
    pair: tuple[float, float] | None = None
    """The two numbers of "1 in 5" or "3/4"."""


# Quantifiers are possessive (`++`), so that no text can make a search backtrack over its digits.
# A power needs its mark or a space: "2 x 100" is no power of ten, "2 x 10-3" and "2 x 10 3" are powers from PDFs.
_EXPONENT: Final = r"(?:(?:\^|\*\*)\{?[-−–+]?|\s?[-−–+]|\s)\d{1,3}+\}?|[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,3}+"
_NUMBER: Final = re.compile(
    r"(?<![^\W_])(?<![^\W\d_][-–])(?<!\d[.,:])(?:"
    rf"10(?=[\^−⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹])(?P<exponent>{_EXPONENT})"
    r"|(?P<digits>(?:\d{1,3}+(?:[,\u00a0\u2009\u202f]\d{3}(?!\d))++|\d++)(?:[.·](?!10[\^⁻⁺⁰¹²³⁴⁵⁶⁷⁸⁹])\d++)?+|(?<![\w.])\.\d++)"
    rf"(?:[eE](?P<e>[-−+]?\d{{1,3}}+)(?!\w)|\s?[x×*·]\s?10(?P<power>{_EXPONENT})"
    rf"|\s?(?P<part>[½⅓⅔¼¾])|[\s-](?P<scale>{SCALE_WORDS})\b)?+"
    r"|(?P<symbol>[½⅓⅔¼¾])"
    rf"|(?ai:\b(?P<fraction>{FRACTION_WORDS})\b)"
    rf"|(?ai:\b(?P<whole>{WHOLE_NUMBER_WORDS})(?:\b|(?=fold\b))(?P<half> and a half\b)?))"
)
_FRACTION_SYMBOLS: Final = {"½": 1 / 2, "⅓": 1 / 3, "⅔": 2 / 3, "¼": 1 / 4, "¾": 3 / 4}
_PLAIN_EXPONENT: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺−–", "0123456789-+--", "^*{} ")

_NO_COUNT: Final = re.compile(r"(?:st|nd|rd|th)\b|-dimensional")
_PLURAL: Final = re.compile(r"['’]?s\b")
_ARTICLE: Final = re.compile(r"(?: of)? an?(?= )")
_OUT_OF: Final = re.compile(r"\s(?:in|out of)\s(?:every\s)?|/")
_LISTED: Final = re.compile(r"\s?(?:-|–|—|to|and|or|±|\+/-|,|, and|, or|/|versus|vs\.?|compared with)\s?")
_RANGED: Final = re.compile(r"\s?(?:-|–|—|to)\s?")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_COUNTED: Final = re.compile(r"\s(?:(?!and|or|to|in|at|by|on|for|with|from|when|that|the|we)[a-z]+\s)?[a-z]{3,}s\b")
_HEDGE_WORDS: Final[tuple[tuple[Hedge, str, str], ...]] = (
    ("above", "over|(?:more|greater|higher|longer|older) than|at least|above", ">≥"),
    ("below", "under|(?:less|fewer|lower|shorter|younger) than|at most|up to|below", "<≤"),
    ("about", r"about|around|approximately|approx\.?|roughly|nearly|almost|close to|some|circa|ca\.?", "~≈\u223c"),
)
_HEDGES: Final = [
    (hedge, re.compile(rf"(?i)(?:\b(?:{words})\s|[{signs}]\s?)$")) for hedge, words, signs in _HEDGE_WORDS
]


def find_amounts(sentence: str) -> list[Amount]:
    """Find the numbers of a sentence, in order.

    Ordinals ("21st", "third"), dimensions ("three-dimensional") and vague counts ("hundreds") are not numbers. The
    members of a list or a range share the unit of the last: in "3-5 days" both are days.
    """
    found = [amount for match in _NUMBER.finditer(sentence) if (amount := _parse_amount(sentence, match))]

    # 1. Copy the unit of the last member of a list or range to the others: to "3" of "3 and 5 mg".
    shared: list[Amount] = []
    for amount in reversed(found):
        member, is_bare = amount, amount.kind == "number" and not amount.unit
        if shared and is_bare and _LISTED.fullmatch(sentence, amount.end, shared[-1].start):
            following = shared[-1]
            # In "80 to 100 billion", 80 is in billions, too.
            is_in_range = _RANGED.fullmatch(sentence, amount.end, following.start)
            if is_in_range and amount.scale == 1 and amount.value * following.scale < following.value:
                member = replace(amount, value=amount.value * following.scale, scale=following.scale)
            if following.unit:
                member = replace(member, unit=following.unit, kind=following.kind)
        shared.append(member)

    # 2. Join the two numbers of "one in five" or "3/4" to a ratio.
    joined: list[Amount] = []
    for amount in reversed(shared):
        part = joined[-1] if joined else None
        bare = part and part.kind == amount.kind == "number" and not part.unit and not amount.unit
        if part and bare and part.value < amount.value and _OUT_OF.fullmatch(sentence, part.end, amount.start):
            pair, text = (part.value, amount.value), sentence[part.start : amount.end]
            joined[-1] = replace(part, unit=RATIO, value=pair[0] / pair[1], text=text, end=amount.end, pair=pair)
        else:
            joined.append(amount)
    return joined


def _parse_amount(sentence: str, match: re.Match[str]) -> Amount | None:
    """Build the amount of a match of `_NUMBER`; None for ordinals, dimensions, plurals but decades, and infinities."""
    # 1. The value.
    scale = parse_number_words(f"one {match['scale']}") if match["scale"] else 1.0
    value, significant = _parse_value_and_digits(match)
    value *= scale
    start, end = match.span()
    if not math.isfinite(value) or _NO_COUNT.match(sentence, end):
        return None

    # 2. The unit. An article may stand before it: "half an hour".
    spelled = bool(match["whole"] or match["fraction"])
    unit: Unit | None = None
    article = _ARTICLE.match(sentence, end) if match["fraction"] else None
    if match["digits"] and (plural := _PLURAL.match(sentence, end)):
        if not _YEAR.fullmatch(match[0]):
            return None
        unit, end = DECADE, plural.end()
    elif following := parse_following_unit(sentence, article.end() if article else end, spelled=spelled):
        unit, end = following
    elif start and sentence[start - 1] in CURRENCIES:
        unit, start = CURRENCIES[sentence[start - 1]], start - 1
    elif match["fraction"] or match["symbol"]:
        unit = RATIO

    # 3. The hedge before it.
    before = sentence[max(0, start - 24) : start]
    hedge: Hedge = next((each for each, pattern in _HEDGES if pattern.search(before)), "exact")

    # 4. The kind. A number before a plural is no year: "2000 patients".
    is_year = _YEAR.fullmatch(match[0]) and hedge != "about" and not _COUNTED.match(sentence, match.end())
    kind: FactKind = "number"
    if unit is DECADE or (unit is None and is_year):
        kind = "year"
    elif unit and unit.name == "percent":
        kind = "percentage"
    elif unit and unit is not RATIO:
        kind = "quantity"
    return Amount(kind, value, unit, sentence[start:end], start, end, significant, hedge, spelled, scale)


def _parse_value_and_digits(match: re.Match[str]) -> tuple[float, int]:
    """Return the value of a match of `_NUMBER`, before a scale such as "million", and its significant digits."""
    if words := match["whole"] or match["fraction"]:
        value = parse_number_words(words) + (0.5 if match["half"] else 0)
        return value, _count_significant_digits(f"{value:.15g}") if match["whole"] else 1
    if match["symbol"]:
        return _FRACTION_SYMBOLS[match["symbol"]], 1
    if match["exponent"]:
        return float(f"1e{match['exponent'].translate(_PLAIN_EXPONENT)}"), 1
    digits = re.sub(r"[,\s]", "", match["digits"]).replace("·", ".")
    exponent = (match["e"] or match["power"] or "0").translate(_PLAIN_EXPONENT)
    value = (float(digits) + _FRACTION_SYMBOLS.get(match["part"], 0)) * float(f"1e{exponent}")
    return value, _count_significant_digits(digits)


def _count_significant_digits(digits: str) -> int:
    """Count the significant digits of a number, at least one; not trailing zeros of a whole number."""
    kept = digits.replace(".", "").lstrip("0")
    return len(kept if "." in digits else kept.rstrip("0")) or 1


# Allowed differences from the source's number, relative to it.
_ROUNDING_TOLERANCE: Final = 0.1  # 4.7 may become 5, but 12 not 10
_ABOUT_TOLERANCE: Final = 0.15  # behind "about" and "nearly"
_MAX_BOUND_FACTOR: Final = 1.5  # behind "more than" and "less than", as a factor
_FRACTION_TOLERANCE: Final = 0.05  # in words: "a third" is 32% to 35%
_CALENDAR_TOLERANCE: Final = 0.01  # between months or years and weeks or days: 52 weeks are a year
_FLOAT_TOLERANCE: Final = 1e-6

_WORD: Final = re.compile(r"[^\W\d_]++")
_CONJUNCTION: Final = re.compile(r",? (?:and|or) ")


class AmountIndex:
    """Index of a text's amounts, counting words and list lengths, to ask whether it supports or restates an amount."""

    def __init__(self, sentences: Iterable[tuple[str, list[Amount]]]) -> None:
        self._stated: dict[Hashable, Amount] = {}
        self._values: set[float] = set()
        self._counts: set[float] = set()
        self._list_lengths: set[float] = set()
        for sentence, amounts in sentences:
            self._stated |= {_build_amount_key(amount): amount for amount in amounts}
            self._values |= {value for amount in amounts for value in (amount.value, *(amount.pair or ()))}
            self._counts |= {NUMBERS_BY_WORD[word] for word in _WORD.findall(sentence) if word in NUMBERS_BY_WORD}
            # "red, green and blue" is a list of three.
            for conjunction in _CONJUNCTION.finditer(sentence):
                members = sentence[max(0, conjunction.start() - 300) : conjunction.start()].split(",")[1:]
                short = takewhile(lambda member: len(member.split()) <= 6, reversed(members))
                self._list_lengths.add(2 + sum(1 for _ in short))

    def supports(self, amount: Amount) -> bool:
        """Return whether the source has an amount: its value and unit, a fair rounding, or a list of that length."""
        if self._has_exact_amount(amount) or (_is_count(amount) and amount.value in self._list_lengths):
            return True
        return any(_is_supported_by(amount, stated) for stated in self._stated.values())

    def has_restatement(self, amount: Amount) -> bool:
        """Return whether this text, made from a source, still states an amount of the source.

        The text may round or hedge, but it may not drop a unit. The length of a list does not count, since there is
        nearly always a list of three somewhere.
        """
        if (amount.unit is None and amount.value in self._values) or self._has_exact_amount(amount):
            return True
        # "3 trials" do not restate "3 mg".
        comparable = (stated for stated in self._stated.values() if _convert_stated_value(amount, stated) is not None)
        return any(_is_supported_by(stated, amount) for stated in comparable)

    def _has_exact_amount(self, amount: Amount) -> bool:
        """Return whether the text has an amount as written, both numbers of its ratio, or a counting word for it."""
        if amount.pair and self._values.issuperset(amount.pair):
            return True
        return (_is_count(amount) and amount.value in self._counts) or _build_amount_key(amount) in self._stated


def _build_amount_key(amount: Amount) -> Hashable:
    """Return a key that amounts share if they have one value and unit, and are written alike."""
    return (amount.value, amount.unit, amount.significant, amount.spelled)


def _is_count(amount: Amount) -> bool:
    """Return whether an amount has no hedge, and either no unit or the unit of a multiple (threefold)."""
    return amount.hedge == "exact" and (amount.unit is None or amount.unit.dimension == "fold")


def _is_supported_by(amount: Amount, stated: Amount) -> bool:
    """Return whether a stated amount supports an amount: by an equal value in any unit, or by an approximation."""
    if DECADE in (amount.unit, stated.unit):
        # The year 1994 supports "the 1990s", but not the reverse.
        return amount.unit is DECADE and stated.kind == "year" and amount.value == stated.value // 10 * 10
    value = _convert_stated_value(amount, stated)
    if value is None:
        return False
    units = {unit for unit in (amount.unit, stated.unit) if unit}
    is_calendar = len(units) == 2 and len({unit.name for unit in units} - {"month", "year"}) < 2
    tolerance = _CALENDAR_TOLERANCE if is_calendar else _FLOAT_TOLERANCE
    shares = [each for each in (amount, stated) if each.spelled and each.unit and each.unit.dimension == "ratio"]
    if any(each.kind == "number" for each in shares):
        tolerance = _FRACTION_TOLERANCE
    is_equal = math.isclose(amount.value, value, rel_tol=tolerance)
    may_differ = amount.kind != "year" and (amount.unit is None) == (stated.unit is None)
    return is_equal or (may_differ and _is_approximation(amount, value, stated))


def _is_approximation(amount: Amount, value: float, stated: Amount) -> bool:
    """Return whether an amount is a fair rounding of a stated value, or its hedge or bound allows it."""
    if amount.hedge == "above":
        return amount.value <= value <= _MAX_BOUND_FACTOR * amount.value
    if amount.hedge == "below":
        return value <= amount.value <= _MAX_BOUND_FACTOR * value
    difference = abs(amount.value - value)
    if amount.hedge == "about" and difference <= _ABOUT_TOLERANCE * value:
        return True
    can_be_rounder = amount.significant < stated.significant or amount.unit != stated.unit
    if not can_be_rounder or not 0 < value < math.inf or difference > _ROUNDING_TOLERANCE * value:
        return False
    digits = amount.significant - 1 - math.floor(math.log10(value))
    return math.isclose(round(value, digits), amount.value, rel_tol=_FLOAT_TOLERANCE)


def _convert_stated_value(amount: Amount, stated: Amount) -> float | None:
    """Return the stated value in the unit of the amount; None if they measure different things."""
    if amount.unit and stated.unit:
        return stated.unit.convert_value(stated.value, amount.unit) if amount.unit.is_comparable(stated.unit) else None
    if stated.unit is None and (amount.unit is None or _may_be_share(amount.unit, stated.value)):
        return stated.value / (amount.unit.factor if amount.unit else 1)
    if stated.unit and _may_be_share(stated.unit, amount.value):
        return stated.value * stated.unit.factor
    return stated.value if amount.unit is None else None


def _may_be_share(unit: Unit, bare: float) -> bool:
    """Return whether a bare number below 1 can be a share in a unit of ratios: 0.5 for 50%."""
    return unit.dimension == "ratio" and bare < 1
