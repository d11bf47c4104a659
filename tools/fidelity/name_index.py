"""What a source says, arranged so that a fact of a draft can be looked up in it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from tools.fidelity.names import TITLES, Name

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
    plain = unicodedata.normalize("NFKD", _ACRONYM_PLURAL.sub("", _POSSESSIVE.sub("", text)))
    plain = "".join(letter for letter in plain if not unicodedata.combining(letter)).casefold().translate(_GREEK)
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
