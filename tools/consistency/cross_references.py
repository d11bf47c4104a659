"""The paper with itself: what it refers to and what there is.

Figures, tables, sections and equations; citations without an entry in the list of references, and entries that are
never cited; data or code that is said to be available, with no place.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import NamedTuple

from state.computed_findings import CheckKind, ComputedFinding
from state.documents import Document, DocumentFormat, Reference
from tools.consistency.statements import Statement, is_prose
from tools.text import without_accents

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
_LOST_IN: set[DocumentFormat] = {"pdf", "text"}
"""Formats of which a caption may have been lost."""
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
    panel: str = ""


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
        lost = document["format"] in _LOST_IN
        if names and not (lost and len(known) < len({each.name for each in mentions[kind]}) / 2):
            yield from _missing(names, mentions[kind], lost=lost)
            yield from _unmentioned(document, names, mentions[kind]) if kind in {"Figure", "Table"} else ()
        if not lost:
            yield from _panels(names, mentions[kind])
    yield from _without_kind(document, placed, mentions, headings)


def _headings(document: Document, parts: Sequence[Statement]) -> set[str]:
    """Headings without the marks of Markdown."""
    lines = {line for line in document["text"].split("\n") if document["format"] in _LOST_IN or line[:1] in "#*"}
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
            for at, (written, panel) in enumerate(listed):
                name = _name(kind, match["prefix"], written)
                at_start = match.start() <= 1 and at == 0 and name in placed
                if at_start and re.match(r"\s?[.:|]|\s[–—]\s|\s[A-Z(]|$", part.text[match.end() :]):
                    break  # its own caption
                yield Mention(name, part, match.span(), sure=at == 0 or several, panel=panel)


def _listed(text: str, number: str) -> Iterator[tuple[str, str]]:
    """`1, 3–5 and 7a` as numbers, each with the letter of its panel."""
    once = rf"({number})(?:\s?\(?([A-Za-z])\b\)?)?"
    for match in re.finditer(rf"{once}(?:\s?(?:–|-|to|through)\s?({number}))?", text):
        first, panel, last = match.groups()
        yield first, panel or ""
        if last and first.isdigit() and last.isdigit() and int(first) < int(last) < int(first) + 30:
            yield from ((str(each), "") for each in range(int(first) + 1, int(last) + 1))
        elif last:
            yield last, ""


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


_PANEL = re.compile(r"\(([A-Za-z])\)|(?<=[.;:] )([A-Z])(?=[,:.)] )")


def _panels(placed: Placed, mentions: Sequence[Mention]) -> Iterator[ComputedFinding]:
    """`Figure 2d` of a figure whose caption tells of panels a to c."""
    for mention in mentions:
        part = placed.get(mention.name)
        caption = part.paragraph["text"] if part and not part.row else ""
        panels = {match[match.lastindex or 0].lower() for match in _PANEL.finditer(caption)}
        last = max(panels, default="")
        whole = len(panels) > 1 and panels == {chr(each) for each in range(ord("a"), ord(last) + 1)}
        if whole and mention.panel and mention.panel.lower() > last:
            yield mention.part.finding(
                "figure or table",
                "medium",
                mention.place,
                computation=f"panel {mention.panel} of {mention.name} is referred to; its caption tells of a to {last}",
                consistent=f"a panel from a to {last}",
            )


def _without_kind(
    document: Document, placed: Mapping[str, Placed], mentions: Mapping[str, Sequence[Mention]], headings: set[str]
) -> Iterator[ComputedFinding]:
    """A table that is referred to in a whole paper with figures and without tables, or the other way round."""
    lost = document["format"] in _LOST_IN or len(headings) <= _WHOLE_PAPER
    for kind, other in (("Figure", "Table"), ("Table", "Figure")):
        drawn = any("rows" in each for each in document["paragraphs"]) if kind == "Table" else False
        if lost or placed[kind] or drawn or not any(not name.series for name in placed[other]):
            continue
        for mention in mentions[kind][:1]:
            if not mention.name.series:
                yield mention.part.finding(
                    "figure or table",
                    "medium",
                    mention.place,
                    computation=f"{mention.name} is referred to; there is a {other.lower()} and no {kind.lower()}",
                    consistent=f"{mention.name}, or the name of what there is",
                )


_UNRESOLVED = re.compile(
    r"(?:(?P<word>Figures?|Figs?\.?|Tables?|Tab\.|Sections?|Secs?\.|Chapters?|Append(?:ix|ices)|Equations?|Eqs?\.|Theorems?"
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
            elif word.startswith("eq"):
                kind = "equation"
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
    if len(top) < _WHOLE_PAPER and document["format"] not in _LOST_IN:
        yield from _missing_subsections(numbers, parts)
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


def _missing_subsections(numbers: AbstractSet[str], parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """`Section 2.5` of a text that has a part of one section only, with the headings 2.1 to 2.3."""
    for part in parts:
        for match in _SECTION.finditer(part.text):
            parent, point, last = match["list"].rpartition(".")
            brothers = {int(each.rpartition(".")[2]) for each in numbers if each.rpartition(".")[0] == parent}
            whole = point and len(brothers) >= _WHOLE_PAPER and brothers == {*range(1, len(brothers) + 1)}
            if whole and last.isdigit() and int(last) > len(brothers) and not _LAW.match(part.text, match.end()):
                yield part.finding(
                    "section",
                    "medium",
                    match.span(),
                    computation=f"no heading has the number {match['list']}; the last one is {parent}.{len(brothers)}",
                    consistent="the number of a section that exists",
                )


_EQUATION = re.compile(
    r"(?<![\w-])(?:(?:[Ee]quations?|[Ee]qs?\.?|[Ff]ormula[es]?)\s?(?:~)?\(?"
    r"|(?:[Ee]xpression|[Ii]nequality|[Ii]dentity|[Cc]onstraint)s? \((?=\d{1,2}\)))"
    r"(?P<list>\d{1,2}(?:\)?(?:\s?[–-]\s?| and | or |, )\(?\d{1,2})*)(?!\d|\.\d|%)\)?"
)
_LABEL = re.compile(
    r"""
    (?P<formula> [=<>≤≥≈∝≡] [^=<>≤≥≈∝≡]{1,200}? [\s.,;:] ) \( (?P<number> \d{1,2} ) \) (?! \s?[)=+/^] )  # E = mc² (2)
    | (?: ^ | (?<! [Ee]q ) (?<! [Ee]qs ) [=:;.,]\s? ) \( (?P<glued> \d{1,2} ) \)
    | \\tag \*? \{ (?P<tag> \d{1,2} ) \}                               # \tag{2}, as Markdown keeps it
    """,
    re.VERBOSE,
)
_NAMED_BEFORE = re.compile(r"(?:[Ee]quations?|[Ee]qs?\.?|[Ff]ormula[es]?|and|or|by|of|in|to|from|with)\s?$")


def check_equations(document: Document, parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Equations that the text refers to and that no formula is numbered with."""
    labels = {
        int(match["number"] or match["glued"] or match["tag"])
        for part in parts
        for match in _LABEL.finditer(part.text)
        if not _NAMED_BEFORE.search(match["formula"] or "")
    }
    highest = max((number for number in labels if set(range(1, number + 1)) <= labels), default=0)
    if highest < (2 if document["format"] in _LOST_IN else 1) or highest != max(labels):
        return
    for part in parts:
        for match in _EQUATION.finditer(part.text):
            foreign = _NOT_OURS.search(part.text[max(0, match.start() - 30) : match.start()])
            missing = [number for number in sorted(_spread(match["list"])) if number > highest]
            if missing and not foreign and not _OF_OTHERS.match(part.text, match.end()):
                yield part.finding(
                    "equation",
                    "medium",
                    match.span(),
                    computation=f"equation {missing[0]} is referred to; the formulas are numbered 1 to {highest}",
                    consistent=f"a number from 1 to {highest}",
                )


