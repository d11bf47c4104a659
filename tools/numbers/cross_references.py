"""What the paper refers to in itself and what there is: figures, tables, theorems and sections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import CheckKind, ComputedFinding
from state.documents import Document, DocumentFormat
from tools.numbers.statements import Statement, is_prose

_WORDS = {
    "Figure": r"Figures?|FIGURES?|Figs?\.?|FIGS?\.?",
    "Table": r"Tables?|TABLES?|Tabs?\.",
    "Scheme": "Schemes?",
    "Box": "Box(?:es)?",
    "Algorithm": r"Algorithms?|Algs?\.",
    "Listing": "Listings?",
    "Theorem": "Theorems?",
    "Lemma": "Lemmas?|Lemmata",
    "Proposition": "Propositions?",
    "Corollary": "Corollary|Corollaries",
    "Appendix": "Appendix|Appendices|APPENDIX",
}
"""What has a name of a word and a number or letter, and stands in the paper under it."""
_FLOATS = {"Figure", "Table", "Scheme", "Box", "Algorithm", "Listing"}
_NUMBERS_OF = {
    **dict.fromkeys(_WORDS, r"(?:S|[A-H]\.?)?\d{1,2}|[IVX]{1,4}(?![\w’'])"),
    "Appendix": r"[A-Z](?![\w.]|[-–:]\w|\s?[A-Z]\.)|[A-Z](?=\.(?!\d))|\d{1,2}",
}
_PREFIX = (
    r"(?:(?P<prefix>supplement\w*|supp(?:l|ort\w*)?\.?|additional|extended(?: data)?|source data|online|SI|appendix"
    r"|[Ww]eb)\s[(]?)?"
)
_AFTER_NUMBER = r"(?:[A-Za-z]{1,2}\b)?(?:\s?\([a-z]\))?"
_BETWEEN = r"\s?(?:,? and|,? or|,|–|-|&|to|through|[Pp]anels? [A-Za-z])\s?"
_NO_MEASURE = r"(?!\d|\.\d|-\d|\s?[%°])"
_NOT_OURS = re.compile(
    r"(?:their|his|her|appended|original|[’']s|et al\.?,?|\d{4}[a-z]?[,;:]|\]|ref\. \d+[,;:]?)\s*[(]?\s*$",
    re.IGNORECASE,
)
_OF_OTHERS = re.compile(
    r"\s?[A-Za-z]?(?:\s?[,;(]?\s?(?:of|in|from)\s(?:the\s)?(?:ref|\[|[A-Z][\w’'-]+ (?:et al|and [A-Z]|\(?\d{4})"
    r"|original|previous"
    r"|supplement|appendix|online|their|SI\b)|\s?[–—-]\s?(?:figure )?supplement|\s?[SA]\d)",
    re.IGNORECASE,
)
WITHOUT_MARKS: set[DocumentFormat] = {"pdf", "text"}
"""Formats that do not say what is a caption or a reference, so that one may have been lost."""
_ROMAN = dict(
    zip(["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"], range(1, 13), strict=True)
)
_SERIES = "ABCDEFGHS."
_WHOLE_PAPER = 3  # sections; what has fewer may be an excerpt


class NumberedName(NamedTuple):
    """`Table 3`, `Table S3`, `Table III` and `Appendix C`: the third of a series of its own each."""

    kind: str
    series: str
    number: int

    def __str__(self) -> str:
        number = str(self.number)
        if self.series == "roman":
            number = list(_ROMAN)[self.number - 1]
        elif self.series == "letter":
            number = chr(ord("A") + self.number - 1)
        elif self.series.istitle() and len(self.series) > 2:
            return f"{self.series} {self.kind} {number}"
        else:
            number = self.series + number
        return f"{self.kind} {number}"


class Mention(NamedTuple):
    """Where the text refers to something by its name."""

    name: NumberedName
    part: Statement
    place: tuple[int, int]
    sure: bool
    """Whether the number is that of the name: not so the `12` of `in Table 1, 12 of them`."""


Placed = dict[NumberedName, Statement | None]
"""What there is, and where; a heading or the text of a picture is no statement."""


def check_names(document: Document, parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Figures, tables, theorems, appendices that the text refers to and that are not there, or never referred to."""
    headings = _headings(document, parts)
    pictures = [each["text"] for each in document["hidden"] if each["reason"] == "alternative text"]
    placed = {kind: _placed(kind, parts, [*headings, *pictures]) for kind in _WORDS}
    mentions = {kind: list(_mentions(kind, parts, placed[kind])) for kind in _WORDS}
    for kind, names in placed.items():
        known = {each.name for each in mentions[kind]} & names.keys()
        lost = document["format"] in WITHOUT_MARKS
        if names and not (lost and len(known) < len({each.name for each in mentions[kind]}) / 2):
            yield from _missing(names, mentions[kind], lost=lost)
            yield from _unmentioned(document, names, mentions[kind]) if kind in {"Figure", "Table"} else ()


