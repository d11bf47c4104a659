"""The content guard: find details of a medical abstract that its plain-language version has lost.

It is the counterpart of `tools.checks.fidelity`, which finds invented details. The rules:

* An amount is kept by an equal value in words or digits, in any unit that converts, or by a fair rounding of it.
* A confidence interval is a single detail, kept by its two bounds in one sentence; an effect size ("OR 4.60",
  "P = 0.03") by its number. Signs are not compared: "MD -5" may become "5 lower".
* A negation is kept by a sentence that denies something on its topic, which shows in shared stems of content words. It
  is lost without this sentence, or if an affirming clause repeats it more closely ("did not reduce" became "reduced").
* A name is kept in any case, number, hyphenation or spelling, as its acronym or in full, as its adjective, or in plain
  words ("heart attack").

No detail is skipped as unimportant: the reader of the list decides which may be dropped.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final, Literal

from state.records import LostDetail, LostKind
from tools.checks.fidelity import (
    STEM_LETTERS,
    Name,
    NameIndex,
    build_mention_key,
    find_acronym_definitions,
    is_fact,
    parse_details,
)
from tools.checks.medical_terms import find_medical_names, list_name_forms, normalize_spelling
from tools.checks.quantities import Amount, AmountIndex
from tools.checks.word_lists import GENERAL_WORDS, QUALIFIERS, STATISTICS

_DENIED: Final = "evidence|differences?|effects?|benefits?|improvements?|data|trials?|studies|information|conclusions?"
_CUES: Final = (
    rf"(?:little or )?no(?:[ ,](?:{'|'.join(QUALIFIERS)})){{0,3}}(?: (?:{_DENIED}))?(?![\w-]|\.? \d)"
    "|(?:(?:did|does|do|was|were|is|are|has|have|had|could|can|may|might|should|would|will|must) )?not(?! only)"
    r"|(?:did|does|do|was|were|is|are|has|have|had|could|ca|should|would|wo)n['’]t|cannot|neither|none|never"
    "|(?:insufficient|inadequate)(?: (?:evidence|data|information))?"
    "|unclear|uncertain(?:ty)?|unknown|unproven|inconclusive|unable"
    "|lack(?:s|ed|ing)?(?: of)?|absence of|fail(?:s|ed|ing|ure)? to|without"
)
_NO_DENIAL: Final = r"(?<!whether or )(?<!with or )(?<!with and )(?<!with/)(?<!and/or )"
_NEGATION: Final = re.compile(rf"(?i)\b{_NO_DENIAL}(?:{_CUES})\b")
# Further denials of plain language; "the same" denies a difference.
_PLAIN_DENIALS: Final = (
    "nothing|nobody|nor|little|hardly|too (?:few|little|small|short)|limited|not enough|unlikely|missing|unsure"
    "|unchanged|same|similar(?:ly)?|equal(?:ly)?|alike|comparable"
)
_DENIAL: Final = re.compile(rf"(?i)\b{_NO_DENIAL}(?:{_CUES}|{_PLAIN_DENIALS})\b")
_CONTRAST: Final = re.compile(r"\s(?:but|although|though|whereas|while|however)\s")
_CLAUSE_JOINT: Final = re.compile(rf"[,;:]\s|\sand\s|{_CONTRAST.pattern}")

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|e)$")
_MAX_CLAUSE_CHARACTERS: Final = 400  # on either side of a cue
# Stems that two sentences on one topic share. Measured over 411 Cochrane abstracts and their plain-language summaries:
# 64% of the abstracts' negations have a partner in their own summary, 8% in that of another review.
_MIN_SHARED_STEMS: Final = 2
_MIN_CLAUSE_OVERLAP: Final = 0.8  # share of its words that a reworded clause repeats, with or without its negation


@dataclass(frozen=True, slots=True)
class Negation:
    """A cue such as "did not" or "no evidence", with the stems of the words around it."""

    text: str
    start: int
    topic: frozenset[str]
    """Stems of the sentence's content words."""
    clause: frozenset[str]
    """Stems of all other words of the clause."""


