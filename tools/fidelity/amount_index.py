"""The amounts of a source, and when they support an amount of a draft."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator
from itertools import takewhile
from typing import Final

from tools.fidelity.numerals import Amount
from tools.fidelity.units import DECADE, Unit

_ROUNDING: Final = 0.1
"""How far a rounding may be from the source's number, relative to it: 4.7 may become 5, but 12 not 10."""
_ABOUT: Final = 0.15
"""How far "about" and "nearly" may be from the source's number, relative to it."""
_BEYOND: Final = 1.5
"""How far "more than" and "less than" may be from the source's number, as a factor."""
_FRACTION: Final = 0.05
"""How far a fraction in words may be, relative: "a third" is 32% to 35%."""
_CALENDAR: Final = 0.01
"""How far apart months or years and weeks or days may be: 52 weeks are a year."""
_EXACT: Final = 1e-6

_COUNTING: Final = (
    "second double doubled doubles twofold twice both pair dual dimer II",
    "third triple tripled threefold thrice trio trimer trimeric III",
    "fourth quadruple fourfold tetramer tetrameric IV",
    "fifth fivefold pentamer",
    "sixth sixfold hexamer hexameric VI",
    "seventh sevenfold heptamer heptad VII",
    "eighth eightfold octamer VIII",
    "ninth ninefold IX",
    "tenth tenfold",
)
_COUNTING_WORDS: Final = {word: count for count, words in enumerate(_COUNTING, start=2) for word in words.split()}
_WORD: Final = re.compile(r"[^\W\d_]++")
_AGED: Final = re.compile(r"\b(?:age|aged|ages)\b[^.;]{0,30}$")
_CONJUNCTION: Final = re.compile(r",? (?:and|or) ")


class AmountIndex:
    """Every amount and every small count that a source states."""

    def __init__(self, sentences: Iterable[tuple[str, list[Amount]]]) -> None:
        self._stated: dict[Hashable, Amount] = {}
        self._values: set[float] = set()
        self._ages: set[float] = set()
        self._counts: set[float] = set()
        self._list_lengths: set[float] = set()
        for sentence, amounts in sentences:
            self._stated |= {_identity(amount): amount for amount in amounts}
            self._values |= {value for amount in amounts for value in (amount.value, *(amount.pair or ()))}
            self._ages |= {amount.value for amount in amounts if _is_age(sentence, amount)}
            self._counts |= {_COUNTING_WORDS[word] for word in _WORD.findall(sentence) if word in _COUNTING_WORDS}
            self._list_lengths.update(_list_lengths(sentence))

    def supports(self, amount: Amount) -> bool:
        """Whether the source states an amount: its value with its unit, a fair rounding, or a list of that length."""
        if _is_count(amount) and amount.value in self._list_lengths:
            return True
        return self._states(amount) or any(_agrees(amount, stated) for stated in self._stated.values())

    def restates(self, amount: Amount) -> bool:
        """Whether a text made from a source still states an amount of it: `supports` read the other way round.

        The text may be rounder than its source, or hedge, but it may not drop a unit. The length of a list does not
        count: there is nearly always a list of three somewhere.
        """
        bare = amount.unit is None and amount.value in self._values
        return bare or self._states(amount) or any(_restates(stated, amount) for stated in self._stated.values())

    def _states(self, amount: Amount) -> bool:
        """Whether the very value is there: as such, as two numbers of a ratio, as "tripled", or as an age."""
        if amount.pair and self._values.issuperset(amount.pair):
            return True
        if _is_count(amount) and amount.value in self._counts:
            return True
        if amount.unit and amount.unit.dimension == "time" and amount.value in self._ages:
            return True
        return _identity(amount) in self._stated


def _identity(amount: Amount) -> Hashable:
    return (amount.value, amount.unit, amount.significant, amount.spelled)


def _is_age(sentence: str, amount: Amount) -> bool:
    """Whether a number stands behind "aged": its unit goes without saying."""
    return bool(_AGED.search(sentence[max(0, amount.start - 40) : amount.start]))


def _is_count(amount: Amount) -> bool:
    return amount.hedge == "exact" and (amount.unit is None or amount.unit.dimension == "fold")


def _list_lengths(sentence: str) -> Iterator[int]:
    """How many members the lists of a sentence have: 3 for "red, green and blue"."""
    for conjunction in _CONJUNCTION.finditer(sentence):
        members = sentence[max(0, conjunction.start() - 300) : conjunction.start()].split(",")[1:]
        yield 2 + sum(1 for _ in takewhile(lambda member: len(member.split()) <= 6, reversed(members)))


def _agrees(amount: Amount, stated: Amount) -> bool:
    if DECADE in (amount.unit, stated.unit):
        return _same_decade(amount, stated)
    value = _in_unit_of(amount, stated)
    if value is None:
        return False
    equal = math.isclose(amount.value, value, rel_tol=_tolerance(amount, stated))
    loose = amount.kind != "year" and (amount.unit is None) == (stated.unit is None)
    return equal or (loose and _is_approximation(amount, value, stated))


def _restates(stated: Amount, amount: Amount) -> bool:
    """Whether an amount of a text stands for an amount of its source: "3 trials" do not for "3 mg"."""
    return _in_unit_of(amount, stated) is not None and _agrees(stated, amount)


def _is_approximation(amount: Amount, value: float, stated: Amount) -> bool:
    if amount.hedge == "above":
        return amount.value <= value <= _BEYOND * amount.value
    if amount.hedge == "below":
        return value <= amount.value <= _BEYOND * value
    about = amount.hedge == "about" and abs(amount.value - value) <= _ABOUT * value
    return about or _is_rounding(amount, value, stated)


def _same_decade(amount: Amount, stated: Amount) -> bool:
    """Whether "the 1990s" are supported by 1994; 1994 is not by the 1990s."""
    if amount.unit is not DECADE or stated.kind != "year":
        return False
    return amount.value == stated.value // 10 * 10


def _in_unit_of(amount: Amount, stated: Amount) -> float | None:
    """The stated value in the unit of the draft's amount, or None where they measure different things."""
    if amount.unit and stated.unit:
        return stated.unit.convert(stated.value, amount.unit) if amount.unit.comparable(stated.unit) else None
    if stated.unit is None and (amount.unit is None or _is_share(amount.unit, stated.value)):
        return stated.value / (amount.unit.factor if amount.unit else 1)
    if stated.unit and _is_share(stated.unit, amount.value):
        return stated.value * stated.unit.factor
    return stated.value if amount.unit is None else None


def _is_share(unit: Unit, bare: float) -> bool:
    """Whether a bare number can stand for a share: 0.5 for 50%."""
    return unit.dimension == "ratio" and bare < 1


def _tolerance(amount: Amount, stated: Amount) -> float:
    units = {unit for unit in (amount.unit, stated.unit) if unit}
    shares = [one for one in (amount, stated) if one.spelled and one.unit and one.unit.dimension == "ratio"]
    if any(one.kind == "number" for one in shares):
        return _FRACTION
    return _CALENDAR if len({unit.name for unit in units} - {"month", "year"}) < len(units) == 2 else _EXACT


def _is_rounding(amount: Amount, value: float, stated: Amount) -> bool:
    shorter = amount.significant < stated.significant or amount.unit != stated.unit
    if not shorter or not 0 < value < math.inf or abs(amount.value - value) > _ROUNDING * value:
        return False
    digits = amount.significant - 1 - math.floor(math.log10(value))
    return math.isclose(round(value, digits), amount.value, rel_tol=_EXACT)
