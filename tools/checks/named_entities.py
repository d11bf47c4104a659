"""Finds the named things of a sentence by their spelling, without a model or a list of names, and looks them up.

*Symbols* are words with inner capitals, or of letters and digits together: GPCR, mRNA, p53, COVID-19, IL-6, Ca2+.
*Names* are runs of capitalised words: Jane Smith, University of Toronto, Drosophila. A capital at the start of a
sentence proves nothing, nor does one in a heading.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from tools.checks.quantity_lexicon import is_unit_symbol
from tools.text.characters import without_accents
from tools.text.sentences import Sentence


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


_GREEK: Final = {ord("λ"): "lambda"} | {
    ord(letter): unicodedata.name(letter).split()[-1].lower() for letter in "αβγδεζηθικμνξοπρστυφχψω"
}
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_ACRONYM_PLURAL: Final = re.compile(r"(?<=[A-Z0-9])s\b")
_WORD: Final = re.compile(r"[^\W_]++")
_LINKING: Final = frozenset(("a", "an", "and", "by", "de", "for", "from", "in", "of", "on", "or", "the", "to", "with"))
_UNIVERSAL_NAMES: Final = """
    2d 3d dna rna mrna ph earth moon sun english internet january february april june july august september october
    november december monday tuesday wednesday thursday friday saturday sunday
"""
_UNIVERSAL: Final = frozenset(_UNIVERSAL_NAMES.split())
"""Names that an explanation may use although its source does not."""


def folded(text: str) -> list[str]:
    """The words of a text without case, accents, possessive and plural endings; hyphens part words."""
    plain = without_accents(_ACRONYM_PLURAL.sub("", _POSSESSIVE.sub("", text))).casefold().translate(_GREEK)
    return [_singular(word) for word in _WORD.findall(plain)]


def _singular(word: str) -> str:
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    return re.sub(r"(?<=s|x|z)es$|(?<=ch|sh)es$|s$", "", word)


class NameIndex:
    """The words of a source, to look names up in."""

    def __init__(self, texts: Iterable[str], names: Iterable[Name]) -> None:
        self._names = {name.text for name in names}
        self._lowercase: set[str] = set()
        self._words: list[str] = []
        for text in texts:
            self._words += [*folded(text), "|"]
            self._lowercase |= {word for word in re.findall(r"[^\W_]+", text) if word.islower()}
        self._squeezed = "".join(self._words)
        self._starts = _offsets(self._words)
        self._content = [word for word in self._words if word not in _LINKING]
        self._initials = "".join(word[0] for word in [*self._words, "|", *self._content])
        self._name_initials = {_initials(folded(name)) for name in self._names if " " in name}

    def supports(self, name: Name, definitions: Sequence[tuple[str, str]] = ()) -> bool:
        """Whether the source has a name in some spelling.

        Args:
            name: A name of the draft.
            definitions: Acronyms that the draft defines, each with the words before its parenthesis.
        """
        if name.text in self._names:
            return True
        words = folded(name.text)
        while len(words) > 1 and words[0] in TITLES:
            words = words[1:]
        if set(words) <= _UNIVERSAL or self.has(words):
            return True
        if name.symbol:
            return self._has_compound(words) or self._abbreviates(words, definitions)
        return self._has_each(name) or self._has_reordered(words) or self._expands(words) or self._has_rest(name, words)

    def has(self, words: Sequence[str]) -> bool:
        """Whether these folded words stand together in the source, with or without spaces between them."""
        key = "".join(words)
        at = self._squeezed.find(key) if key else -1
        while at >= 0:
            end = at + len(key)
            # "BRCA" is found in "BRCA1", but "BRCA1" not in "BRCA"
            if at in self._starts and (end in self._starts or self._squeezed[end].isdigit()):
                return True
            at = self._squeezed.find(key, at + 1)
        return False

    def _has_compound(self, words: Sequence[str]) -> bool:
        """A compound of two symbols ("Hox-TALE") is there if both are; IL-6 is no compound."""
        return len(words) > 1 and all(len(word) > 1 and word.isalpha() and self.has([word]) for word in words)

    def _has_each(self, name: Name) -> bool:
        """Two names that happen to stand together are there if both are names of their own: "Drosophila Hox"."""
        return all(word in self._names for word in name.text.split())

    def _abbreviates(self, words: Sequence[str], definitions: Sequence[tuple[str, str]]) -> bool:
        letters = "".join(words)
        by_initials = letters.isalpha() and (
            letters in self._name_initials or (len(letters) >= 3 and letters in self._initials)
        )
        return by_initials or any(
            folded(acronym) == words and self._has_phrase_of(letters, folded(before)) for acronym, before in definitions
        )

    def _has_phrase_of(self, acronym: str, before: Sequence[str]) -> bool:
        """Whether the words before "(MMP)" that begin with its first letter are words of the source."""
        return any(
            before[-count][0] == acronym[0] and self.has(before[-count:])
            for count in range(1, min(len(before), len(acronym) + 2) + 1)
        )

    def _has_reordered(self, words: Sequence[str]) -> bool:
        """Whether they stand together in another order: "Toronto University" for "University of Toronto"."""
        wanted = sorted(word for word in words if word not in _LINKING)
        size = len(wanted)
        return size > 1 and any(
            word in wanted and sorted(self._content[at : at + size]) == wanted for at, word in enumerate(self._content)
        )

    def _expands(self, words: Sequence[str]) -> bool:
        return len(words) > 1 and self.has([_initials(words)])

    def _has_rest(self, name: Name, words: Sequence[str]) -> bool:
        """A first word that is capitalised only because it begins the sentence need not be part of the name."""
        if not name.leading or len(words) < 2:
            return False
        first = name.text.split()[0].lower()
        ordinary = first in self._lowercase or first.endswith(("ing", "ly", "ed"))
        return ordinary and self.has(words[1:])


def _initials(words: Sequence[str]) -> str:
    return "".join(word[0] for word in words if word not in _LINKING)


def _offsets(words: Iterable[str]) -> set[int]:
    offsets, at = {0}, 0
    for word in words:
        at += len(word)
        offsets.add(at)
    return offsets