def _headings(document: Document, parts: Sequence[Statement]) -> set[str]:
    """Headings without the marks of Markdown."""
    lines = {line for line in document["text"].split("\n") if document["format"] in WITHOUT_MARKS or line[:1] in "#*"}
    named = {*lines, document["title"], *(part.paragraph["section"] for part in parts)}
    return {line.strip("#* ") for line in named if len(line) < _LONGEST_HEADING}


def _name(kind: str, prefix: str | None, number: str) -> NumberedName:
    """The name that a number has in its series."""
    if number in _ROMAN and kind != "Appendix":
        return NumberedName(kind, "roman", _ROMAN[number])
    if number.isalpha():
        return NumberedName(kind, "letter", ord(number) - ord("A") + 1)
    digits = number.lstrip(_SERIES)
    series = number.removesuffix(digits)
    if prefix and series != "S":
        series = "Supplementary" if prefix.lower().startswith("sup") else prefix.title()
    return NumberedName(kind, series, int(digits))


def _placed(kind: str, parts: Sequence[Statement], others: Iterable[str]) -> Placed:
    """Names that open a caption, a heading or the text of a picture."""
    opening = re.compile(
        rf"\s*(?i:{_PREFIX})(?:{_WORDS[kind]})\s(?P<number>{_NUMBERS_OF[kind]})(?!\d|\.\d)"
        r"(?:\s?[.:|]|\s[–—-]\s|\s[A-Z(]|\s*$)"
    )
    found: Placed = {}
    for text in others:
        if match := opening.match(text):
            found[_name(kind, match["prefix"], match["number"])] = None
    told: Counter[NumberedName] = Counter()
    for part in parts:
        match = opening.match(part.paragraph["text"].translate({ord("*"): " "}))
        if match and not (part.row and found.get(_name(kind, match["prefix"], match["number"]))):
            name = _name(kind, match["prefix"], match["number"])
            told[name] += 1
            found[name] = part if told[name] == 1 else None
    return found


def _mentions(kind: str, parts: Sequence[Statement], placed: Placed) -> Iterator[Mention]:
    """Every place where something is referred to by its name, but in its own caption; columns may be run together."""
    number = rf"(?:{_NUMBERS_OF[kind]}){_AFTER_NUMBER}{_NO_MEASURE}"
    pattern = re.compile(
        rf"(?<!\w)(?<![^a-z]-)(?i:{_PREFIX})(?P<word>{_WORDS[kind]})\s?(?:~|\()?(?P<list>{number}(?:{_BETWEEN}{number})*)"
    )
    for part in parts:
        for match in pattern.finditer(part.text):
            foreign = _NOT_OURS.search(part.text[max(0, match.start() - 30) : match.start()])
            if foreign or _OF_OTHERS.match(part.text, match.end()):
                continue
            listed = list(_listed(match["list"], _NUMBERS_OF[kind]))
            several = match["word"].rstrip(".").endswith("s") or match["word"] in {"Appendices", "Lemmata"}
            for at, written in enumerate(listed):
                name = _name(kind, match["prefix"], written)
                at_start = match.start() <= 1 and at == 0 and name in placed
                if at_start and re.match(r"\s?[.:|]|\s[–—]\s|\s[A-Z(]|$", part.text[match.end() :]):
                    break  # its own caption
                yield Mention(name, part, match.span(), sure=at == 0 or several)


def _listed(text: str, number: str) -> Iterator[str]:
    """`1, 3–5 and 7a` as numbers, without the letters of panels."""
    for match in re.finditer(rf"({number})(?:\s?\(?[A-Za-z]\b\)?)?(?:\s?(?:–|-|to|through)\s?({number}))?", text):
        first, last = match.groups()
        yield first
        if last and first.isdigit() and last.isdigit() and int(first) < int(last) < int(first) + 30:
            yield from (str(each) for each in range(int(first) + 1, int(last) + 1))
        elif last:
            yield last


