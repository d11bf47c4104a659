"""The content guard: what a plain-language text has lost of the medical abstract that it was made from.

It is the faithfulness guard (`tools.checks.fidelity`) read the other way round: for what must not be lost instead of
what must not be invented. The law, in short:

* An amount is kept by the same value in words or digits, in any unit that converts, or by a fair rounding of it.
* A confidence interval is one detail, kept by its two bounds in one sentence; an effect size ("OR 4.60", "P = 0.03")
  by its number. Signs are not compared: "MD -5" may become "5 lower".
* A negation is kept by a sentence that denies something about the same thing: it shares stems of content words. It is
  lost if there is none, or if a clause that denies nothing repeats it more closely ("did not reduce" became "reduced").
* A name is kept in any case, number, hyphenation or spelling, as its acronym or what that stands for, as its adjective,
  or in plain words ("heart attack").

Nothing is left out as unimportant: what may be dropped is for the reader of the list to say.
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
from tools.checks.fidelity import Name, NameIndex, build_mention_key, find_acronym_definitions, is_fact, parse_details
from tools.checks.medical_terms import find_medical_names, list_name_forms, normalize_spelling
from tools.checks.quantities import Amount, AmountIndex

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
_PLAIN_DENIALS: Final = (
    "nothing|nobody|nor|little|hardly|too (?:few|little|small|short)|limited|not enough|unlikely|missing|unsure"
    "|unchanged|same|similar(?:ly)?|equal(?:ly)?|alike|comparable"
)
"""What else denies in plain language; "the same" denies a difference."""
_DENIAL: Final = re.compile(rf"(?i)\b{_NO_DENIAL}(?:{_CUES}|{_PLAIN_DENIALS})\b")
_CONTRAST: Final = re.compile(r"\s(?:but|although|though|whereas|while|however)\s")
_CLAUSE_JOINT: Final = re.compile(rf"[,;:]\s|\sand\s|{_CONTRAST.pattern}")

_WORD: Final = re.compile(r"[^\W\d_]{4,}")
_ENDING: Final = re.compile(r"(?:ing|ed|es|s|e)$")
_STEM_LETTERS: Final = 5
_MAX_CLAUSE_CHARACTERS: Final = 400  # characters on either side of a cue; no clause is longer
_MIN_SHARED_STEMS: Final = 2
"""Stems that two sentences about the same thing share. Measured over 411 Cochrane abstracts and their plain-language
summaries: 64% of the abstracts' negations have a partner in their own summary, 8% in another review's."""
_MIN_CLAUSE_OVERLAP: Final = 0.8
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


class DenialIndex:
    """What the sentences of a text deny."""

    def __init__(self, sentences: Iterable[str]) -> None:
        self._topics: set[frozenset[str]] = set()
        self._denying: set[frozenset[str]] = set()
        self._affirming: set[frozenset[str]] = set()
        for sentence in sentences:
            if _DENIAL.search(sentence):
                self._topics.add(_collect_topic_stems(sentence))
            for start, end in pairwise(_list_clause_bounds(sentence)):
                clause = sentence[start:end]
                (self._denying if _DENIAL.search(clause) else self._affirming).add(_collect_stems(clause))

    def has_negation(self, negation: Negation) -> bool:
        """Whether the text still denies what a sentence of its source does."""
        denied, affirmed = (
            _compute_clause_overlap(negation.clause, clauses) for clauses in (self._denying, self._affirming)
        )
        if affirmed >= _MIN_CLAUSE_OVERLAP and affirmed > denied:
            return False
        wanted = min(_MIN_SHARED_STEMS, len(negation.topic))
        return any(len(negation.topic & topic) >= wanted for topic in self._topics)


def find_negations(sentence: str) -> list[Negation]:
    """Finds what denies something in a sentence of a report; "with or without" and "not only" do not."""
    topic, cuts = _collect_topic_stems(sentence), _list_clause_bounds(sentence)
    found: list[Negation] = []
    for cue in _NEGATION.finditer(sentence):
        start, end = cue.span()
        opens, closes = cuts[bisect_right(cuts, start) - 1], cuts[bisect_left(cuts, end)]
        before, after = (
            sentence[max(opens, start - _MAX_CLAUSE_CHARACTERS) : start],
            sentence[end : min(closes, end + _MAX_CLAUSE_CHARACTERS)],
        )
        found.append(Negation(cue[0], start, topic, _collect_stems(f"{before} {after}")))
    return found


def _list_clause_bounds(sentence: str) -> list[int]:
    """Where clauses begin, so that each denies one thing at most: at a "but", and at the last joint before a denial."""
    cuts = {0, len(sentence), *(turn.end() for turn in _CONTRAST.finditer(sentence))}
    after = 0
    for cue in _DENIAL.finditer(sentence):
        joints = [joint.end() for joint in _CLAUSE_JOINT.finditer(sentence, after, cue.start())]
        cuts.update(joints[-1:])
        after = cue.end()
    return sorted(cuts)


def _compute_clause_overlap(clause: frozenset[str], clauses: Iterable[frozenset[str]]) -> float:
    """The largest share of a clause's words that one other clause has; 0 for a clause of two words or less."""
    return max((len(clause & other) / len(clause) for other in clauses), default=0) if len(clause) > 2 else 0


def _collect_stems(text: str) -> frozenset[str]:
    return frozenset(word[:_STEM_LETTERS] for word in _list_uninflected_words(text))


