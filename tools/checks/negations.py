"""Finds what a text denies, and whether another text made from it still denies it.

A negation is kept by a sentence that denies something about the same thing: it shares stems of content words. It is
lost if there is none, or if a clause that denies nothing repeats it more closely ("did not reduce" became "reduced").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

_QUALIFIERS: Final = """
    additional apparent clear clinically clinical conclusive consistent convincing definite direct firm further good
    high-quality important major meaningful overall real reliable robust significant statistical statistically strong
    substantial sufficient
"""
_DENIED: Final = "evidence|differences?|effects?|benefits?|improvements?|data|trials?|studies|information|conclusions?"
_CUES: Final = (
    rf"(?:little or )?no(?:[ ,](?:{'|'.join(_QUALIFIERS.split())})){{0,3}}(?: (?:{_DENIED}))?(?![\w-]|\.? \d)"
    "|(?:(?:did|does|do|was|were|is|are|has|have|had|could|can|may|might|should|would|will|must) )?not(?! only)"
    r"|(?:did|does|do|was|were|is|are|has|have|had|could|ca|should|would|wo)n['’]t|cannot|neither|none|never"
    "|(?:insufficient|inadequate)(?: (?:evidence|data|information))?"
    "|unclear|uncertain(?:ty)?|unknown|unproven|inconclusive|unable"
    "|lack(?:s|ed|ing)?(?: of)?|absence of|fail(?:s|ed|ing|ure)? to|without"
)
_NO_DENIAL: Final = r"(?<!whether or )(?<!with or )(?<!with and )(?<!with/)(?<!and/or )"
_NEGATION: Final = re.compile(rf"(?i)\b{_NO_DENIAL}(?:{_CUES})\b")
_PLAIN: Final = (
    "nothing|nobody|nor|little|hardly|too (?:few|little|small|short)|limited|not enough|unlikely|missing|unsure"
    "|unchanged|same|similar(?:ly)?|equal(?:ly)?|alike|comparable"
)
"""What else denies in plain language; "the same" denies a difference."""
_DENIES: Final = re.compile(rf"(?i)\b{_NO_DENIAL}(?:{_CUES}|{_PLAIN})\b")
_TURN: Final = re.compile(r"\s(?:but|although|though|whereas|while|however)\s")
_JOINT: Final = re.compile(rf"[,;:]\s|\sand\s|{_TURN.pattern}")

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|e)$")
_STEM: Final = 5
_NEAR: Final = 400  # characters on either side of a cue; no clause is longer
_SHARED: Final = 2
"""Stems that two sentences about the same thing share. Measured over 411 Cochrane abstracts and their plain-language
summaries: 64% of the abstracts' negations have a partner in their own summary, 8% in another review's."""
_ECHO: Final = 0.8
"""Share of a clause's words that another clause repeats if it is the same clause, with or without its negation."""
_GENERAL_WORDS: Final = """
    about after also although analysis another any because been before being between both cannot clear clinical
    compared comparison conclusion confidence could data did difference differ does during each effect either evidence
    found from group groups have however important included interval into large less limited many more most neither
    never none only other outcome overall participants patients people possible quality reported results review should
    show significant similar some statistically statistical studies study significantly such than that their them then
    there these they this those through trial trials unclear uncertain used using very were when where whether which
    while will with within without would women
"""


@dataclass(frozen=True, slots=True)
class Negation:
    """A cue such as "did not" or "no evidence", and what it stands among."""

    text: str
    start: int
    topic: frozenset[str]
    """Stems of its sentence's content words."""
    clause: frozenset[str]
    """Stems of all other words of its clause."""


class Denials:
    """What the sentences of a text deny."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self._topics: set[frozenset[str]] = set()
        self._denying: set[frozenset[str]] = set()
        self._affirming: set[frozenset[str]] = set()
        for sentence in sentences:
            if _DENIES.search(sentence):
                self._topics.add(_topic(sentence))
            for clause in _clauses(sentence):
                (self._denying if _DENIES.search(clause) else self._affirming).add(_stems(clause))

    def keep(self, negation: Negation) -> bool:
        """Whether the text still denies what a sentence of its source does."""
        denied, affirmed = (_echo(negation.clause, clauses) for clauses in (self._denying, self._affirming))
        if affirmed >= _ECHO and affirmed > denied:
            return False
        wanted = min(_SHARED, len(negation.topic))
        return any(len(negation.topic & topic) >= wanted for topic in self._topics)


def negations(sentence: str) -> list[Negation]:
    """Finds what denies something in a sentence of a report; "with or without" and "not only" do not."""
    topic, cuts = _topic(sentence), _cuts(sentence)
    return [
        Negation(cue[0], cue.start(), topic, _around(sentence, cue.span(), cuts))
        for cue in _NEGATION.finditer(sentence)
    ]


def _around(sentence: str, cue: tuple[int, int], cuts: list[int]) -> frozenset[str]:
    """What stands in the clause of a cue, without the cue."""
    start, end = cue
    opens, closes = cuts[bisect_right(cuts, start) - 1], cuts[bisect_left(cuts, end)]
    before, after = sentence[max(opens, start - _NEAR) : start], sentence[end : min(closes, end + _NEAR)]
    return _stems(f"{before} {after}")


def _clauses(sentence: str) -> list[str]:
    return [sentence[start:end] for start, end in pairwise(_cuts(sentence))]


def _cuts(sentence: str) -> list[int]:
    """Where clauses begin, so that each denies one thing at most: at a "but", and at the last joint before a denial."""
    cuts = {0, len(sentence), *(turn.end() for turn in _TURN.finditer(sentence))}
    after = 0
    for cue in _DENIES.finditer(sentence):
        joints = [joint.end() for joint in _JOINT.finditer(sentence, after, cue.start())]
        cuts.update(joints[-1:])
        after = cue.end()
    return sorted(cuts)


def _echo(clause: frozenset[str], clauses: Iterable[frozenset[str]]) -> float:
    """The largest share of a clause's words that one other clause has; 0 for a clause of two words or less."""
    return max((len(clause & other) / len(clause) for other in clauses), default=0) if len(clause) > 2 else 0


def _stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _words(text))


def _words(text: str) -> list[str]:
    """The words of a text of four letters or more, without their inflection."""
    return [_ENDING.sub("", word) for word in _WORD.findall(text.casefold())]


_GENERAL: Final = frozenset(_words(_GENERAL_WORDS))


def _topic(sentence: str) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in _words(sentence) if word not in _GENERAL)
