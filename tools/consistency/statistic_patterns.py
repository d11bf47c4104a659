"""How papers print a test: a statistic with its degrees of freedom, and a p-value behind it or before it."""

from __future__ import annotations

import re

from tools.consistency.printed import NUMBER, UNSIGNED

STATISTICS = ("t", "F", "r", "Q", "z", "chi")
"""Names of the groups that hold a statistic; `F_inside`, `F_below`, `F_behind`, `F_words` hold degrees of freedom."""
_ONE = r"(?: \d{1,3} (?: ,\d{3} )+ (?!\d) | \d+ (?: \.\d+ )? )"
_TWO = rf"{_ONE} \s? [,;] \s? {_ONE}"
_SMALL = r"\d+ (?: \.\d+ )?"
_DF_WORD = r"(?: d\.?\s?f\.? | degrees? \s of \s freedom )"


def _statistic(name: str, letter: str, sign: str = NUMBER) -> str:
    """Pattern of a statistic: its degrees of freedom are in brackets, below the line, or behind."""
    two = name == "F"
    some, words = (_TWO, rf"{_ONE} \s? (?: , | and ) \s? {_ONE}") if two else (_ONE, _ONE)
    below = rf"{_SMALL} \s? , \s? {_SMALL}" if two else _SMALL
    named = (
        rf"| {_DF_WORD}_?1 \s? = \s? (?P<F_first> {_ONE} ) \s? [,;] \s? {_DF_WORD}_?2 \s? = \s? (?P<F_second> {_ONE} )"
    )
    pairs = rf"| [nN] \s? = \s? (?P<{name}_pairs> {_ONE} )"
    return rf"""
        {letter}
        (?: \s? [(\[] \s? (?: {_DF_WORD} \s? = \s? )? (?P<{name}_inside> {some} )
              (?: \s? [,;] \s? [nN] \s? = \s? \d[\d,]* )? \s? [)\]]                # t(38), χ²(1, N = 184)
          | _? \{{? (?P<{name}_below> {below} ) \}}? (?= \s{{0,2}} = )              # t38, F_{{2,57}}
        )?
        (?: [\s-] (?: value | score | statistic | ratio ) )?
        \s{{0,2}} (?: = | : | of | was ) \s?
        (?P<{name}> {sign} )
        (?: \s? [,;(]? \s? (?: (?: with | on | and | for ) \s )?
            (?: {_DF_WORD} \s? =? \s? (?P<{name}_behind> {some} )                  # df = 38
              | (?P<{name}_words> {words} ) \s {_DF_WORD}                          # 38 degrees of freedom
              {named if two else pairs}
            ) \)?
        )?
    """


_PEARSON = r"(?: [Pp]earson (?: ’s )? \s )? r"
_COCHRAN = r"(?: Cochran’s \s )? Q (?: [_ ]? [A-Za-z]{1,7} )?"
_CHI = r"""
    (?: χ | \\chi | \b [Cc]hi | \b X (?= \s? \^? \s? [2²] ) )
    [\s-]? (?: \^? \s? \{? [2²] \}? | square[d]? )?
"""
STATISTIC = rf"""
    (?: (?<! [\w'’/-] )
        (?: Δ? {_statistic("t", "t")}
          | Δ? {_statistic("F", "F", UNSIGNED)}
          | {_statistic("r", _PEARSON)}
          | {_statistic("Q", _COCHRAN)}
          | {_statistic("z", "[zZ]")}
        )
      | {_statistic("chi", _CHI)}
    )
"""
"""Verbose pattern of a statistic with its degrees of freedom."""
P_VALUE = (
    r"(?<![\w’'-])[pP](?:\s?[-–]?\s?[Vv]alues?)?(?:\s?\((?:two|one|2|1)[- ](?:tailed|sided)\))?\s?"
    r"(?P<relation>[=<>≤≥:]|was|of)\s?(?P<p>(?:[01]?\.\d+|\d(?:\.\d+)?(?=\s?x\s?10|[eE]-))"
    r"(?:\s?x\s?10\s?\^?\s?\{?\s?[-–]\s?\d+\}?|[eE]-\d+)?)"
)
"""Pattern of a p-value with its relation, verbose or not."""
_NOT_SIGNIFICANT = r"(?P<ns> (?<! [\w-] ) (?: n\.\s?s\. | ns | NS | not \s significant ) (?!\w) )"
_GAP = r"""
    (?P<gap> (?:
        (?! \. \s+ [A-Z] )                                                        # no further sentence,
        (?! (?<!\w) [pP] \s? [-=<>≤≥vV:] )                                        # p-value,
        (?! \b (?: and | but | while | whereas | or | versus | vs ) \b )          # clause
        (?! [FtQ] \s? [(\[] | χ )                                                 # or statistic,
        .                                                                         # but effect sizes and the like
    ){0,70}? )
"""
TEST = re.compile(rf"{STATISTIC} {_GAP} (?: {P_VALUE} | {_NOT_SIGNIFICANT} )", re.VERBOSE)
P_FIRST = re.compile(rf"[(\[] \s? {P_VALUE} \s? [,;:] \s? {STATISTIC} \s? [)\]]", re.VERBOSE)
"""`(p = .002, t(38) = 2.41)`"""


def degrees(match: re.Match[str], name: str) -> list[str]:
    """The degrees of freedom of the statistic of this name, as printed: one or two, none if they are not told."""
    told = next((match[f"{name}_{at}"] for at in ("inside", "below", "behind", "words") if match[f"{name}_{at}"]), "")
    if name != "F":
        return [told] if told else []
    both = re.fullmatch(rf"(?P<first> {_ONE} ) \s? (?: [,;] | and ) \s? (?P<second> {_ONE} )", told, re.VERBOSE)
    if both:
        return [both["first"], both["second"]]
    return [match["F_first"], match["F_second"]] if match["F_first"] else []
