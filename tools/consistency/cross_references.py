"""The paper with itself: what it refers to and what there is.

Figures, tables, sections and equations; citations without an entry in the list of references, and entries that are
never cited; data or code that is said to be available, with no place.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

from state.computed_findings import CheckKind, ComputedFinding
from state.documents import Document, Reference
from tools.consistency.statements import Statement, is_prose
from tools.text import without_accents

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
    | (?: ^ | (?<! [Ee]q ) (?<! [Ee]qs ) [=:;.,]\s? ) \( (?P<glued> \d{1,2} ) \)
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
_CITED = 0.6
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
_FIRST_AUTHOR = re.compile(r"(?P<name>.{2,60}?)(?:,| and | & | \(|(?<!\b[A-Z])\. |$)")


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
    for first, last in re.findall(r"(\d+)(?:\s?[–-]\s?(\d+))?", listed):
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
    if known < (4 if document["format"] == "pdf" else 2) or len(found) - known > max(1, 0.1 * len(found)):
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
    uncited = [entry for entry in entries if not _is_named(entry, prose)]
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