class DenialIndex:
    """Index of the denying and affirming clauses of a text, to look negations up in."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self._topics: set[frozenset[str]] = set()
        self._denying: set[frozenset[str]] = set()
        self._affirming: set[frozenset[str]] = set()
        for sentence in sentences:
            if _DENIAL.search(sentence):
                self._topics.add(_collect_stems(sentence, excluded=_UNINFLECTED_GENERAL_WORDS))
            for start, end in pairwise(_list_clause_bounds(sentence)):
                clause = sentence[start:end]
                (self._denying if _DENIAL.search(clause) else self._affirming).add(_collect_stems(clause))

    def has_negation(self, negation: Negation) -> bool:
        """Return whether the text still denies what a negation of its source denies."""
        clause = negation.clause if len(negation.clause) > 2 else frozenset[str]()
        denied, affirmed = (
            max((len(clause & other) / len(clause) for other in clauses if clause), default=0)
            for clauses in (self._denying, self._affirming)
        )
        if affirmed >= _MIN_CLAUSE_OVERLAP and affirmed > denied:
            return False
        wanted = min(_MIN_SHARED_STEMS, len(negation.topic))
        return any(len(negation.topic & topic) >= wanted for topic in self._topics)


def find_negations(sentence: str) -> list[Negation]:
    """Find the negations in a sentence of a report; "with or without" and "not only" deny nothing."""
    topic, bounds = _collect_stems(sentence, excluded=_UNINFLECTED_GENERAL_WORDS), _list_clause_bounds(sentence)
    found: list[Negation] = []
    for cue in _NEGATION.finditer(sentence):
        start, end = cue.span()
        clause_start = max(bounds[bisect_right(bounds, start) - 1], start - _MAX_CLAUSE_CHARACTERS)
        clause_end = min(bounds[bisect_left(bounds, end)], end + _MAX_CLAUSE_CHARACTERS)
        clause = f"{sentence[clause_start:start]} {sentence[end:clause_end]}"
        found.append(Negation(cue[0], start, topic, _collect_stems(clause)))
    return found


def _list_clause_bounds(sentence: str) -> list[int]:
    """List the offsets between clauses, with start and end: at a "but", and at the last joint before a denial."""
    bounds = {0, len(sentence), *(contrast.end() for contrast in _CONTRAST.finditer(sentence))}
    after = 0
    for cue in _DENIAL.finditer(sentence):
        joints = [joint.end() for joint in _CLAUSE_JOINT.finditer(sentence, after, cue.start())]
        bounds.update(joints[-1:])
        after = cue.end()
    return sorted(bounds)


def _list_uninflected_words(text: str) -> list[str]:
    """List the words of four letters or more, in lower case and without their inflection."""
    return [_ENDING.sub("", word) for word in _WORD.findall(text.casefold())]


def _collect_stems(text: str, *, excluded: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the stems (five letters) of the words of a text, except the excluded words."""
    return frozenset(word[:STEM_LETTERS] for word in _list_uninflected_words(text) if word not in excluded)


_UNINFLECTED_GENERAL_WORDS: Final = frozenset(_list_uninflected_words(" ".join(GENERAL_WORDS)))


@dataclass(frozen=True, slots=True)
class StatedEstimate:
    """An effect size with its value, or an interval with its two bounds."""

    kind: Literal["effect size", "interval"]
    text: str
    start: int
    end: int
    amounts: tuple[Amount, ...]


_Detail = Amount | StatedEstimate | Negation | Name


def find_lost_details(source: str, text: str) -> list[LostDetail]:
    """List the details of a medical abstract that a plain-language version of it has lost or changed, in its order."""
    details, acronyms = _parse_source(source)
    simplified = _SimplifiedText(text, acronyms)
    lost: dict[Hashable, LostDetail] = {}
    for detail, sentence in details:
        if not simplified.has_detail(detail):
            kind, key = _identify_detail(detail, sentence)
            lost.setdefault(key, LostDetail(kind=kind, text=detail.text, sentence=sentence))
    return list(lost.values())


def list_newly_lost_details(before: str, after: str, source: str) -> list[LostDetail]:
    """List the details of the source that `after` has lost, but not those that `before` already lacked."""
    lost_before = find_lost_details(source, before)
    return [detail for detail in find_lost_details(source, after) if detail not in lost_before]


def list_unsupported_names(text: str, source: str) -> list[str]:
    """List the names in a text, of drugs and conditions too, for which the source has no name or plain word."""
    forms = (" ".join(form) for name in find_medical_names(source) for form in list_name_forms(name.text))
    # These are the details that the source, extended by plain words for its names, would lose of the text.
    found = find_lost_details(text, "\n\n".join([source, *forms]))
    return [item["text"] for item in found if item["kind"] == "name"]


@lru_cache(maxsize=4)  # all versions of a run are checked against one abstract
def _parse_source(source: str) -> tuple[list[tuple[_Detail, str]], list[tuple[str, str]]]:
    """Return the details of a source, each with its sentence, and the acronyms that it defines; cached."""
    found = parse_details(source)
    details: list[tuple[_Detail, str]] = []
    for sentence, amounts, names in ((each.sentence, each.amounts, each.names) for each in found):
        estimates, medical = find_estimates(sentence, amounts), find_medical_names(sentence)
        inside = {position for estimate in estimates for position in range(estimate.start, estimate.end)}
        taken = inside | {position for name in medical for position in range(name.start, name.end)}
        stated: list[_Detail] = [*estimates, *find_negations(sentence), *medical]
        stated += [amount for amount in amounts if is_fact(amount) and amount.start not in inside]
        stated += [name for name in names if name.start not in taken and name.text not in STATISTICS]
        details += [(detail, sentence) for detail in sorted(stated, key=lambda detail: detail.start)]
    return details, [pair for pair in find_acronym_definitions(found) if not pair[0].islower()]