def _missing(placed: Placed, mentions: Sequence[Mention], *, lost: bool) -> Iterator[ComputedFinding]:
    """Names that are referred to and are beyond the last of their series, or the only ones that it lacks."""
    seen: set[NumberedName] = set()
    for mention in sorted(mentions, key=lambda each: each.name):
        name = mention.name
        numbers = {each.number for each in placed if each.series == name.series}
        if not mention.sure or name in seen or name.number in numbers or not numbers:
            continue
        seen.add(name)
        gap = not lost and name.number < max(numbers) and len(numbers) > 1
        if {*range(1, max(numbers) + 1)} <= numbers | ({name.number} if gap else set()):
            first, last = name._replace(number=min(numbers)), name._replace(number=max(numbers))
            there = (
                f"the captions are {first} to {str(last).split()[-1]}"
                if name.kind in _FLOATS
                else f"the last is {last}"
            )
            yield mention.part.finding(
                "section" if name.kind == "Appendix" else "figure or table",
                "medium",
                mention.place,
                computation=f"{name} is referred to; {there}{f' without {name}' if gap else ''}",
                consistent=f"the name of one that exists, or {name} itself",
            )


def _unmentioned(document: Document, placed: Placed, mentions: Sequence[Mention]) -> Iterator[ComputedFinding]:
    """Captions that no sentence refers to, where sentences refer to others."""
    told = {each.name for each in mentions}
    if not told & placed.keys() or (document["format"] == "pdf" and len(told) < len(placed) / 2):
        return  # an excerpt, or a text that was read badly
    for name, part in sorted(placed.items(), key=lambda each: each[0]):
        if part and not name.series and name not in told:
            yield part.finding(
                "figure or table",
                "low",
                (0, min(len(part.text), 120)),
                computation=f"{name} has a caption, and no sentence refers to it",
                consistent=f"a sentence that refers to {name}",
            )


_UNRESOLVED = re.compile(
    r"(?:(?P<word>Figures?|Figs?\.?|Tables?|Tab\.|Sections?|Secs?\.|Chapters?|Append(?:ix|ices)|Theorems?"
    r"|Algorithms?|Lemmas?)\s?~?)?[(\[]?\?\?(?: \((?P<key>[^()\s]+)\))?|\[\?\]",
    re.IGNORECASE,
)


def check_unresolved(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """`Figure ??` and `[?]`: what LaTeX prints for a label or a key that there is not."""
    for part in parts:
        for match in _UNRESOLVED.finditer(part.text):
            if not match["word"] and not match["key"] and match[0] != "[?]":
                continue
            word = (match["word"] or match["key"] or "").lower()
            kind: CheckKind = "section"
            if word.startswith(("fig", "tab")):
                kind = "figure or table"
            elif not word:
                kind = "citation"
            yield part.finding(
                kind,
                "medium",
                match.span(),
                computation=f"a reference to a label or key that the source does not define: {match['key'] or '??'}",
                consistent="the name of a label or key that exists",
            )


_SECTION = re.compile(
    r"(?:(?<![\w-])(?<!\d )(?<!\d, )(?P<word>[Ss]ections?|Sect\.|Secs?\.)\s?"
    r"|(?P<sign>§§?)\s?)"
    r"(?P<list>\d{1,2}(?:\.\d{1,2}){0,3}(?:(?:,? and|,? or|,|–|-)\s?\d{1,2}(?:\.\d{1,2}){0,3})*)(?![\d%]|\.\d)"
)
"""Not `see 35, section 6`: that of a cited work."""
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[A-Z]")
_LAW = re.compile(r"\s?\(?[a-z]?\)?\s?(?:of|in) (?:the )?(?:[A-Z]|ref|\[|law|act\b)|\s?\([a-z0-9]\)", re.IGNORECASE)
_LONGEST_HEADING = 120  # characters


def check_sections(document: Document, parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Sections that the text refers to by a number that no heading has."""
    headings = _headings(document, parts)
    numbers = {match["number"] for heading in headings if (match := _NUMBERED.match(heading))}
    known = {".".join(number.split(".")[:depth]) for number in numbers for depth in range(1, 5)}
    deepest = max((number.count(".") for number in numbers), default=0)
    top = sorted(int(number) for number in known if number.isdigit())
    if len(top) < _WHOLE_PAPER or top != list(range(top[0], top[-1] + 1)):
        return
    for part in parts:
        for match in _SECTION.finditer(part.text):
            listed = re.findall(r"[\d.]*\d", match["list"])[: None if match["word"] in {"Sections", "sections"} else 1]
            unknown = [
                number
                for number in listed
                if number not in known and number.count(".") <= deepest and int(number.split(".")[0]) >= top[0]
            ]
            if not unknown or not is_prose(part) or _LAW.match(part.text, match.end()):
                continue
            yield part.finding(
                "section",
                "medium",
                match.span(),
                computation=f"no heading has the number {unknown[0]}; the last section is {top[-1]}",
                consistent="the number of a section that exists",
            )


def numbers_listed(listed: str) -> set[int]:
    """`1, 3–5` as numbers."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:\)?\s?[–-]\s?\(?(\d+))?", listed):
        found |= set(range(int(first), int(last or first) + 1)) or {int(first)}
    return found
