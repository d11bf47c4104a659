"""The content guard: what a plain-language text has lost of the medical abstract that it was made from.

It is the faithfulness guard (`tools.checks.fidelity`) read the other way round: for what must not be lost instead of
what must not be invented. The law, in short:

* An amount is kept by the same value in words or digits, in any unit that converts, or by a fair rounding of it.
* A confidence interval is one detail, kept by its two bounds in one sentence; an effect size ("OR 4.60", "P = 0.03")
  by its number. Signs are not compared: "MD -5" may become "5 lower".
* A negation is kept by a sentence that denies something about the same thing (`tools.checks.negations`).
* A name is kept in any case, number, hyphenation or spelling, as its acronym or what that stands for, as its adjective,
  or in plain words ("heart attack").

Nothing is left out as unimportant: what may be dropped is for the reader of the list to say.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal

from state.records import LostDetail, LostKind
from tools.checks.fidelity import Details, definitions, identity, is_fact, read
from tools.checks.medical_terms import american, forms, medical_names
from tools.checks.named_entities import Name, NameIndex, folded
from tools.checks.negations import Denials, Negation, negations
from tools.checks.quantities import Amount, AmountIndex


@dataclass(frozen=True, slots=True)
class Estimate:
    """An effect size with its value, or an interval with its two bounds."""

    kind: Literal["effect size", "interval"]
    text: str
    start: int
    end: int
    amounts: tuple[Amount, ...]


_Detail = Amount | Estimate | Negation | Name


@dataclass(frozen=True, slots=True)
class _Content:
    """The checked content of a source: each detail with its sentence, and the acronyms that the source defines."""

    details: list[tuple[_Detail, str]]
    acronyms: list[tuple[str, str]]


def lost_content(source: str, text: str) -> list[LostDetail]:
    """Lists the checked content of a source that a text made from it has lost or changed.

    Args:
        source: A medical abstract.
        text: A version of it in plain language.

    Returns:
        Numbers, intervals, effect sizes, negations and names, each once, in the order of the source.
    """
    content = _content(source)
    rendering = _Rendering(text, content.acronyms)
    lost: dict[Hashable, LostDetail] = {}
    for detail, sentence in content.details:
        if not rendering.keeps(detail):
            lost.setdefault(_key(detail, sentence), LostDetail(kind=_kind(detail), text=detail.text, sentence=sentence))
    return list(lost.values())


@lru_cache(maxsize=4)  # every version of a run is checked against the same abstract
def _content(source: str) -> _Content:
    found = read(source)
    details = [(detail, one.sentence) for one in found for detail in _stated(one)]
    return _Content(details, [pair for pair in definitions(found) if not pair[0].islower()])


def _stated(found: Details) -> list[_Detail]:
    estimated = estimates(found.sentence, found.amounts)
    inside = {position for estimate in estimated for position in range(estimate.start, estimate.end)}
    medical = medical_names(found.sentence)
    taken = inside | {position for name in medical for position in range(name.start, name.end)}
    details: list[_Detail] = [*estimated, *negations(found.sentence), *medical]
    details += [amount for amount in found.amounts if is_fact(amount) and amount.start not in inside]
    details += [name for name in found.names if name.start not in taken and name.text not in STATISTICS]
    return sorted(details, key=lambda detail: detail.start)


class _Rendering:
    """A text made from a source, arranged so that details of the source can be looked up in it."""

    def __init__(self, text: str, acronyms: list[tuple[str, str]]) -> None:
        found = read(text)
        sentences = [one.sentence for one in found]
        alike = [american(sentence) for sentence in sentences]  # beside them, so that each spelling is found
        self._acronyms = acronyms
        self._amounts = AmountIndex((one.sentence, one.amounts) for one in found)
        self._by_sentence = [AmountIndex([("", one.amounts)]) for one in found if one.amounts]
        self._names = NameIndex([*sentences, *alike], (name for one in found for name in one.names))
        self._denials = Denials(sentences)

    def keeps(self, detail: _Detail) -> bool:
        """Whether the text still has a detail of its source."""
        match detail:
            case Amount():
                return self._amounts.restates(detail)
            case Estimate():
                return any(all(map(index.restates, detail.amounts)) for index in self._by_sentence)
            case Negation():
                return self._denials.keep(detail)
            case Name():
                return self._names.supports(detail, self._acronyms) or self._has_other_form(detail)

    def _has_other_form(self, name: Name) -> bool:
        words = folded(name.text)
        short = [acronym for acronym, before in self._acronyms if _abbreviated(words, acronym, before)]
        return any(map(self._names.has, [*forms(name.text), *map(folded, short)]))


def _abbreviated(name: list[str], acronym: str, before: str) -> bool:
    """Whether an acronym that is defined behind some words stands for a name among them."""
    words = folded(before)[-len(acronym) :]
    return set(name) <= set(words) and any(word[0] == acronym[0].casefold() for word in words)


def _kind(detail: _Detail) -> LostKind:
    match detail:
        case Amount():
            return "name" if detail.kind == "entity" else detail.kind  # no amount is one, but a fact can be
        case Estimate():
            return detail.kind
        case Negation():
            return "negation"
        case Name():
            return "name"


def _key(detail: _Detail, sentence: str) -> Hashable:
    """What is equal for two mentions of one detail; what one sentence denies twice is two details."""
    match detail:
        case Estimate():
            return (detail.kind, *map(identity, detail.amounts))
        case Negation():
            return (sentence, detail.start)
        case Amount() | Name():
            return identity(detail)


_LABELS: Final = (
    r"OR|RR|HR|IRR|MD|SMD|WMD|RD|ARR|RRR|NNT[BH]?|(?:I|[Tt]au|[Cc]hi)[2²]|[Pp](?:[ -]values?)?"
    r"|(?i:(?:odds|risk|hazard|rate)[ -]ratio|relative risk|(?:mean|risk) difference|numbers? needed to (?:treat|harm))"
)
_ACRONYMS: Final = """
    OR ORs RR RRs HR HRs IRR MD MDs SMD WMD RD ARR RRR NNT NNTs NNTB NNTH I2 I² Tau2 Tau² Chi2 Chi² CI CIs Cl CrI CrIs
