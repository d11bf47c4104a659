"""Finds the two parts of a paper that matter here: its abstract and its reference list."""

from __future__ import annotations

import re

_LATEST_START = 400  # lines; an abstract stands on one of the first pages
_SHORTEST = 10  # words; an end before that is a heading inside the abstract
LONGEST_ABSTRACT = 800  # words


def _word(word: str) -> str:
    """Pattern of a heading as it is written or spaced out: Abstract, ABSTRACT, A BSTRACT, a b s t r a c t."""
    return rf"(?:{word.capitalize()}|{' ?'.join(word.upper())}|{' '.join(word)})"


_OPEN, _CLOSE, _NUMBER = r"#*\s*[*_]{0,3}", r"[\s*_:#]*", r"(?:(?:\d+|[IVX]+)[.:]?\s*)?"
ABSTRACT = re.compile(
    rf"(?P<level>#*)\s*[*_]{{0,3}}{_word('abstract')}"
    rf"(?:{_CLOSE}$|[*_]{{0,3}}\s*(?:[:.\u2013\u2014]|-(?=\s|[A-Z]))[*_\s]*(?P<text>.*))"
)
END = re.compile(
    rf"{_OPEN}(?:{_NUMBER}{_word('introduction')}{_CLOSE}$"
    r"|(?:1|I)\.?\s+[A-Z][^.]{2,60}$"
    r"|(?:Key ?-?[Ww]ords?|KEY ?WORDS)\b"
    r"|(?i:index terms|ccs concepts|categories and subject descriptors|acm reference format|author summary"
    r"|plain language summary|significance statement|abbreviations|jel classification)\s*(?:[:.\u2013\u2014*_-]|$))"
)
REFERENCES = re.compile(
    rf"{_OPEN}{_NUMBER}(?:{_word('references')}|{_word('bibliography')}"
    rf"|(?i:literature cited|works cited|reference list))(?i: and notes)?{_CLOSE}$"
)
APPENDIX = re.compile(
    r"(?:#|(?:[A-Z]\.?\s+)?(?i:appendix|appendices|supplementary (?:material|information))\b.{0,60}$)"
)
_YEAR = re.compile(r"\b(?:19|20)\d\d[a-z]?\b")
HEADING = re.compile(
    r"(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+|[IVX]+\.)\s+[A-Z].{0,70}(?<![.,;])"
    r"|Abstract|Introduction|Related Work|Methods|Results|Discussion|Conclusions?|Limitations|Acknowledge?ments",
)


def opens_abstract(line: str) -> bool:
    """Whether a line is the heading of the abstract or starts with it."""
    return ABSTRACT.match(line.strip()) is not None


def find_abstract(lines: list[str]) -> list[str] | None:
    """Lines of the abstract without its heading; None if there is no heading or no plausible end."""
    for at, line in enumerate(lines[:_LATEST_START]):
        if heading := ABSTRACT.match(line.strip()):
            first = [heading["text"]] if heading["text"] else []
            return _until_end(first + lines[at + 1 :], level=len(heading["level"]))
    return None


def cut_references(lines: list[str]) -> list[str]:
    """Lines without the last reference list; an appendix behind it stays."""
    starts = [at for at, line in enumerate(lines) if at > 0 and REFERENCES.match(line.strip())]
    if not starts or len(_YEAR.findall(" ".join(lines[starts[-1] : starts[-1] + 60]))) < 3:
        return lines  # no heading, or what follows it is no list
    start = starts[-1]
    end = next((at for at in range(start + 1, len(lines)) if APPENDIX.match(lines[at].strip())), len(lines))
    return lines[:start] + lines[end:]


def _until_end(lines: list[str], level: int) -> list[str] | None:
    """Lines up to the first section, the keywords, or a Markdown heading of the abstract's level or above."""
    words = 0
    for at, line in enumerate(lines):
        outer = re.match(rf"#{{1,{level}}}\s", line) if level else None
        if (words and outer) or (words >= _SHORTEST and END.match(line.strip())):
            return lines[:at]
        words += len(line.split())
        if words > LONGEST_ABSTRACT:
            return None
    return lines if words else None
