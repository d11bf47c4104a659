"""Citations without an entry in the list of references, and entries that are never cited."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from state.computed_findings import ComputedFinding
from state.documents import Document, Reference
from tools.consistency.statements import Statement
from tools.text import without_accents

_FEWEST = 3  # entries; a shorter list was hardly read whole
_NUMBERS = re.compile(r"\[(?P<list>\d{1,3}(?:\s?(?:,|;|–|-)\s?\d{1,3})*)(?:, (?:p|pp|sec|ch|fig)[^\]]{0,20})?\]")
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
    for part in parts:
        for match in _NUMBERS.finditer(part.text):
            for number in _spread(match["list"]):
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
        if f" {_last_name(match)} " in f" {authors} "  # or it is a product or a month
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
