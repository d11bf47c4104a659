"""Citations and the list of references: citations without an entry, and entries that are never cited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from state.computed_findings import CheckKind, ComputedFinding, Severity
from state.documents import Document, Reference
from tools.numbers.cross_references import WITHOUT_MARKS, numbers_listed
from tools.numbers.statements import Statement
from tools.text import without_accents

_LONGEST_QUOTE = 200  # characters of an entry
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
            for number in numbers_listed(next(filter(None, match.groups()))):
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
    unknown = {(match["name"], match["year"]) for there, _, match in found if not there}
    if known < (4 if document["format"] in WITHOUT_MARKS else 1) or len(unknown) > max(1, 0.1 * len(found)):
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
        why = f"entry {entry['id']} of the list of references is never cited"
        yield finding_about_entry(entry, "reference", "low", why, "a citation of it, or a list without it")


def finding_about_entry(
    entry: Reference,
    kind: CheckKind,
    severity: Severity,
    computation: str,
    consistent: str,
    explanations: Sequence[str] = (),
) -> ComputedFinding:
    """A finding that quotes the beginning of an entry of the list of references."""
    return ComputedFinding(
        kind=kind,
        severity=severity,
        paragraph="",
        section="References",
        page=0,
        quote=entry["text"][:_LONGEST_QUOTE],
        computation=computation,
        consistent=consistent,
        explanations=list(explanations),
    )


def _letters(text: str) -> str:
    """Lower-case text without accents and punctuation."""
    return " ".join(re.findall(r"[^\W_]+", without_accents(text).lower()))
