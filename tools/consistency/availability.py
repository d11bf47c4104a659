"""Data or code that is said to be available, with no place."""

from __future__ import annotations

import re
from collections.abc import Iterator

from state.computed_findings import ComputedFinding
from tools.consistency.statements import Statement

_AVAILABLE = re.compile(
    r"(?:\b(?:(?:our|the|all|source|analysis|raw|study|processed|underlying|trained) )+(?:[a-z]+ ){0,2}?"
    r"|(?:^|(?<=[.:] )))"
    r"(?P<what>data(?:sets?)?|code|scripts?|software|models?|materials|source code)\b(?: [a-z-]+){0,6}? "
    r"(?:is|are|will be|have been|has been|was|were)(?: made| now| also| all| then)*(?: (?:publicly|freely|openly"
    r"|fully))*"
    r" (?:available|accessible|released|deposited|shared|open[- ]source[d]?)\b",
    re.IGNORECASE,
)
_MADE = (
    r"scans|measurements|recordings|transcripts|images|reads|sequences|records|data(?:sets?)?|data set|scripts?"
    r"|code|notebooks"
    r"|programs?|software|questionnaires?|stimuli|materials|corpus|workflows?|spreadsheets?|annotations|models?|videos|protocols?"
)
_PUBLIC = re.compile(
    rf"(?:^|(?<=[.:;] ))(?:(?:the|all|our|raw|both|its|these) ){{0,3}}(?:[a-z-]+ ){{0,3}}?(?:and (?:[a-z-]+ ){{1,2}}?)?"
    rf"(?P<what>{_MADE})"
    r"\b(?![^.;]{0,60}?\bnot\b)[^.;]{0,120}? (?:publicly|freely|openly|deposited)\b[^.;]{0,20}?\b(?:available"
    r"|accessible|accessed)\b"
    r"|(?:^|(?<=[.:] ))(?:the|all|our) (?:[a-z-]+ )?(?P<kept>[a-z]+s|data)\b[^.;]{0,60}? "
    r"deposited in an? (?:public|open|online)\b",
    re.IGNORECASE,
)
"""What a paper has made or measured, at the opening of a sentence, that everybody is said to have access to."""
_RELEASE = re.compile(
    r"\bwe (?:will |also |have )*(?:publicly |freely |openly )*(?:release|make|made|released|provide|share"
    r"|open-source)d? "
    r"(?:[a-z]+ ){0,4}?(?P<what>data(?:sets?)?|code|scripts?|software)\b[^.]{0,40}?(?:publicly |freely "
    r"|openly )(?:available|accessible)",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"https?:|www\.|doi|\b10\.\d{4}|github|gitlab|bitbucket|zenodo|figshare|dryad|osf\b|open science framework"
    r"|dataverse|kaggle"
    r"|hugging ?face|cran\b|pypi|bioconductor|mendeley|genbank|\bGEO\b|\bSRA\b|\bENA\b|\bPRIDE\b|\bPDB\b"
    r"|arrayexpress|accession"
    r"|GSE\d|PRJ[A-Z]+\d|(?<!\ba )(?<!\ban )(?<!public )(?<!online )(?<!open )repositor"
    r"|(?<!public )(?<!open )(?<!online )archive|supplement|appendix|additional file|supporting information"
    r"|extended data"
    r"|request"
    r"|corresponding author|\[\d|\(\d|registry|website|web site|webpage|footnote|library|portal|database"
    r"|server|\d\s*[.)]?$"
    r"|part of (?:the|this)|from the (?:authors?|publisher|institut)|upon|within|in (?:the )?(?:table|figure"
    r"|article|paper|manuscript|section)"
    r"|et al|(?:19|20)\d\d|not (?:publicly )?available|Tables?\b|Fig(?:s?\.|ures? S?\d)|[\w-]+\.(?:org|com|edu"
    r"|net|io|gov)\b|\d \.",
    re.IGNORECASE,
)

_REST = 25  # characters: with more behind it, the sentence tells how or for whom


def check_availability(statement: Statement, after: str, paper: str) -> Iterator[ComputedFinding]:
    """Sentences that say that data or code is available and have no place near them.

    Args:
        statement: Where they may stand.
        after: The statement behind it, which may be the place.
        paper: The whole text; a paper that tells one place of the same thing anywhere is left alone.
    """
    if statement.row:
        return
    for pattern in (_AVAILABLE, _RELEASE, _PUBLIC):
        for match in pattern.finditer(statement.text):
            start, end = statement.sentence_at(match.start())
            near = f"{statement.text[start:]} {after[:200]}"
            what = match["what"] or match.groupdict().get("kept") or ""
            told = re.search(
                rf"{what}[^.]{{0,200}}(?:https?:|github|zenodo|figshare|osf\.io|doi)", paper, re.IGNORECASE
            )
            if re.search(r"\bnot (?:all )?\W*$", statement.text[start : match.start()], re.IGNORECASE):
                continue
            whole = re.search(r"publicly|freely|openly|deposited in", match[0]) or end - match.end() < _REST
            if whole and not _PLACE.search(near) and not told:
                yield statement.finding(
                    "availability",
                    "medium",
                    (start, end),
                    computation=f"{what.lower()} said to be available; no address, archive, accession or "
                    f"contact near it",
                    consistent="the address, archive or accession, or how it can be asked for",
                )
