"""Finds the named things of a sentence by their spelling: names, acronyms and symbols. No model and no list of names.

*Symbols* are words with inner capitals, or of letters and digits together: GPCR, mRNA, p53, COVID-19, IL-6, Ca2+.
*Names* are runs of capitalised words: Jane Smith, University of Toronto, Drosophila. A capital at the start of a
sentence proves nothing, nor does one in a heading.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from tools.fidelity.units import is_unit_symbol
from tools.sentences import Sentence


@dataclass(frozen=True, slots=True)
class Name:
    """A named thing as it stands in a sentence."""

    text: str
    start: int
    symbol: bool
    leading: bool = False
    """It begins the sentence, so its first capital proves nothing."""

    @property
    def end(self) -> int:
        """Where it ends in the sentence."""
        return self.start + len(self.text)

    @property
    def certain(self) -> bool:
        """Whether its spelling alone shows that it is a name."""
        return self.symbol or not self.leading or " " in self.text


_TOKEN: Final = re.compile(r"[^\W_]++(?:['’-][^\W_]++)*+")
_PART: Final = re.compile(r"[^\W_]++")
_MIXED: Final = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_COUNT: Final = re.compile(r"\d++(?:st|nd|rd|th|s|x|fold|[eE]\d*)$")
_MEASURED: Final = re.compile(r"\d++([^\W\d_]++)$")
_AFTER_NUMBER: Final = re.compile(r"(?:\d[\s-]?|/\s?|\d\s?[–-]\s?)$")
_ROMAN: Final = re.compile(r"[IVX]+$")
_OPENS: Final = re.compile(r"(?:[:?!•—]\s?[\"“‘'(]{0,2}|,\s[\"“‘])$")
_ET_AL: Final = re.compile(r"(?:,? [^\W\d_][\w-]{1,30}){0,3},? (?:et al\b|and (?:his|her|their )?colleagues\b)")
_JOINT: Final = re.compile(r"(?:['’]s)?(?:\.? | (?:of|for|de|de la|van|van der|von|du|da|di|&) )")
TITLES: Final = frozenset(("dr", "prof", "professor", "mr", "mrs", "ms"))
_ORDINARY_WORDS: Final = """
    a about according across after again all almost also although an and another any are as at because before
    besides both but by can could despite did do does during each either even every few finally first for from further
    given had has have he hence her here his how however i if in indeed instead into is it its just last later let like
    many may more moreover most much nevertheless next no none nor not now of often on once one only or other our out
    over overall perhaps rather recent recently second several she should similarly since so some still such than that
    the their then there therefore these they third this those though three through thus to today together two under
    unlike until up upon us using was we were what when whenever where whereas whether which while who whose why will
    with within without would yet you your
"""
_ORDINARY: Final = frozenset(_ORDINARY_WORDS.split())


def names(sentence: Sentence) -> list[Name]:
    """Finds the names and symbols of a sentence, in order.

    In a heading only symbols count, in a line of capitals only those with a digit. A label ("Key Findings:") is no
    name.
    """
    text = sentence.text
    tokens = [token for token in _TOKEN.finditer(text) if not (token[0].isalpha() and token[0].islower())]
    symbols = [symbol for token in tokens for symbol in _symbols(text, token)]
    if text.isupper() and len(tokens) > 2:
        symbols = [symbol for symbol in symbols if not symbol.text.isalpha()]
    if sentence.heading:
        return symbols
    taken = {symbol.start for symbol in symbols}
    capitalised = [word for token in tokens if token.start() not in taken and (word := _capitalised(token))]
    return sorted([*symbols, *_runs(text, capitalised)], key=lambda name: name.start)


def _symbols(text: str, token: re.Match[str]) -> Iterator[Name]:
    """The stretches of a hyphenated token that are no ordinary words: IL-6 of "IL-6-dependent"."""
    parts = [(part.start() + token.start(), part[0]) for part in _PART.finditer(token[0])]
    marked = [(start, part, _mark(text, start, part)) for start, part in parts]
    for ordinary, group in groupby(marked, key=lambda item: item[2] == "ordinary"):
        stretch = list(group)
        marks = {mark for _, _, mark in stretch}
        if not ordinary and ("symbol" in marks or marks == {"capital", "digits"}):
            start, end = stretch[0][0], stretch[-1][0] + len(stretch[-1][1])
            yield Name(text[start : end + text.startswith("+", end)], start, symbol=True)


def _mark(text: str, start: int, part: str) -> str:
    if part.isdigit():
        return "digits"
    if _is_measure(text, start, part) or _ROMAN.match(part):
        return "ordinary"
    if any(letter.isupper() for letter in part[1:]) or _MIXED.search(part):
        return "symbol"
    return "capital" if part[0].isupper() else "ordinary"


def _is_measure(text: str, start: int, part: str) -> bool:
    """Whether a part is a count or a unit: 21st, 1990s, 5mg, the kHz of "10 kHz"."""
    measured = _MEASURED.match(part)
    attached = bool(measured and is_unit_symbol(measured[1]))
    behind = is_unit_symbol(part) and bool(_AFTER_NUMBER.search(text[max(0, start - 3) : start]))
    return attached or behind or bool(_COUNT.match(part))


def _capitalised(token: re.Match[str]) -> tuple[int, str] | None:
    """The capitalised part of a token and where it starts: Wnt of "Wnt-dependent", Crohn of "Crohn's"."""
    end = token.start()
    for part in _PART.finditer(token[0]):
        if not part[0][0].isupper():
            break
        end = token.start() + part.end()
    word = token[0][: end - token.start()]
    return (token.start(), word) if word and word.lower() not in _ORDINARY else None


def _runs(text: str, words: Sequence[tuple[int, str]]) -> Iterator[Name]:
    """Joins capitalised words that stand together; single letters count only inside ("John F. Kennedy")."""
    run: list[tuple[int, str]] = []
    for start, word in words:
        if run and not _JOINT.fullmatch(text, run[-1][0] + len(run[-1][1]), start):
            yield from _named(text, run)
            run = []
        run.append((start, word))
    yield from _named(text, run)


def _named(text: str, run: list[tuple[int, str]]) -> Iterator[Name]:
    while run and len(run[-1][1]) == 1:
        run = run[:-1]
    if run and not (len(run) == 1 and (run[0][1].lower() in TITLES or _ROMAN.match(run[0][1]))):
        start, end = run[0][0], run[-1][0] + len(run[-1][1])
        leading = _is_leading(text, start, end)
        if not (leading and text.startswith(":", end)):
            yield Name(text[start:end], start, symbol=False, leading=leading)


def _is_leading(text: str, start: int, end: int) -> bool:
    before = text[max(0, start - 6) : start]
    opens = (start <= 6 and not any(letter.isalpha() for letter in before)) or bool(_OPENS.search(before))
    return opens and not _ET_AL.match(text, end)
