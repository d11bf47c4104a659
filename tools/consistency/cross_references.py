"""Figures, tables, sections and equations: what the text refers to, and what there is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from state.computed_findings import CheckKind, ComputedFinding
from state.documents import Document
from tools.consistency.statements import Statement, is_prose

Float = Literal["Figure", "Table"]
_WORDS: dict[Float, str] = {
    "Figure": r"(?:Figures?|FIGURES?|Figs?\.?|FIGS?\.?)",
    "Table": r"(?:Tables?|TABLES?|Tabs?\.)",
}
_LIST = (
    r"(?P<list>\d{1,2}[A-Za-z]?\b(?:\([a-z]\))?(?:\s?(?:,|–|-|&|,? and|,? or|to)\s?\d{1,2}(?![\d.%]"
    r"|\s?[%°])[A-Za-z]?\b)*)(?!\.\d|-\d)"
)
_NOT_OURS = re.compile(
    r"(?:supplement\w*|supp\.?|suppl\.?|appendix|appended|additional|extended(?: data)?|source data|online|SI|their"
    r"|original"
    r"|[’']s|et al\.?,?|\d{4}[a-z]?[,;:]|\]|ref\. \d+[,;:]?)\s*[(]?\s*$",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\s?[A-Za-z]?(?:\s?[,;(]?\s?(?:of|in|from)\s(?:the\s)?(?:ref|\[|[A-Z][\w’'-]+ (?:et al|and [A-Z]|\(?\d{4})"
    r"|original|previous"
    r"|supplement|appendix|their|SI\b)|\s?[–—-]\s?(?:figure )?supplement|\s?[SA]\d)",
    re.IGNORECASE,
)


def check_floats(document: Document, parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Figures and tables that the text refers to and that have no caption, and those that it never mentions."""
    for kind, word in _WORDS.items():
        captions = _captions(parts, word)
        if not captions:  # the format, or whoever took the text, gave none
            continue
        mentions = _mentions(parts, word, set(captions.values()))
        highest = max(captions.values())
        known = mentions.keys() & set(captions.values())
        if not mentions or (document["format"] in {"pdf", "text"} and len(known) < len(mentions) / 2):
            continue  # an excerpt, or most captions were not read
        for number, (part, place) in sorted(mentions.items()):
            if number > highest and set(range(1, highest + 1)) <= set(captions.values()):
                yield part.finding(
                    "figure or table",
                    "medium",
                    place,
                    computation=f"{kind} {number} is referred to; the captions are {kind} 1 to {highest}",
                    consistent=f"a number from 1 to {highest}, or the caption of {kind} {number}",
                )
        if document["format"] == "pdf" and len(mentions) < len(set(captions.values())) / 2:
            continue  # the text was read badly
        for at, number in sorted(captions.items(), key=lambda each: each[1]):
            if number not in mentions and list(captions.values()).count(number) == 1:
                yield _unmentioned(parts[at], kind, number)


def _unmentioned(part: Statement, kind: Float, number: int) -> ComputedFinding:
    return part.finding(
        "figure or table",
        "low",
        (0, min(len(part.text), 120)),
        computation=f"{kind} {number} has a caption, and no sentence refers to it",
        consistent=f"a sentence that refers to {kind} {number}",
    )


def _captions(parts: Sequence[Statement], word: str) -> dict[int, int]:
    """Which paragraphs are captions, and of which number."""
    opening = re.compile(rf"\s?{word}\s(?P<number>\d{{1,2}})(?:\s?[.:|]|\s[–—]\s|\s[A-Z(]|$)")
    found = {}
    for at, part in enumerate(parts):
        match = opening.match(part.text)
        if match and not part.row:
            found[at] = int(match["number"])
    return found


def _mentions(
    parts: Sequence[Statement], word: str, captioned: set[int]
) -> dict[int, tuple[Statement, tuple[int, int]]]:
    """The first place where each number is referred to."""
    pattern = re.compile(rf"(?<!\w){word}\s?(?:~|\()?{_LIST}")
    found: dict[int, tuple[Statement, tuple[int, int]]] = {}
    for part in parts:
        for match in pattern.finditer(part.text):
            own_caption = match.start() <= 1 and int(re.findall(r"\d+", match["list"])[0]) in captioned
            caption = own_caption and re.match(r"\s?[.:|]|\s[–—]\s|\s[A-Z(]|$", part.text[match.end() :])
            foreign = _NOT_OURS.search(part.text[max(0, match.start() - 30) : match.start()])
            if caption or foreign or _OF_OTHERS.match(part.text, match.end()):
                continue
            for number in _numbers(match["list"]):
                found.setdefault(number, (part, match.span()))
    return found