_FEWEST = 2  # entries; a shorter list was hardly read whole
_NUMBERS = re.compile(r"\[(?P<list>\d{1,3}(?:\s?(?:,|;|–|-)\s?\d{1,3})*)(?:, (?:p|pp|sec|ch|fig)[^\]]{0,20})?\]")
_RAISED = re.compile(
    r"(?<=[a-z)”\"’][.,;:])(?P<list>\d{1,3}(?:\s?[,–-]\s?\d{1,3})*)(?=\s+[A-Za-z(]|\s*$)"
    r"|(?<=[a-z.,])\^(?P<above>\d{1,3}(?:[,–-]\d{1,3})*)[\^ ]"
)
"""`memory.1,2`: numbers above the line, of which a format has kept only the digits."""
_ROUND = re.compile(r"(?<=[a-z] )\((?P<list>\d{1,3}(?:\s?[,–-]\s?\d{1,3})*)\)(?=[.,;]| [a-z]|$)")
"""`memory (1, 2)`"""
_KEYS = re.compile(r"\[(?P<list>[A-Za-z][\w:.+/-]*(?:, ?[A-Za-z][\w:.+/-]*)*)\]")
_CITED = 0.5
"""Share of the entries that must be cited by number, or the numbers in brackets are something else."""

_NAME = (
    r"(?:(?:van|von|de|der|den|del|della|di|da|le|la|el|al|ten|ter|dos|du|O’|O'|Mc"
    r"|Mac)[ -]?)*[A-Z][^\W\d_]+(?:[-’'][A-Z]?[^\W\d_]+)*"
)
_YEAR = r"(?P<year>(?:19|20)\d\d)[a-z]?"
_AUTHOR_YEAR = re.compile(rf"(?P<name>{_NAME})(?P<others> et al\.?,?| and {_NAME}| & {_NAME})(?:,? ?| ?\()\(?{_YEAR}\b")
_NARRATED = re.compile(rf"(?<![\w&’-])(?<!and )(?<!& )(?P<name>{_NAME}) \({_YEAR}(?=[);,:])")
"""`Adams (2011)`; what stands so may also be a product or a month."""
_IN_BRACKETS = re.compile(rf"(?:\((?:see |e\.g\.,? |cf\.? )?|; )(?P<name>{_NAME}),? {_YEAR}(?=[);,])")
"""`(Adams, 2011; Costa, 2014)`"""
_SAID = re.compile(
    r"\s?(?:show|found|find|report|argu|propos|suggest|describ|demonstrat|claim|note|observ|introduc|develop|conclud"
    r"|state|review|point)\w*\b"
)
"""What an author does and a product does not."""
_MONTH = re.compile("January|February|March|April|May|June|July|August|September|October|November|December")
_FIRST_AUTHOR = re.compile(
    rf"(?:[A-Z]\.[ -]?)*(?P<name>{_NAME}(?=,| [A-Z]{{1,3}}(?:[,;:]| \(| \d)| [A-Z]{{2,3}}\.)"
    r"|.{2,60}?(?=,| and | & | \(|(?<!\b[A-Z])\. |$))"
)
"""`Kingma DP, ...`, or all names of `Diederik P. Kingma and ...`, any of which a citation may have."""


