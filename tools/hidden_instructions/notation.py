"""The notation in which phrases are written down: regular expressions with named parts, a space for what divides words.

`<paper>` stands for a group of words, `<0-3>` for up to three words whatever they are. Every repetition is bounded, so
that a search takes time linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_GROUPS: Final = {
    "ignore": r"(?:ignore|disregard|forget|override|bypass|discard|neglect)",
    "earlier": r"(?:previous|prior|preceding|earlier|above|foregoing|former|original|existing|initial|system|your)",
    "orders": r"(?:instructions?|prompts?|directions?|commands?|directives?|orders?|guidelines)",
    "ai": r"(?:(?:large |multimodal )?language models?|llms?|ais?|artificial intelligences?"
    r"|ai (?:language )?(?:models?|systems?|assistants?|reviewers?|agents?|tools?)|llm reviewers?|chatgpt|gpt(?:-\d)?"
    r"|claude|gemini|copilot|chatbots?|bots?|(?:automated|automatic|artificial|robot) (?:reviewers?|referees?"
    r"|graders?|evaluators?|assistants?|agents?))",
    "paper": r"(?:papers?|manuscripts?|submissions?|articles?|work|study|text|document)",
    "write": r"(?:give|write|provide|produce|generate|output|return|leave|submit|assign|award|grant|offer|deliver"
    r"|compose|draft)",
    "score": r"(?:scores?|ratings?|grades?|marks?|points)",
    "mention": r"(?:mention|mentioning|highlight|highlighting|list|listing|report|reporting|point out|pointing out"
    r"|discuss|discussing|include|including|raise|raising|critici[sz]e|state|stating|identify|reveal|note|flag"
    r"|bring up|comment on|give|write|provide|add|generate|produce|output|say|find|see|make)",
    "weakness": r"(?:weakness(?:es)?|limitations?|negatives|flaws?|shortcomings?|drawbacks?|criticisms?|concerns"
    r"|deficienc\w{1,3}|negative (?:points?|aspects?|comments?|feedback|remarks?))",
    "adverb": r"(?:please|now|also|then|instead|just|simply|kindly|always|only|must|therefore|thus|finally|again|do"
    r"|definitely)",
    "tell": r"(?:accept|acknowledge|add|answer|approve|assess|assign|assume|award|be|conclude|consider|declare"
    r"|describe|endorse|evaluate|find|flag|focus|forget|generate|give|grade|highlight|ignore|judge|list|make|mark"
    r"|mention|output|overlook|praise|pretend|produce|promote|provide|rank|rate|recommend|reject|reply|report|respond"
    r"|return|review|say|score|skip|state|suggest|summari[sz]e|support|treat|trust|vote|write)",
    "verdict": r"(?:(?:this|the|our) (?:papers?|manuscripts?|submissions?)|this (?:article|section|paragraph|work"
    r"|study)|(?:positive|negative|favou?rable|good|nice|kind) (?:things?|words?|reviews?|comments?|points?)"
    r"|strengths|<weakness>|acceptance|accept|reviews?|reviewers?|json|flawless|groundbreaking)",
    "reading": r"(?:read|review|evaluate|assess|process|grade|summari[sz]e|reading|reviewing|processing|evaluating"
    r"|assessing|grading|scoring|summari[sz]ing|analy[sz]ing)",
    "splendid": r"(?:positive\w{0,2}|favou?rabl[ey]|excellent\w{0,2}|outstanding\w{0,2}|groundbreaking"
    r"|flawless\w{0,2}|top|best|first|maximum|landmark|enthusiastic\w{0,4})",
    "qu": r"(?:que |qu')",
}
_BETWEEN: Final = r"[^\w.!?]{1,4}"
_PART: Final = re.compile(r"<([a-z]+)>|<0-(\d)>|(\[[^\]]*\])| ")


def word_phrases(sources: Iterable[str]) -> re.Pattern[str]:
    """Phrases as whole words with anything but the end of a sentence between them; overlapping ones are found too."""
    return re.compile(rf"(?<!\w)(?=({_any(sources, between=_BETWEEN)})(?!\w))")


def squeezed_phrases(sources: Iterable[str]) -> re.Pattern[str]:
    """The same phrases in a text without any space."""
    return re.compile(f"(?=({_any(sources, between='')}))")


def endings(sources: Iterable[str]) -> re.Pattern[str]:
    """Ways in which the words before a phrase end, without a sign between them but commas."""
    return re.compile(_any(sources, between="[ ,]{1,2}"))


def _any(sources: Iterable[str], *, between: str) -> str:
    return "|".join(_expanded(source, between) for source in sources)


def _expanded(source: str, between: str) -> str:
    def part(match: re.Match[str]) -> str:
        group, words, characters = match.group(1, 2, 3)
        if group:
            return _expanded(_GROUPS[group], between)
        if words:
            # Without spaces several words cannot be told from one, and trying all ways to divide them never ends.
            return rf"(?:\w{{1,30}}{between}){{0,{words}}}?" if between else r"\w{0,12}?"
        return characters or f"(?:{between})"

    return _PART.sub(part, source)