"""
STATISTICS: Final = frozenset(_ACRONYMS.split())
"""Acronyms that name an estimate, and say nothing without its number."""

_SIGN: Final = r"\s?[-−–+<>≤≥=]{0,2}\s?"
_LINK: Final = rf"[\s,:;=(\[]{{0,3}}(?:(?:of|was|is|were|from|between)\s)?{_SIGN}"
# "odds ratio (OR) 4.60", "RR was 0.9"
_LABELLED: Final = re.compile(rf"(?<![\w-])(?:{_LABELS})\b(?:\s?\(\s?(?:{_LABELS})\s?\))?{_LINK}$")
_LABELLED_WITHIN: Final = 90  # characters before the value
# "95% CI", "95% confidence interval (CI)"; the small l is what some databases make of the capital I
_INTERVAL: Final = re.compile(
    r"(?:(?<![\d.])\d{2}(?:\.\d)?\s?%\s?)?(?<![^\W\d_])"
    r"(?:(?i:(?:confidence|credible) (?:interval|limit)s?)(?:\s?\(\s?C[Ilr]I?s?\s?\))?|C[Il]s?|CrIs?)(?![\w])"
)
_TO: Final = re.compile(rf"(?:\s?[^\W\d_][^\s\d]{{0,11}}){{0,2}}\s?(?:to|and|[-−–,;:])\s?{_SIGN}")
_BEFORE_BOUND: Final = re.compile(_LINK)


def estimates(sentence: str, amounts: Sequence[Amount]) -> list[Estimate]:
    """Finds the estimates among the amounts of a sentence, in order.

    An interval needs both its bounds; its level of confidence belongs to it.
    """
    intervals = list(_intervals(sentence, amounts))
    inside = {position for interval in intervals for position in range(interval.start, interval.end)}
    effects = _effects(sentence, [amount for amount in amounts if amount.start not in inside])
    return sorted([*intervals, *effects], key=lambda estimate: estimate.start)


def _intervals(sentence: str, amounts: Sequence[Amount]) -> Iterator[Estimate]:
    starts = [amount.start for amount in amounts]
    for cue in _INTERVAL.finditer(sentence):
        following = bisect_left(starts, cue.end())
        bounds = tuple(amounts[following : following + 2])
        if len(bounds) == 2 and _joined(sentence, cue.end(), *bounds):
            start, end = cue.start(), bounds[1].end
            yield Estimate("interval", sentence[start:end], start, end, bounds)


def _joined(sentence: str, after: int, low: Amount, high: Amount) -> bool:
    first = _BEFORE_BOUND.fullmatch(sentence, after, low.start)
    return bool(first and _TO.fullmatch(sentence, low.end, high.start))


def _effects(sentence: str, amounts: Sequence[Amount]) -> Iterator[Estimate]:
    for amount in amounts:
        start = max(0, amount.start - _LABELLED_WITHIN)
        label = _LABELLED.search(sentence[start : amount.start])
        if label:
            start += label.start()
            yield Estimate("effect size", sentence[start : amount.end], start, amount.end, (amount,))