def _list_uninflected_words(text: str) -> list[str]:
    """The words of a text of four letters or more, without their inflection."""
    return [_ENDING.sub("", word) for word in _WORD.findall(text.casefold())]


_UNINFLECTED_GENERAL_WORDS: Final = frozenset(_list_uninflected_words(_GENERAL_WORDS))


def _collect_topic_stems(sentence: str) -> frozenset[str]:
    return frozenset(
        word[:_STEM_LETTERS] for word in _list_uninflected_words(sentence) if word not in _UNINFLECTED_GENERAL_WORDS
    )


@dataclass(frozen=True, slots=True)
class StatedEstimate:
    """An effect size with its value, or an interval with its two bounds."""

    kind: Literal["effect size", "interval"]
    text: str
    start: int
    end: int
    amounts: tuple[Amount, ...]


_Detail = Amount | StatedEstimate | Negation | Name


@dataclass(frozen=True, slots=True)
class _SourceContent:
    """The checked content of a source: each detail with its sentence, and the acronyms that the source defines."""

    details: list[tuple[_Detail, str]]
    acronyms: list[tuple[str, str]]


def find_lost_details(source: str, text: str) -> list[LostDetail]:
    """Lists the checked content of a source that a text made from it has lost or changed.

    Args:
        source: A medical abstract.
        text: A version of it in plain language.

    Returns:
        Numbers, intervals, effect sizes, negations and names, each once, in the order of the source.
    """
    content = _parse_source_content(source)
    rendering = _SimplifiedText(text, content.acronyms)
    lost: dict[Hashable, LostDetail] = {}
    for detail, sentence in content.details:
        if not rendering.has_detail(detail):
            lost.setdefault(
                _build_detail_key(detail, sentence),
                LostDetail(kind=_classify_detail(detail), text=detail.text, sentence=sentence),
            )
    return list(lost.values())


@lru_cache(maxsize=4)  # every version of a run is checked against the same abstract
def _parse_source_content(source: str) -> _SourceContent:
    found = parse_details(source)
    details: list[tuple[_Detail, str]] = []
    for one in found:
        estimated, medical = find_estimates(one.sentence, one.amounts), find_medical_names(one.sentence)
        inside = {position for estimate in estimated for position in range(estimate.start, estimate.end)}
        taken = inside | {position for name in medical for position in range(name.start, name.end)}
        stated: list[_Detail] = [*estimated, *find_negations(one.sentence), *medical]
        stated += [amount for amount in one.amounts if is_fact(amount) and amount.start not in inside]
        stated += [name for name in one.names if name.start not in taken and name.text not in STATISTICS]
        details += [(detail, one.sentence) for detail in sorted(stated, key=lambda detail: detail.start)]
    return _SourceContent(details, [pair for pair in find_acronym_definitions(found) if not pair[0].islower()])


class _SimplifiedText:
    """A text made from a source, arranged so that details of the source can be looked up in it."""

    def __init__(self, text: str, acronyms: list[tuple[str, str]]) -> None:
        found = parse_details(text)
        sentences = [one.sentence for one in found]
        alike = [normalize_spelling(sentence) for sentence in sentences]  # beside them, so that each spelling is found
        self._acronyms = acronyms
        self._amounts = AmountIndex((one.sentence, one.amounts) for one in found)
        self._by_sentence = [AmountIndex([("", one.amounts)]) for one in found if one.amounts]
        self._names = NameIndex([*sentences, *alike], (name for one in found for name in one.names))
        self._denials = DenialIndex(sentences)

    def has_detail(self, detail: _Detail) -> bool:
        """Whether the text still has a detail of its source."""
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


def _classify_detail(detail: _Detail) -> LostKind:
    match detail:
        case Amount():
            return "name" if detail.kind == "entity" else detail.kind  # no amount is one, but a fact can be
        case StatedEstimate():
            return detail.kind
        case Negation():
            return "negation"
        case Name():
            return "name"


def _build_detail_key(detail: _Detail, sentence: str) -> Hashable:
    """What is equal for two mentions of one detail; what one sentence denies twice is two details."""
    match detail:
        case StatedEstimate():
            return (detail.kind, *map(build_mention_key, detail.amounts))
        case Negation():
            return (sentence, detail.start)
        case Amount() | Name():
            return build_mention_key(detail)


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
_MAX_LABEL_CHARACTERS: Final = 90  # characters before the value
# "95% CI", "95% confidence interval (CI)"; the small l is what some databases make of the capital I
_INTERVAL: Final = re.compile(
    r"(?:(?<![\d.])\d{2}(?:\.\d)?\s?%\s?)?(?<![^\W\d_])"
    r"(?:(?i:(?:confidence|credible) (?:interval|limit)s?)(?:\s?\(\s?C[Ilr]I?s?\s?\))?|C[Il]s?|CrIs?)(?![\w])"
)
_BOUND_SEPARATOR: Final = re.compile(rf"(?:\s?[^\W\d_][^\s\d]{{0,11}}){{0,2}}\s?(?:to|and|[-−–,;:])\s?{_SIGN}")
_BEFORE_BOUND: Final = re.compile(_LINK)


def find_estimates(sentence: str, amounts: Sequence[Amount]) -> list[StatedEstimate]:
    """Finds the estimates among the amounts of a sentence, in order.

    An interval needs both its bounds; its level of confidence belongs to it.
    """
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