def check_citations(document: Document, parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    """Findings about citations and references, in the style that the paper has."""
    entries = document["references"]
    if len(entries) < _FEWEST:
        return
    if all(entry["id"].isdigit() for entry in entries):
        yield from _by_number(entries, parts)
    elif document["format"] == "latex":
        yield from _by_key(entries, parts)
    elif all(re.fullmatch(r"r\d+", entry["id"]) for entry in entries):
        if document["format"] in {"markdown", "html"}:  # a list whose numbers the format counts
            counted = [Reference(id=entry["id"].removeprefix("r"), text=entry["text"]) for entry in entries]
            yield from _by_number(counted, parts)
        yield from _by_author(document, parts)


def _by_number(entries: Sequence[Reference], parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    numbers = {int(entry["id"]) for entry in entries}
    cited: dict[int, tuple[Statement, tuple[int, int]]] = {}
    style = max((_NUMBERS, _RAISED, _ROUND), key=lambda each: sum(bool(each.search(part.text)) for part in parts))
    for part in parts:
        for match in style.finditer(part.text):
            for number in _spread(next(filter(None, match.groups()))):
                cited.setdefault(number, (part, match.span()))
    if len(numbers & cited.keys()) < _CITED * len(numbers) or numbers != set(range(1, len(numbers) + 1)):
        return
    for number in sorted(cited.keys() - numbers - {0}):
        if number < 3 * len(numbers):  # what is larger is hardly a citation
            part, place = cited[number]
            yield part.finding(
                "citation",
                "medium",
                place,
                computation=f"[{number}] is cited; the list of references ends with [{max(numbers)}]",
                consistent=f"an entry [{number}], or another number",
            )
    yield from _uncited([entry for entry in entries if int(entry["id"]) not in cited])


def _spread(listed: str) -> set[int]:
    """`1, 3–5` as numbers."""
    found: set[int] = set()
    for first, last in re.findall(r"(\d+)(?:\)?\s?[–-]\s?\(?(\d+))?", listed):
        found |= set(range(int(first), int(last or first) + 1)) or {int(first)}
    return found


def _by_key(entries: Sequence[Reference], parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    keys = {entry["id"] for entry in entries}
    cited: dict[str, tuple[Statement, tuple[int, int]]] = {}
    for part in parts:
        for match in _KEYS.finditer(part.text):
            for key in re.split(r", ?", match["list"]):
                cited.setdefault(key, (part, match.span()))
    if len(keys & cited.keys()) < _CITED * len(keys):
        return
    for key in sorted(cited.keys() - keys):
        part, place = cited[key]
        if re.search(r"\d|:", key):
            yield part.finding(
                "citation",
                "medium",
                place,
                computation=f"the key {key} is cited; no entry of the list of references has it",
                consistent=f"an entry with the key {key}",
            )
    yield from _uncited([entry for entry in entries if entry["id"] not in cited])


def _by_author(document: Document, parts: Sequence[Statement]) -> Iterator[ComputedFinding]:
    entries = document["references"]
    texts = [_letters(entry["text"]) for entry in entries]
    whole = " ".join(texts)
    authors = " ".join(_letters(re.split(r"\b(?:19|20)\d\d", entry["text"])[0]) for entry in entries)
    prose = [part for part in parts if not part.row]
    several = [(part, match) for part in prose for match in _AUTHOR_YEAR.finditer(part.text)]
    alone = [
        (part, match)
        for part in prose
        for pattern in (_NARRATED, _IN_BRACKETS)
        for match in pattern.finditer(part.text)
        if f" {_last_name(match)} " in f" {authors} " or _is_cited(part, match)
    ]
    found = [(_in(texts, match), part, match) for part, match in [*several, *alone]]
    known = sum(each for each, _, _ in found)
    if known < (4 if document["format"] in _LOST_IN else 1) or len(found) - known > max(1, 0.1 * len(found)):
        return  # the list was read badly
    seen: set[str] = set()
    for there, part, match in found:
        if there or match[0] in seen:
            continue
        seen.add(match[0])
        why = f"no entry of the list of references has {match['name']}"
        if f" {_last_name(match)} " in f" {whole} ":
            why = f"no entry with {match['name']} has the year {match['year']}"
        cited = " ".join(match[0].split()).strip("(; ")
        yield part.finding("citation", "medium", match.span(), computation=why, consistent=f"an entry for {cited}")
    uncited = [entry for entry in entries if re.search(_YEAR, entry["text"]) and not _is_named(entry, prose)]
    if len(uncited) < (1 - _CITED) * len(entries):
        yield from _uncited(uncited)


def _is_cited(part: Statement, match: re.Match[str]) -> bool:
    """Whether a name that the list lacks is an author's, and not that of a product, a month or a place."""
    in_brackets = match.re is _IN_BRACKETS and f"{match['name']}, {match['year']}" in match[0]
    return (in_brackets and not _MONTH.fullmatch(match["name"])) or _SAID.match(part.text, match.end() + 1) is not None


def _is_named(entry: Reference, parts: Sequence[Statement]) -> bool:
    """Whether the text has a name of the entry's first author, or the initials of an organisation."""
    author = _FIRST_AUTHOR.match(entry["text"])
    names = re.findall(r"[A-Z][^\W\d_]+", author["name"]) if author else []
    initials = "".join(name[0] for name in names)
    words = {*names, *([initials] if len(initials) > 2 else [])}
    told = re.compile(rf"\b(?:{'|'.join(map(re.escape, map(without_accents, words)))})\b")
    return not words or any(told.search(without_accents(part.text)) for part in parts)


def _last_name(match: re.Match[str]) -> str:
    return _letters(match["name"]).split()[-1]


def _in(texts: Sequence[str], match: re.Match[str]) -> bool:
    """Whether an entry has the last word of the name and the year."""
    name = _last_name(match)
    return any(re.search(rf"\b{re.escape(name)}\b", text) and match["year"] in text for text in texts)


def _uncited(entries: Sequence[Reference]) -> Iterator[ComputedFinding]:
    for entry in entries:
        yield ComputedFinding(
            kind="reference",
            severity="low",
            paragraph="",
            section="References",
            page=0,
            quote=entry["text"][:200],
            computation=f"entry {entry['id']} of the list of references is never cited",
            consistent="a citation of it, or a list without it",
        )


def _letters(text: str) -> str:
    """Lower-case text without accents and punctuation."""
    return " ".join(re.findall(r"[^\W_]+", without_accents(text).lower()))


_AVAILABLE = re.compile(
    r"(?:\b(?:(?:our|the|all|source|analysis|raw|study|processed|underlying|trained) )+(?:[a-z]+ ){0,2}?"
    r"|(?:^|(?<=[.:] )))"
    r"(?P<what>data(?:sets?)?|code|scripts?|software|models?|materials|source code)\b(?: [a-z-]+){0,6}? "
    r"(?:is|are|will be|have been|has been|was|were)(?: made| now| also| all| then)*(?: (?:publicly|freely|openly"
    r"|fully))*"
    r" (?:available|accessible|released|deposited|shared|open[- ]source[d]?)\b",
    re.IGNORECASE,
)
_PUBLIC = re.compile(
    r"(?:^|(?<=[.:] ))(?:(?:the|all|our|raw|both) ){1,3}(?:[a-z-]+ ){0,2}?(?:and (?:[a-z-]+ ){1,2}?)?"
    r"(?P<what>scans|measurements|recordings|transcripts|images|reads|sequences|records|data(?:sets?)?|scripts?|code)\b"
    r"[^.;]{0,60}? (?:publicly|freely|openly|deposited)\b[^.;]{0,20}?\b(?:available|accessible|accessed)\b"
    r"|(?:^|(?<=[.:] ))(?:the|all|our) (?:[a-z-]+ )?(?P<kept>reads|scans|data|records|scripts)\b[^.;]{0,60}? "
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