class _SimplifiedText:
    """Index of a plain-language text, to look details of its source up in."""

    def __init__(self, text: str, acronyms: list[tuple[str, str]]) -> None:
        found = parse_details(text)
        sentences = [each.sentence for each in found]
        self._acronyms = acronyms
        self._amounts = AmountIndex((each.sentence, each.amounts) for each in found)
        self._by_sentence = [AmountIndex([("", each.amounts)]) for each in found if each.amounts]
        # Both spellings are indexed, so that a name is found in either.
        spellings = [*sentences, *map(normalize_spelling, sentences)]
        self._names = NameIndex(spellings, (name for each in found for name in each.names))
        self._denials = DenialIndex(sentences)

    def has_detail(self, detail: _Detail) -> bool:
        """Return whether the text still has a detail of its source."""
        match detail:
            case Amount():
                return self._amounts.has_restatement(detail)
            case StatedEstimate():
                return any(all(map(index.has_restatement, detail.amounts)) for index in self._by_sentence)
            case Negation():
                return self._denials.has_negation(detail)
            case Name():
                return self._names.supports(detail, self._acronyms) or any(
                    map(self._names.has_phrase, list_name_forms(detail.text))
                )


def _identify_detail(detail: _Detail, sentence: str) -> tuple[LostKind, Hashable]:
    """Return the kind of a detail, and a hashable key that its mentions share, as a pair."""
    match detail:
        case Amount():
            # An amount is never an entity, but its type allows it.
            return "name" if detail.kind == "entity" else detail.kind, build_mention_key(detail)
        case StatedEstimate():
            return detail.kind, (detail.kind, *map(build_mention_key, detail.amounts))
        case Negation():
            return "negation", (sentence, detail.start)
        case Name():
            return "name", build_mention_key(detail)


_LABELS: Final = (
    r"OR|RR|HR|IRR|MD|SMD|WMD|RD|ARR|RRR|NNT[BH]?|(?:I|[Tt]au|[Cc]hi)[2²]|[Pp](?:[ -]values?)?"
    r"|(?i:(?:odds|risk|hazard|rate)[ -]ratio|relative risk|(?:mean|risk) difference|numbers? needed to (?:treat|harm))"
)

_SIGN: Final = r"\s?[-−–+<>≤≥=]{0,2}\s?"
_LINK: Final = rf"[\s,:;=(\[]{{0,3}}(?:(?:of|was|is|were|from|between)\s)?{_SIGN}"
# "odds ratio (OR) 4.60", "RR was 0.9"
_LABELLED: Final = re.compile(rf"(?<![\w-])(?:{_LABELS})\b(?:\s?\(\s?(?:{_LABELS})\s?\))?{_LINK}$")
_MAX_LABEL_CHARACTERS: Final = 90  # before the value
# "95% CI", "95% confidence interval (CI)"; some databases turn the capital I into a small l
_INTERVAL: Final = re.compile(
    r"(?:(?<![\d.])\d{2}(?:\.\d)?\s?%\s?)?(?<![^\W\d_])"
    r"(?:(?i:(?:confidence|credible) (?:interval|limit)s?)(?:\s?\(\s?C[Ilr]I?s?\s?\))?|C[Il]s?|CrIs?)(?![\w])"
)
_BOUND_SEPARATOR: Final = re.compile(rf"(?:\s?[^\W\d_][^\s\d]{{0,11}}){{0,2}}\s?(?:to|and|[-−–,;:])\s?{_SIGN}")
_BEFORE_BOUND: Final = re.compile(_LINK)


def find_estimates(sentence: str, amounts: Sequence[Amount]) -> list[StatedEstimate]:
    """Find the estimates among the amounts of a sentence, in order; an interval includes its level of confidence."""
    found: list[StatedEstimate] = []
    starts = [amount.start for amount in amounts]
    for cue in _INTERVAL.finditer(sentence):
        following = bisect_left(starts, cue.end())
        bounds = tuple(amounts[following : following + 2])
        if len(bounds) < 2 or not _BEFORE_BOUND.fullmatch(sentence, cue.end(), bounds[0].start):
            continue
        if _BOUND_SEPARATOR.fullmatch(sentence, bounds[0].end, bounds[1].start):
            start, end = cue.start(), bounds[1].end
            found.append(StatedEstimate("interval", sentence[start:end], start, end, bounds))
    inside = {position for interval in found for position in range(interval.start, interval.end)}
    for amount in amounts:
        start = max(0, amount.start - _MAX_LABEL_CHARACTERS)
        label = _LABELLED.search(sentence[start : amount.start])
        if label and amount.start not in inside:
            start += label.start()
            found.append(StatedEstimate("effect size", sentence[start : amount.end], start, amount.end, (amount,)))
    return sorted(found, key=lambda estimate: estimate.start)
