"""What the paper refers to in itself and what there is: figures, tables and sections.

A sentence that cites another work may speak of that work's figures and sections, so it does not count. Where several
are missing, or one among those that there are, captions or headings were not read, which is told as such.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import CheckKind, ComputedFinding
from state.documents import Document
from tools.numbers.statements import Statement, is_prose

_WORDS = {"Figure": r"figures?|figs?\.?", "Table": r"tables?|tabs?\.", "Scheme": "schemes?", "Box": "box(?:es)?"}
"""What has a caption with a word and a number."""
_ROMAN = ["", "I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
_NUMBER = r"(?:[A-H]\.?)?[1-9]\d?|[IVX]{1,4}(?![\w’'])"  # 3, A.3, III; those with an S stand in another file
_PANEL = r"(?:[A-Za-z]{1,2}\b)?(?:\s?\([a-z]\))?"
_NO_MEASURE = r"(?!\d|\.\d|-\d|\s?[%°])"
_CITES = re.compile(
    r"""
    \[\d[\d,;\s–-]*\] | [⁰¹²³⁴⁵⁶⁷⁸⁹]         # [12]
    | \[[A-Za-z][\w:.+/-]*\d[\w:.+/-]*\]       # [adams2011]
    | [a-z][.,(]*[ ]\(?(?:19|20)\d\d[a-z]?[);,]   # Adams et al. (2011), (Adams, 2011)
    | \bet[ ]al\b | \bref(?:s\.|\.|erence)[ ]
    """,
    re.VERBOSE,
)
_ANOTHERS = re.compile(
    r"(?:their|his|her|’s|'s|\d,?|original|supp\w*\.?|additional|extended(?: data)?|online|web|appendix|SI)\s\(?$",
    re.IGNORECASE,
)
"""What stands before the name of what is not in this paper; a number is that of a cited work: `see 35, section 6`."""
_OF_ANOTHER = re.compile(
    r"\s?\(?[a-z]?\)?\s(?:of|in|from)\s(?:the\s)?(?:[A-Z]|ref|original|previous|their|supplement|appendix|online|law|act)"
)
_LONGEST_HEADING = 120  # characters
_WHOLE_PAPER = 3  # sections
_MOST_MISSING = 1  # more are missing where captions or headings were not read


class NumberedName(NamedTuple):
    """`Table 3`, `Table III` and `Table A3`: the third of a series of its own each."""

    kind: str
    series: str
    number: int

    def __str__(self) -> str:
        return f"{self.kind} {_ROMAN[self.number] if self.series == 'roman' else f'{self.series}{self.number}'}"


Place = tuple[Statement, tuple[int, int]]
Found = tuple[list[ComputedFinding], list[str]]
"""Findings, and what was not read."""


def check_cross_references(document: Document, parts: Sequence[Statement]) -> Found:
    """Return findings about what the text refers to in its own paper, and what was not read of that."""
    headings = _list_headings(document, parts)
    pictures = [each["text"] for each in document["hidden"] if each["reason"] == "alternative text"]
    checks = [_check_captions(kind, parts, [*headings, *pictures]) for kind in _WORDS]
    checks.append(_check_sections(headings, parts))
    found = [each for findings, _ in checks for each in findings]
    return [*_find_unresolved(parts), *found], [each for _, unread in checks for each in unread]


def _list_headings(document: Document, parts: Sequence[Statement]) -> set[str]:
    """Headings without the marks of Markdown; in formats without marks every short line may be one."""
    is_marked = document["format"] not in {"pdf", "text"}
    lines = {line for line in document["text"].split("\n") if not is_marked or line[:1] in "#*"}
    named = {*lines, document["title"], *(part.paragraph["section"] for part in parts)}
    return {line.strip("#* ") for line in named if len(line) < _LONGEST_HEADING}


def _check_captions(kind: str, parts: Sequence[Statement], others: Iterable[str]) -> Found:
    """Compare the captions of a kind with the places where the text refers to them."""
    captions = _read_captions(kind, parts, others)
    mentions = list(_read_mentions(kind, parts))
    last = {name.series: name for name in sorted(captions)}
    own = {name: place for name, place in reversed(mentions) if place and name.series in last}
    missing = {name: place for name, place in own.items() if name not in captions}
    if len(missing) > _MOST_MISSING or any(name < last[name.series] for name in missing):
        return [], [f"no caption was read of {', '.join(map(str, sorted(missing)))}"]
    found = []
    for name, (part, place) in missing.items():
        why = f"{name} is referred to; the captions are those up to {last[name.series]}"
        consistent = f"the name of one that exists, or {name} itself"
        found.append(part.finding("figure or table", "medium", place, computation=why, consistent=consistent))
    untold = [name for name in captions if name not in {each for each, _ in mentions}]
    if len(untold) == 1 < len(captions) and (caption := captions[untold[0]]):  # more are an excerpt, or were read badly
        why, consistent = f"{untold[0]} has a caption, and no sentence refers to it", f"a sentence on {untold[0]}"
        place = (0, min(len(caption.text), _LONGEST_HEADING))
        found.append(caption.finding("figure or table", "low", place, computation=why, consistent=consistent))
    return found, []


def _parse_name(kind: str, number: str) -> NumberedName:
    """The name that a number has in its series."""
    if number in _ROMAN:
        return NumberedName(kind, "roman", _ROMAN.index(number))
    digits = number.lstrip("ABCDEFGH.")
    return NumberedName(kind, number.removesuffix(digits), int(digits) if digits.isdigit() else 0)


def _read_captions(
    kind: str, parts: Sequence[Statement], others: Iterable[str]
) -> dict[NumberedName, Statement | None]:
    """Names that open a caption, and where; a heading or the text of a picture is no statement."""
    texts: list[tuple[str, Statement | None]] = [(text, None) for text in others]
    texts += [(part.paragraph["text"].replace("*", " "), part) for part in parts]
    found: dict[NumberedName, Statement | None] = {}
    for text, part in texts:
        if match := _open_caption(kind, text):
            found.setdefault(_parse_name(kind, match[1]), part)
    return found


def _open_caption(kind: str, text: str) -> re.Match[str] | None:
    opening = rf"\s*(?i:{_WORDS[kind]})\s({_NUMBER})(?!\d|\.\d)(?:\s?[.:|]|\s[–—-]\s|\s[A-Z(]|\s*$)"
    return re.match(opening, text)


def _read_mentions(kind: str, parts: Sequence[Statement]) -> Iterator[tuple[NumberedName, Place | None]]:
    """Names that the text refers to, but for own captions, and where if that is certainly one of this paper."""
    number = rf"(?:{_NUMBER}){_PANEL}{_NO_MEASURE}"
    several = rf"{number}(?:\s?(?:,? and|,? or|,|–|-|&|to|through)\s?{number})*"
    pattern = re.compile(rf"(?<!\w)(?P<word>(?i:{_WORDS[kind]}))\s?(?:~|\()?(?P<list>{several})")
    for part in parts:
        for match in pattern.finditer(part.text):
            names = list(_list_names(kind, match["list"]))
            if match.start() <= 1 and _open_caption(kind, part.text):
                continue
            is_own = _is_own(part, match)
            for at, name in enumerate(names):  # the 12 of `in Table 1, 12 of them` is no table's
                is_sure = is_own and (at == 0 or match["word"].rstrip(".").endswith("s"))
                yield name, (part, match.span()) if is_sure else None


def _is_own(part: Statement, match: re.Match[str]) -> bool:
    """Whether nothing says that a figure or section is that of another work."""
    before, sentence = part.text[: match.start()], part.text[slice(*part.sentence_at(match.start()))]
    another = _ANOTHERS.search(before[-20:]) or _OF_ANOTHER.match(part.text, match.end())
    return is_prose(part) and not another and not _CITES.search(sentence)


def _list_names(kind: str, text: str) -> Iterator[NumberedName]:
    """`1, 3–5 and 7a` as names, without the letters of panels."""
    for first, last in re.findall(rf"({_NUMBER}){_PANEL}(?:\s?(?:–|-|to|through)\s?({_NUMBER}))?", text):
        begins, ends = _parse_name(kind, first), _parse_name(kind, last or first)
        yield begins
        yield from (begins._replace(number=number) for number in range(begins.number + 1, ends.number + 1))


_UNRESOLVED = re.compile(
    r"""
    (?:(?P<word>figures?|figs?\.?|tables?|tab\.|sections?|secs?\.|append(?:ix|ices)|theorems?|lemmas?)\s?~?)?
    (?: [(\[]?\?\? (?:[ ]\((?P<key>[^()\s]+)\))? | \[\?\])      # Figure ?? (fig:none), [?]
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _find_unresolved(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """What LaTeX prints for a label or a key that there is not."""
    for part in (part for part in parts if not part.row):
        for match in _UNRESOLVED.finditer(part.text):
            word = (match["word"] or match["key"] or "").lower()
            if not word and match[0] != "[?]":
                continue
            kind: CheckKind = (
                "figure or table" if word.startswith(("fig", "tab")) else "section" if word else "citation"
            )
            why = f"a reference to a label or key that the source does not define: {match['key'] or '??'}"
            consistent = "the name of a label or key that exists"
            yield part.finding(kind, "medium", match.span(), computation=why, consistent=consistent)


_SECTION = re.compile(
    r"(?<![\w-])(?:[Ss]ections?|Sect\.|Secs?\.|§)\s?(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})(?![\d%]|\.\d)"
)
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[A-Z]")


def _check_sections(headings: Iterable[str], parts: Sequence[Statement]) -> Found:
    """Compare the numbers of headings with those of the sections that the text refers to."""
    last_below, missing = _number_headings(headings), dict[str, ComputedFinding]()
    for part in parts:
        for match in _SECTION.finditer(part.text):
            parent, _, number = match["number"].rpartition(".")
            last = last_below.get(parent)
            if last and int(number) > last and _is_own(part, match):
                why = (
                    f"no heading has the number {match['number']}; the last is {match['number'][: -len(number)]}{last}"
                )
                consistent = "the number of a section that exists"
                finding = part.finding("section", "medium", match.span(), computation=why, consistent=consistent)
                missing.setdefault(match["number"], finding)
    if len(missing) > _MOST_MISSING:
        return [], [f"no heading was read of sections {', '.join(sorted(missing))}"]
    return list(missing.values()), []


def _number_headings(headings: Iterable[str]) -> dict[str, int]:
    """The last number of the headings below each, such as 2 below 3 for 3.1 and 3.2, where none between is missing."""
    below = defaultdict[str, set[int]](set)
    for match in filter(None, map(_NUMBERED.match, headings)):
        number = match["number"]
        while number:
            parent, _, last = number.rpartition(".")
            below[parent].add(int(last))
            number = parent
    is_whole = len(below[""]) >= _WHOLE_PAPER  # fewer may be an excerpt
    return {parent: max(each) for parent, each in below.items() if is_whole and each == {*range(1, max(each) + 1)}}
