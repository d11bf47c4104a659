"""What the two classifiers tell apart (SWIF2T, Section 4), and how the labels of other corpora map onto it."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, Literal, get_args

from state.feedback import Weakness

Task = Literal["purpose", "aspect"]

PURPOSES: Final = ("Recap", "Strength", "Weakness", "Todo", "Structure", "Other")
"""Communicative purposes of F1000RD (Kuznetsov et al. 2022)."""
ASPECTS: Final[tuple[str, ...]] = (*get_args(Weakness), "Summary", "Clarity", "Motivation")
"""Aspects of ASAP-Review; the five types of weakness come first."""

LABELS: Final[dict[Task, tuple[str, ...]]] = {"purpose": PURPOSES, "aspect": ASPECTS}

_OF_PEER_REVIEW_ANALYZE: Final = {
    "Empirical/Theoretical Soundness": "Empirical and Theoretical Soundness",
    "Meaningful Comparison": "Meaningful Comparison",
    "Substance": "Substance",
    "Originality/Novelty": "Originality",
    "Clarity (Writing & Composition)": "Clarity",
    "Presentation & Formatting": "Clarity",
    "Significance/Impact": "Motivation",  # ASAP-Review's is "Motivation/Impact"
}
_ABOUT_THE_PAPER: Final = {"Introduction", "Problem Definition/Idea", "Abstract"}
_DETAILS: Final = r"(?:implementation|experiment(?:al)?|training|architectur(?:e|al)|optimi[sz]ation)"
_REPLICABILITY: Final = re.compile(
    rf"""
      \b(?:reproducib|replicab|duplicab)
    | \b(?:be|easy|easily|hard|hardly|difficult|impossible|able|enough)\ (?:to\ )?(?:reproduced?|replicated?)\b
    | \b(?:releas|shar|publish|open-?sourc)\w*\ (?:\w+\ ){{0,3}}(?:code|implementation)\b
    | \bcode\ (?:\w+\ ){{0,3}}(?:available|released|public|online)\b
    | \b{_DETAILS}\ details?\b
    | \bdetails?\ (?:of|about|on|regarding)\ (?:the\ )?{_DETAILS}
    | \b(?:what|which|how)\b(?!.*sensi).{{0,60}}\b(?:learning\ rate|batch\ size|hyper-?\s?param\w*|initiali[sz]ed)\b.*\?
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Peer-Review-Analyze has no label for it: a rule of ours, written from its training papers, stands in for one."""

_OF_DISAPERE: Final = {
    "asp_substance": "Substance",
    "asp_clarity": "Clarity",
    "asp_soundness-correctness": "Empirical and Theoretical Soundness",
    "asp_originality": "Originality",
    "asp_motivation-impact": "Motivation",
    "asp_meaningful-comparison": "Meaningful Comparison",
    "asp_replicability": "Replicability",
}
_ACTIONS_OF_DISAPERE: Final = {
    "arg_request": "Todo",
    "arg_fact": "Other",
    "arg_social": "Other",
    "arg_other": "Other",
}


def aspect_of_peer_review_analyze(
    text: str, aspects: Collection[str], sections: Collection[tuple[str, str]]
) -> str | None:
    """The aspect of a sentence of Peer-Review-Analyze; None if it has none of the eight, or more than one.

    Args:
        text: The sentence.
        aspects: Its aspect labels.
        sections: Its section labels, each with a polarity.
    """
    if _REPLICABILITY.search(text):
        return "Replicability"
    if not aspects:
        return "Summary" if _retells(text, sections) else None
    mapped = {_OF_PEER_REVIEW_ANALYZE.get(aspect) for aspect in aspects}
    return mapped.pop() if len(mapped) == 1 else None


def aspect_of_disapere(aspect: str, fine_action: str) -> str | None:
    """The aspect of a sentence of DISAPERE; None if it has none of the eight."""
    if fine_action == "arg-structuring_summary":
        return "Summary"
    return _OF_DISAPERE.get(aspect)


def purpose_of_disapere(action: str, fine_action: str, polarity: str) -> str | None:
    """The purpose of a sentence of DISAPERE; None where its scheme leaves it open."""
    if action == "arg_structuring":
        return "Recap" if fine_action == "arg-structuring_summary" else "Structure"
    if action == "arg_evaluative":
        return {"pol_positive": "Strength", "pol_negative": "Weakness"}.get(polarity)
    return _ACTIONS_OF_DISAPERE.get(action)


def _retells(text: str, sections: Collection[tuple[str, str]]) -> bool:
    """Whether a sentence without an aspect says neutrally what the paper is about."""
    neutral = all(polarity == "NEU" for _, polarity in sections)
    return neutral and not text.rstrip().endswith("?") and any(name in _ABOUT_THE_PAPER for name, _ in sections)
