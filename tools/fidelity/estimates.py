"""Finds the estimates of a trial report: effect sizes ("OR 4.60", "P = 0.03") and confidence intervals."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from tools.fidelity.numerals import Amount


@dataclass(frozen=True, slots=True)
class Estimate:
    """An effect size with its value, or an interval with its two bounds."""

    kind: Literal["effect size", "interval"]
    text: str
    start: int
    end: int
    amounts: tuple[Amount, ...]


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
