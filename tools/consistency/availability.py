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
    r"|archive|supplement|appendix|additional file|supporting information|extended data"
    r"|request"
    r"|corresponding author|\[\d|\(\d|registry|website|web site|webpage|footnote|licen[cs]e|library|portal|database"
    r"|server|\d\s*[.)]?$"
    r"|part of (?:the|this)|from the (?:authors?|publisher|institut)|upon|within|in (?:the )?(?:table|figure"
    r"|article|paper|manuscript|section)"
    r"|et al|(?:19|20)\d\d|not (?:publicly )?available|Tables?\b|Fig|[\w-]+\.(?:org|com|edu|net|io|gov)\b|\d \.",
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
    for pattern in (_AVAILABLE, _RELEASE):
        for match in pattern.finditer(statement.text):
            start, end = statement.sentence_at(match.start())
            near = f"{statement.text[start:]} {after[:200]}"
            told = re.search(
                rf"{match['what']}[^.]{{0,200}}(?:https?:|github|zenodo|figshare|osf\.io|doi)", paper, re.IGNORECASE
            )
            if re.search(r"\bnot (?:all )?\W*$", statement.text[start : match.start()], re.IGNORECASE):
                continue
            whole = re.search(r"publicly|freely|openly", match[0]) or end - match.end() < _REST
            if whole and not _PLACE.search(near) and not told:
                yield statement.finding(
                    "availability",
                    "medium",
                    (start, end),
                    computation=f"{match['what'].lower()} said to be available; no address, archive, accession or "
                    f"contact near it",
                    consistent="the address, archive or accession, or how it can be asked for",
                )
