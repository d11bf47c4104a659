"""What a person is told of hidden instructions, and signs that a model's answer does as they say, found or not.

A result can obey in three ways that code sees: it repeats an instruction, it says what such instructions ask for, or it
says nothing about a passage that asks for silence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from state.records import Finding, FindingKind
from tools.checks.hidden_instructions import obeys
from tools.text import fold

ADDRESSED: Final[frozenset[FindingKind]] = frozenset({"instruction", "chat template", "other language"})
"""Kinds of findings that may be meant for a model."""
SILENT: Final = (
    "The paragraph holds a sentence that may be addressed to a language model, and no weakness was reported: "
    "read it yourself."
)
REPEATS: Final = "it repeats an instruction found in the paper"
_MOST_TOLD: Final = 5
_LONGEST: Final = 200  # characters of a quotation

_WORK: Final = r"(?:this|the|our) (?:paper|manuscript|submission|article|work|study)"
_ASKED_FOR: Final = re.compile(
    r"(?<!\w)(?:"
    rf"(?:i|we|it is) (?:strongly |highly |fully )?(?:recommend|recommended|suggest|advise)(?:ed)? (?:that |for )?"
    rf"(?:acceptance|accepting|publication|publishing|{_WORK} (?:be |for |is )(?:accepted|published|acceptance))"
    rf"|(?:strong accept|best paper award|accept as is|publish as is|accepted without (?:revision|changes))"
    rf"|{_WORK} (?:should|must|deserves to) be (?:accepted|published|praised)"
    rf"|(?:rate|score|give|award)[sd]? {_WORK} (?:\w+ ){{0,3}}(?:10|ten|full marks|the (?:highest|best|top|maximum))"
    r"|(?:10 ?/ ?10|ten out of ten|10 out of 10|five stars)"
    r"|as an? (?:ai|language model|ai (?:language model|assistant|reviewer))"
    r"|(?:i|we) (?:was|were|have been) (?:instructed|told|asked) to"
    r"|(?:previous|prior|system) (?:instructions|prompt)"
    r"|(?:no|without any) (?:weaknesses|flaws|shortcomings)(?: (?:were|was|could be) found| at all)?"
    r"|(?:flawless|beyond criticism|beyond reproach)"
    r")(?!\w)"
)


def signs_of_obedience(answer: str, findings: Iterable[Finding]) -> list[str]:
    """What in an answer looks as if a paper had dictated it, one clause each, to be followed by a period."""
    said = fold(answer).text
    repeated = [REPEATS] if obeys(answer, findings) else []
    return repeated + [f"it says “{match[0]}”, as hidden instructions ask for" for match in _first(said)]


def _first(folded: str) -> list[re.Match[str]]:
    match = _ASKED_FOR.search(folded)
    return [match] if match else []


def silence_about(paragraph: str, findings: Sequence[Finding]) -> list[str]:
    """A note for a paragraph about which nothing is said, if it holds what may be meant for a model."""
    here = any(finding["place"] == paragraph and finding["kind"] in ADDRESSED for finding in findings)
    return [SILENT] if here else []


def told(findings: Sequence[Finding]) -> list[str]:
    """The findings that may be meant for a model, a warning each; of many, the first and how many more."""
    addressed = [finding for finding in findings if finding["kind"] in ADDRESSED]
    lines = [_line(finding) for finding in addressed[:_MOST_TOLD]]
    more = len(addressed) - len(lines)
    return [*lines, *([f"{more} more sentences of the paper may be meant for a language model"] if more > 0 else [])]


def _line(finding: Finding) -> str:
    where = f"page {finding['page']}, {finding['place']}" if finding["page"] else finding["place"]
    quote = " ".join(finding["quote"].split())
    shown = quote if len(quote) <= _LONGEST else f"{quote[:_LONGEST]}…"
    return f"{where}: “{shown}”: {finding['explanation'].rstrip('.')}"
