"""What the paper refers to in itself and what there is: figures, tables and sections.

A sentence that cites another work may speak of that work's figures and sections, so it does not count. Where several
are missing, or one among those that there are, captions or headings were not read, which is told as such.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from state.computed_findings import CheckKind, ComputedFinding
from state.documents import Document
from tools.numbers.statements import Statement, is_prose

# What has a caption with a word and a number.
_WORDS = {"Figure": r"figures?|figs?\.?", "Table": r"tables?|tabs?\.", "Scheme": "schemes?"}
_NUMBER = r"[1-9]\d?(?!\d|\.\d)"  # not A3, S3 or III, which have series of their own
_PANEL = r"(?:[A-Za-z]{1,2}\b)?(?:\s?\([a-z]\))?"
_CITES = re.compile(
    r"""
    \[\d[\d,;\s–-]*\] | [⁰¹²³⁴⁵⁶⁷⁸⁹]         # [12]
    | \[[A-Za-z][\w:.+/-]*\d[\w:.+/-]*\]       # [adams2011]
    | [a-z][.,(]*[ ]\(?(?:19|20)\d\d[a-z]?[);,]   # Adams et al. (2011), (Adams, 2011)
    | \bet[ ]al\b | \bref(?:s\.|\.|erence)[ ]
    """,
    re.VERBOSE,
)
# What stands before the name of what is not in this paper; a number is that of a cited work: `see 35, section 6`.
_ANOTHERS = re.compile(
    r"(?:their|his|her|’s|'s|\d,?|original|supp\w*\.?|additional|extended(?: data)?|online|web|appendix|SI)\s\(?$",
    re.IGNORECASE,
)
_OF_ANOTHER = re.compile(
    r"\s?\(?[a-z]?\)?\s(?:of|in|from)\s(?:the\s)?(?:[A-Z]|ref|original|previous|their|supplement|appendix|online|law|act)"
)
_LONGEST_HEADING = 120  # characters
_WHOLE_PAPER = 3  # sections
_MOST_MISSING = 1  # more are missing where captions or headings were not read
_WITHOUT_MARKS = {"pdf", "text"}  # formats in which one that is missing was hardly read
Missing = tuple[dict[str, ComputedFinding], bool]  # by number; whether one among those that there are is missing


def check_cross_references(document: Document, parts: Sequence[Statement]) -> tuple[list[ComputedFinding], list[str]]:
    """Return findings about what the text refers to in its own paper, and what was not read of that."""
    headings = _list_headings(document, parts)
    pictures = [each["text"] for each in document["hidden"] if each["reason"] == "alternative text"]
    captions = [*headings, *pictures, *(part.paragraph["text"].replace("*", " ") for part in parts)]
    missing = {kind: _find_missing(kind, parts, captions) for kind in _WORDS} | {
        "section": _find_sections(headings, parts)
    }
    # LaTeX itself warns of labels that it does not find; a source of which some are missing is a part of one.
    found, unread = [] if document["format"] == "latex" else list(_find_unresolved(parts)), list[str]()
    for kind, (findings, is_gap) in missing.items():
        if is_gap or len(findings) > (0 if document["format"] in _WITHOUT_MARKS else _MOST_MISSING):
            unread.append(f"no caption or heading was read of {kind} {', '.join(findings)}")
        else:
            found += findings.values()
    return found, unread


def _list_headings(document: Document, parts: Sequence[Statement]) -> set[str]:
    """Headings without the marks of Markdown; in formats without marks every short line may be one."""
    is_unmarked = document["format"] in _WITHOUT_MARKS
    lines = {line for line in document["text"].split("\n") if is_unmarked or line[:1] in "#*"}
    named = {*lines, document["title"], *(part.paragraph["section"] for part in parts)}
    return {line.strip("#* ") for line in named if len(line) < _LONGEST_HEADING}


def _find_missing(kind: str, parts: Sequence[Statement], texts: Iterable[str]) -> Missing:
    """Find the numbers of figures or tables that the text refers to and no caption has."""
    captions = {int(match[1]) for text in texts if (match := _open_caption(kind, text))}
    last, missing = max(captions, default=0), dict[str, ComputedFinding]()
    mentions = sorted(_read_mentions(kind, parts), key=lambda each: each[0]) if captions else []
    for number, part, place in mentions:
        if number not in captions and str(number) not in missing:
            why = f"{kind} {number} is referred to; the captions are those up to {kind} {last}"
            consistent = f"the name of one that exists, or {kind} {number} itself"
            finding = part.finding("figure or table", "medium", place, computation=why, consistent=consistent)
            missing[str(number)] = finding
    return missing, any(int(number) < last for number in missing)


def _open_caption(kind: str, text: str) -> re.Match[str] | None:
    return re.match(rf"\s*(?i:{_WORDS[kind]})\s({_NUMBER})(?:\s?[.:|]|\s[–—-]\s|\s[A-Z(]|\s*$)", text)


def _read_mentions(kind: str, parts: Sequence[Statement]) -> Iterator[tuple[int, Statement, tuple[int, int]]]:
    """Numbers that the text certainly refers to in this paper, but for its captions, and where."""
    number = rf"{_NUMBER}{_PANEL}(?!-\d|\s?[%°])"
    several = rf"{number}(?:\s?(?:,? and|,? or|,|–|-|&|to|through)\s?{number})*"
    pattern = re.compile(rf"(?<!\w)(?P<word>(?i:{_WORDS[kind]}))\s?(?:~|\()?(?P<list>{several})")
    for part in parts:
        for match in pattern.finditer(part.text):
            if (match.start() <= 1 and _open_caption(kind, part.text)) or not _is_own(part, match):
                continue
            is_plural = match["word"].rstrip(".").endswith("s")  # the 12 of `in Table 1, 12 of them` is no table's
            for told in list(_list_numbers(match["list"]))[: None if is_plural else 1]:
                yield told, part, match.span()


def _list_numbers(text: str) -> Iterator[int]:
    """`1, 3–5 and 7a` as numbers, without the letters of panels."""
    for first, last in re.findall(rf"({_NUMBER}){_PANEL}(?:\s?(?:–|-|to|through)\s?({_NUMBER}))?", text):
        yield from range(int(first), max(int(first), int(last or first)) + 1)


def _is_own(part: Statement, match: re.Match[str]) -> bool:
    """Whether nothing says that a figure or section is that of another work."""
    before, sentence = part.text[: match.start()], part.text[slice(*part.sentence_at(match.start()))]
    another = _ANOTHERS.search(before[-20:]) or _OF_ANOTHER.match(part.text, match.end())
    return is_prose(part) and not another and not _CITES.search(sentence)


_UNRESOLVED = re.compile(
    r"""
    (?P<word>figures?|figs?\.?|tables?|tab\.|sections?|secs?\.|append(?:ix|ices)|theorems?|lemmas?)
    \s?~? [(\[]? \?\? | \[\?\]      # Figure ??, [?]
    """,
    re.IGNORECASE | re.VERBOSE,
)


def _find_unresolved(parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Find what LaTeX prints for a label or key that there is not."""
    for part in (part for part in parts if not part.row):
        for match in _UNRESOLVED.finditer(part.text):
            kind: CheckKind = "section" if match["word"] else "citation"
            kind = "figure or table" if match[0].lower().startswith(("fig", "tab")) else kind
            why, consistent = "the source does not define this label or key", "the name of one that exists"
            yield part.finding(kind, "medium", match.span(), computation=why, consistent=consistent)


_SECTION = re.compile(
    r"(?<![\w-])(?:[Ss]ections?|Sect\.|Secs?\.|§)\s?(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})(?![\d%]|\.\d)"
)
_NUMBERED = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+[A-Z]")


def _find_sections(headings: Iterable[str], parts: Sequence[Statement]) -> Missing:
    """Find the numbers of sections that the text refers to and no heading has."""
    last_below, missing = _number_headings(headings), dict[str, ComputedFinding]()
    for part in parts:
        for match in _SECTION.finditer(part.text):
            parent, _, number = match["number"].rpartition(".")
            last = last_below.get(parent)
            if last and int(number) > last and match["number"] not in missing and _is_own(part, match):
                why = f"no heading has the number {match['number']}; the last is {parent + '.' * bool(parent)}{last}"
                consistent = "the number of a section that exists"
                finding = part.finding("section", "medium", match.span(), computation=why, consistent=consistent)
                missing[match["number"]] = finding
    return missing, False


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