def _numbers(listed: str) -> set[int]:
    """`1, 3–5 and 7a` as whole numbers."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)[A-Za-z]?(?:\([a-z]\))?(?:\s?(?:–|-|to)\s?(\d+))?", listed):
        end = int(last or first)
        found |= set(range(int(first), end + 1)) if int(first) <= end < int(first) + 30 else {int(first)}
    return found


_UNRESOLVED = re.compile(
    r"(?P<word>Figures?|Figs?\.?|Tables?|Tab\.|Sections?|Secs?\.|Chapters?|Append(?:ix|ices)|Equations?|Eqs?\.|Theorems?"
    r"|Algorithms?|Lemmas?)\s?~?[(\[]?\?\?|\[\?\]",
    re.IGNORECASE,
)


def check_unresolved(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """`Figure ??` and `[?]`: what LaTeX prints for a label or a key that there is not."""
    for part in parts:
        for match in _UNRESOLVED.finditer(part.text):
            word = (match["word"] or "").lower()
            kind: CheckKind = "section"
            if word.startswith(("fig", "tab")):
                kind = "figure or table"
            elif word.startswith("eq"):
                kind = "equation"
            elif not word:
                kind = "citation"
            yield part.finding(
                kind,
                "medium",
                match.span(),
                computation="a reference to a label or key that the source does not define",
                consistent="the name of a label or key that exists",
            )


_SECTION = re.compile(
    r"(?:(?<![\w-])(?P<word>Sections?|Sect\.|Secs?\.)\s?"
    r"|(?P<sign>§§?)\s?)(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})(?![\d%]|\.\d)"
)
_NUMBERED = re.compile(r"#*\s*(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[A-Z]")
_LAW = re.compile(r"\s?\(?[a-z]?\)?\s?(?:of|in) (?:the )?(?:[A-Z]|ref|\[|law|act\b)|\s?\([a-z0-9]\)", re.IGNORECASE)


def check_sections(document: Document, parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Sections that the text refers to by a number that no heading has."""
    headings = {part.paragraph["section"] for part in parts} | set(document["text"].split("\n"))
    numbers = {match["number"] for heading in headings if (match := _NUMBERED.match(heading)) and len(heading) < 120}
    known = {".".join(number.split(".")[:depth]) for number in numbers for depth in range(1, 5)}
    deepest = max((number.count(".") for number in numbers), default=0)
    top = sorted(int(number) for number in known if number.isdigit())
    if len(top) < 3 or top != list(range(top[0], top[-1] + 1)):
        return
    for part in parts:
        for match in _SECTION.finditer(part.text):
            depth = match["number"].count(".")
            if match["number"] in known or depth > deepest or not is_prose(part) or _LAW.match(part.text, match.end()):
                continue
            yield part.finding(
                "section",
                "medium",
                match.span(),
                computation=f"no heading has the number {match['number']}; the last section is {top[-1]}",
                consistent="the number of a section that exists",
            )


_APPENDIX = re.compile(r"(?<![\w-])Appendix\s(?P<letter>[A-Z])\b(?!\.?\d*[-–:]?[a-z])")


def check_appendices(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Appendices that the text refers to, beyond the last of those that are headed so."""
    headings = {part.paragraph["section"] for part in parts}
    letters = {match["letter"] for heading in headings if (match := _APPENDIX.match(heading))}
    if not letters:
        return
    for part in parts:
        for match in _APPENDIX.finditer(part.text):
            if match["letter"] > max(letters) and not _OF_OTHERS.match(part.text, match.end()):
                yield part.finding(
                    "section",
                    "medium",
                    match.span(),
                    computation=f"{match[0]} is referred to; the last one is Appendix {max(letters)}",
                    consistent="the letter of an appendix that exists",
                )


_EQUATION = re.compile(
    r"(?<![\w-])(?:[Ee]quations?|[Ee]qs?\.?"
    r"|[Ff]ormulas?)\s?(?:~)?\(?(?P<list>\d{1,2}(?:\s?[–-]\s?\d{1,2})?)\)?(?![\d.%]*\d)"
)
_LABEL = re.compile(
    r"""
    \( (?P<number> \d{1,2} ) \) (?= \s*$ | \s+[A-Z,.] | \s+where\b )   # E = mc² (2)
    | (?: ^ | [=:;.,]\s? ) \( (?P<glued> \d{1,2} ) \)
    | \\tag \*? \{ (?P<tag> \d{1,2} ) \}                               # \tag{2}, as Markdown keeps it
    """,
    re.VERBOSE,
)


def check_equations(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Equations that the text refers to and that no formula is numbered with."""
    labels = {
        int(match["number"] or match["glued"] or match["tag"]) for part in parts for match in _LABEL.finditer(part.text)
    }
    highest = max((number for number in labels if set(range(1, number + 1)) <= labels), default=0)
    if highest < 2 or highest != max(labels):
        return
    for part in parts:
        for match in _EQUATION.finditer(part.text):
            foreign = _NOT_OURS.search(part.text[max(0, match.start() - 30) : match.start()])
            missing = [number for number in sorted(_numbers(match["list"])) if number > highest]
            if missing and not foreign and not _OF_OTHERS.match(part.text, match.end()):
                kind: CheckKind = "equation"
                yield part.finding(
                    kind,
                    "medium",
                    match.span(),
                    computation=f"equation {missing[0]} is referred to; the formulas are numbered 1 to {highest}",
                    consistent=f"a number from 1 to {highest}",
                )
