"""The faithfulness guard: find numbers and names of a draft that its source does not support.

The rules:

* A number is supported by an equal value, in words or in digits, in any unit that converts; by the correct rounding of
  a more precise number (within 10%); and, behind "about", "over" or "under", by a number that the word allows.
* Bare "one" and "two" are no facts. Other bare numbers up to ten are also supported by a list of that length.
* A number without a unit is supported by that value with any unit; a number with a unit needs that unit.
* A year is supported only by itself; a decade by any of its years.
* A name is supported if the source has all of it, in any case, number, hyphenation or accent; an acronym also by the
  words that it abbreviates, and a name by its acronym.

Signs are not compared, and no arithmetic is done: "88% survived" is not supported by "12% died". Omitted details are
the subject of `tools.checks.omissions`.

Names are found by their spelling, without a model or a list. *Symbols* are words with inner capitals, or of letters and
digits together: GPCR, mRNA, p53, COVID-19, IL-6, Ca2+. *Names* are runs of capitalised words: Jane Smith, University of
Toronto, Drosophila. A capital at the start of a sentence or in a heading proves nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, groupby, takewhile
from typing import Final

from state.documents import DocumentRef
from state.records import Fact, FactKind
from tools.checks.quantities import Amount, AmountIndex, find_amounts
from tools.checks.quantity_lexicon import UNITS_BY_SYMBOL
from tools.checks.word_lists import ORDINARY_WORDS, UNIVERSAL_NAMES
from tools.documents.reading import load_source_text
from tools.text import Sentence, split_sentences, strip_accents, strip_headline


@dataclass(frozen=True, slots=True)
class Name:
    """A name or symbol of a sentence, with its place."""

    text: str
    start: int
    symbol: bool
    leading: bool = False
    """Whether it begins the sentence, so that its first capital proves nothing."""

    @property
    def end(self) -> int:
        """Offset at which the name ends in the sentence."""
        return self.start + len(self.text)

    @property
    def certain(self) -> bool:
        """Whether the spelling alone identifies it as a name."""
        return self.symbol or not self.leading or " " in self.text


_TOKEN: Final = re.compile(r"[^\W_]++(?:['’-][^\W_]++)*+")
_PART: Final = re.compile(r"[^\W_]++")
_MIXED: Final = re.compile(r"[^\W\d_]\d|\d[^\W\d_]")
_COUNT: Final = re.compile(r"\d++(?:st|nd|rd|th|s|x|fold|[eE]\d*)$")
_MEASURED: Final = re.compile(r"\d++([^\W\d_]++)$")
_AFTER_NUMBER: Final = re.compile(r"(?:\d[\s-]?|/\s?|\d\s?[–-]\s?)$")
_ROMAN: Final = re.compile(r"[IVX]+$")
_NAME_OPENING: Final = re.compile(r"(?:[:?!•—]\s?[\"“‘'(]{0,2}|,\s[\"“‘])$")
_ET_AL: Final = re.compile(r"(?:,? [^\W\d_][\w-]{1,30}){0,3},? (?:et al\b|and (?:his|her|their )?colleagues\b)")
_JOINT: Final = re.compile(r"(?:['’]s)?(?:\.? | (?:of|for|de|de la|van|van der|von|du|da|di|&) )")
_TITLES: Final = frozenset(("dr", "prof", "professor", "mr", "mrs", "ms"))


def find_names(sentence: Sentence) -> list[Name]:
    """Find symbols and capitalised words of a sentence, in order; `certain` is false where one may be no name.

    In a heading only symbols count, in a line of capitals only symbols with a digit.
    """
    # 1. Find the symbols.
    text = sentence.text
    tokens = [token for token in _TOKEN.finditer(text) if not (token[0].isalpha() and token[0].islower())]
    symbols = [symbol for token in tokens for symbol in _find_symbols(text, token)]
    if text.isupper() and len(tokens) > 2:
        symbols = [symbol for symbol in symbols if not symbol.text.isalpha()]
    if sentence.heading:
        return symbols

    # 2. Collect runs of capitalised words, and join each run to a name.
    taken = {symbol.start for symbol in symbols}
    found, run = symbols, list[tuple[int, str]]()
    for token in tokens:
        # The capitalised part of a token: Wnt of "Wnt-dependent", Crohn of "Crohn's".
        capitalised = takewhile(lambda part: part[0][0].isupper(), _PART.finditer(token[0]))
        start, word = token.start(), token[0][: max((part.end() for part in capitalised), default=0)]
        if start in taken or not word or word.lower() in ORDINARY_WORDS:
            continue
        if run and not _JOINT.fullmatch(text, run[-1][0] + len(run[-1][1]), start):
            found += _join_capitalised_words(text, run)
            run = []
        run.append((start, word))
    return sorted([*found, *_join_capitalised_words(text, run)], key=lambda name: name.start)


def _find_symbols(text: str, token: re.Match[str]) -> Iterator[Name]:
    """Yield the symbols within a token, without the ordinary words joined to them: IL-6 of "IL-6-dependent"."""
    parts = [(part.start() + token.start(), part[0]) for part in _PART.finditer(token[0])]
    marked = [(start, part, _classify_part(text, start, part)) for start, part in parts]
    for is_ordinary, group in groupby(marked, key=lambda item: item[2] == "ordinary"):
        stretch = list(group)
        marks = {mark for _, _, mark in stretch}
        if not is_ordinary and ("symbol" in marks or marks == {"capital", "digits"}):
            start, end = stretch[0][0], stretch[-1][0] + len(stretch[-1][1])
            yield Name(text[start : end + text.startswith("+", end)], start, symbol=True)


def _classify_part(text: str, start: int, part: str) -> str:
    """Classify a part of a token as "digits", "symbol", "capital" or "ordinary"; units and ordinals are ordinary."""
    if part.isdigit():
        return "digits"
    measured = _MEASURED.match(part)
    is_measured = measured and measured[1] in UNITS_BY_SYMBOL  # 5mg
    is_unit = part in UNITS_BY_SYMBOL and _AFTER_NUMBER.search(text[max(0, start - 3) : start])  # the kHz of "10 kHz"
    if is_measured or is_unit or _COUNT.match(part) or _ROMAN.match(part):
        return "ordinary"
    if any(letter.isupper() for letter in part[1:]) or _MIXED.search(part):
        return "symbol"
    return "capital" if part[0].isupper() else "ordinary"


def _join_capitalised_words(text: str, run: list[tuple[int, str]]) -> Iterator[Name]:
    """Yield the one name that a run of capitalised words makes; nothing for "Dr" or "IV" alone, or for a label."""
    while run and len(run[-1][1]) == 1:
        run = run[:-1]  # single letters count only inside: "John F. Kennedy"
    if run and not (len(run) == 1 and (run[0][1].lower() in _TITLES or _ROMAN.match(run[0][1]))):
        start, end = run[0][0], run[-1][0] + len(run[-1][1])
        before = text[max(0, start - 6) : start]
        opens = (start <= 6 and not any(letter.isalpha() for letter in before)) or bool(_NAME_OPENING.search(before))
        leading = opens and not _ET_AL.match(text, end)
        # "Key Findings:" is a label.
        if not (leading and text.startswith(":", end)):
            yield Name(text[start:end], start, symbol=False, leading=leading)


_GREEK: Final = {ord("λ"): "lambda"} | {
    ord(letter): unicodedata.name(letter).split()[-1].lower() for letter in "αβγδεζηθικμνξοπρστυφχψω"
}
_POSSESSIVE: Final = re.compile(r"['’]s\b")
_ACRONYM_PLURAL: Final = re.compile(r"(?<=[A-Z0-9])s\b")
_WORD: Final = re.compile(r"[^\W_]++")
_LINKING: Final = frozenset(("a", "an", "and", "by", "de", "for", "from", "in", "of", "on", "or", "the", "to", "with"))


def fold_words(text: str) -> list[str]:
    """List the words of a text without case, accents, possessive and plural endings; hyphens separate words."""
    plain = strip_accents(_ACRONYM_PLURAL.sub("", _POSSESSIVE.sub("", text))).casefold().translate(_GREEK)
    words: list[str] = []
    for word in _WORD.findall(plain):
        if len(word) <= 3 or word.endswith(("ss", "us", "is")):
            words.append(word)
        elif word.endswith("ies"):
            words.append(word[:-3] + "y")
        else:
            words.append(re.sub(r"(?<=s|x|z)es$|(?<=ch|sh)es$|s$", "", word))
    return words


class NameIndex:
    """Index of the words of a source, to look names up in."""

    def __init__(self, texts: Iterable[str], names: Iterable[Name]) -> None:
        self._names = {name.text for name in names}
        self._words: list[str] = []
        for text in texts:
            self._words += [*fold_words(text), "|"]
        self._squeezed = "".join(self._words)
        self._starts = {0, *accumulate(map(len, self._words))}
        content = [word for word in self._words if word not in _LINKING]
        self._initials = "".join(word[0] for word in [*self._words, "|", *content])
        self._name_initials = {_join_initials(fold_words(name)) for name in self._names if " " in name}

    def supports(self, name: Name, definitions: Sequence[tuple[str, str]] = ()) -> bool:
        """Return whether the source has a name in some spelling or as its acronym, or any text may use it (DNA, May).

        Args:
            name: A name of the draft.
            definitions: Acronyms that the draft defines, each with the words before its parenthesis.
        """
        if name.text in self._names:
            return True
        words = fold_words(name.text)
        while len(words) > 1 and words[0] in _TITLES:
            words = words[1:]
        if set(words) <= UNIVERSAL_NAMES or self.has_phrase(words):
            return True
        if name.symbol:
            return self._is_abbreviation(words, definitions)
        return len(words) > 1 and self.has_phrase([_join_initials(words)])

    def has_phrase(self, words: Sequence[str]) -> bool:
        """Return whether the source has these folded words in a row, with or without spaces between them."""
        key = "".join(words)
        at = self._squeezed.find(key) if key else -1
        while at >= 0:
            end = at + len(key)
            # "BRCA" is found in "BRCA1", but "BRCA1" not in "BRCA"
            if at in self._starts and (end in self._starts or self._squeezed[end].isdigit()):
                return True
            at = self._squeezed.find(key, at + 1)
        return False

    def _is_abbreviation(self, words: Sequence[str], definitions: Sequence[tuple[str, str]]) -> bool:
        """Return whether the source has words that an acronym abbreviates, by initials or by a definition."""
        letters = "".join(words)
        is_initials = letters in self._name_initials or (len(letters) >= 3 and letters in self._initials)
        if is_initials and letters.isalpha():
            return True
        # Of the words before "(MMP)", those from an M on may stand in the source.
        for before in (fold_words(before) for acronym, before in definitions if fold_words(acronym) == words):
            phrases = (before[-count:] for count in range(1, min(len(before), len(letters) + 2) + 1))
            if any(phrase[0][0] == letters[0] and self.has_phrase(phrase) for phrase in phrases):
                return True
        return False


def _join_initials(words: Sequence[str]) -> str:
    """Join the first letters of words, without linking words such as "of"."""
    return "".join(word[0] for word in words if word not in _LINKING)


def list_unsupported_facts(draft: str, source: str) -> list[Fact]:
    """List the facts of a draft that its source does not support, each once, in the order of the draft."""
    amounts_of_source, names_of_source = _index_source(source)
    sentences = parse_details(draft)
    definitions = find_acronym_definitions(sentences)
    unsupported: dict[Hashable, Fact] = {}
    for found in sentences:
        details: list[Amount | Name] = [*filter(is_fact, found.amounts), *found.names]
        for detail in sorted(details, key=lambda detail: detail.start):
            kind: FactKind = "entity"
            if isinstance(detail, Amount):
                kind, supported = detail.kind, amounts_of_source.supports(detail)
            else:
                supported = names_of_source.supports(detail, definitions)
            if not supported:
                fact = Fact(kind=kind, text=detail.text, sentence=found.sentence)
                unsupported.setdefault(build_mention_key(detail), fact)
    return list(unsupported.values())


@lru_cache(maxsize=4)  # all drafts of a run are checked against one paper
def _index_source(source: str) -> tuple[AmountIndex, NameIndex]:
    """Return the index of the amounts and the index of the names of a source; cached."""
    found = parse_details(source)
    return (
        AmountIndex((details.sentence, details.amounts) for details in found),
        NameIndex((details.sentence for details in found), (name for details in found for name in details.names)),
    )


_DEFINITION: Final = re.compile(r"\(([A-Za-z][A-Za-z0-9-]{1,9})\)")
_MAX_DEFINITION_CHARACTERS: Final = 120  # before the parenthesis


@dataclass(frozen=True, slots=True)
class SentenceDetails:
    """A sentence with its amounts and names."""

    sentence: str
    amounts: list[Amount]
    names: list[Name]


def parse_details(text: str) -> list[SentenceDetails]:
    """Return the amounts and names of each sentence of a text, in order.

    A single capitalised word at the start of a sentence is a name only if it is a name elsewhere in the text.
    """
    found: list[SentenceDetails] = []
    for sentence in split_sentences(text):
        names, masked = find_names(sentence), sentence.text
        # The digits of "IL-6" are no numbers.
        for symbol in (name for name in names if name.symbol):
            masked = f"{masked[: symbol.start]}{'_' * len(symbol.text)}{masked[symbol.end :]}"
        amounts = find_amounts(masked)
        # In "20 degrees Celsius", Celsius is no name.
        units = {position for amount in amounts for position in range(amount.start, amount.end)}
        found.append(SentenceDetails(sentence.text, amounts, [name for name in names if name.start not in units]))
    certain = {name.text for details in found for name in details.names if name.certain}
    return [replace(details, names=[name for name in details.names if name.text in certain]) for details in found]


def is_fact(amount: Amount) -> bool:
    """Return whether an amount is worth checking, unlike a bare "one" or "two"."""
    is_small_word = amount.spelled and amount.value <= 2
    return not is_small_word or (amount.unit is not None and amount.text.lower() != "one day")


def find_acronym_definitions(sentences: list[SentenceDetails]) -> list[tuple[str, str]]:
    """List the acronyms that sentences define, each with the words before it: "matrix metalloproteinases (MMPs)"."""
    return [
        (match[1], details.sentence[max(0, match.start() - _MAX_DEFINITION_CHARACTERS) : match.start()])
        for details in sentences
        for match in _DEFINITION.finditer(details.sentence)
    ]


def build_mention_key(detail: Amount | Name) -> Hashable:
    """Return a hashable key that all mentions of an amount or a name share."""
    return "".join(fold_words(detail.text)) if isinstance(detail, Name) else (detail.value, detail.unit)


_CONTENT_WORD = re.compile(r"[^\W\d_]{5,}")
STEM_LETTERS: Final = 5  # so that "measured" and "measurements" are alike: a crude stem, enough for a ratio
_MIN_COVERAGE = 0.1  # none of 691 plain summaries by people (eLife, PLOS, Cochrane) covers less of its abstract
_MAX_ABSTRACT_WORDS = 800  # the longest of their abstracts has 766; any draft covers little of a whole paper


def compute_coverage(draft: str, source: str) -> float:
    """Return the share of the source's content words that the draft uses below its headline, from 0 to 1.

    The share is low for drafts about something else; it does not measure quality. Over 200 eLife papers, their own
    plain summaries cover 0.39 of the abstract on average, those of other papers 0.15. A source without content words
    counts as covered.
    """
    wanted = collect_content_stems(source)
    return len(wanted & collect_content_stems(strip_headline(draft))) / len(wanted) if wanted else 1.0


def collect_content_stems(text: str) -> set[str]:
    """Return the set of the content words of a text, those of five letters or more, cut to their first five letters."""
    return {word[:STEM_LETTERS] for word in _CONTENT_WORD.findall(text.casefold())}


def list_subject_warnings(draft: str, source: DocumentRef) -> list[str]:
    """List one warning if a draft seems to be about something else than its source; none for a long source."""
    share = compute_coverage(draft, load_source_text(source))
    if source["words"] > _MAX_ABSTRACT_WORDS or share >= _MIN_COVERAGE:
        return []
    return [f"the text is hardly about its source: it uses {share:.0%} of its longer words, which any text may have"]
