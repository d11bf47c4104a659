"""Citations and the list of references, in the style that a paper has: numbers, or authors and years.

Nothing is found where fewer than half of the entries are cited in that style. Where the two do not fit in many places,
the list or the citations were not read whole, which is told as what was not read.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from state.documents import Document, Reference
from tools.numbers.statements import Statement, quote_entry
from tools.text import normalize_title, strip_accents

_MAX_AUTHORS_CHARACTERS = 60  # characters of an entry without a year
_MIN_CITED_SHARE = 0.5
_UNMARKED_FORMATS = {"pdf", "text"}  # other formats count or mark the entries
_NUMBERED_CITATION = re.compile(
    r"\[(\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*)(?:, [A-Za-z][^\]]{0,20})?\]"
)  # [1, 3–5] and [7, p. 3]
_CITATION_RANGE = re.compile(r"\]([–-])\[")  # [2]–[6]
_RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_RAISED_CITATION = re.compile(
    rf"""
    (?<=[^\W\d_]|[.,;:)”"’])                                          # memory.¹,² but not 10⁵
    (?:\^ (?P<marked> \d{{1,3}} (?:[,–-]\d{{1,3}})*) \s             # Markdown's memory.^1,2^
    | (?P<raised> [{_RAISED_DIGITS}]+ (?:[,–-][{_RAISED_DIGITS}]+)*))
    """,
    re.VERBOSE,
)
_PARTICLES = r"(?:(?:van|von|de|der|den|del|della|di|da|du|la|le|ten|ter|dos)[ ])*"
_NAME = rf"{_PARTICLES}[A-Z][^\W\d_]*(?:[-’'\u02bc‘`\u00b4][^\W\d_]+)*"
_CAPITAL_BEFORE = re.compile(r"\b[A-Z][\w.’'-]*\s$")  # Cornell University (2023)
_SAME_AUTHORS = r"(?:—|[–_-]{2})"  # ———. 2022.
_AUTHOR_CITATION = re.compile(
    rf"""
    (?P<name>{_NAME})
    (?P<others> (?:,[ ]{_NAME})*,?[ ](?:et[ ]al\.? | (?P<joined>and|&)[ ]{_NAME}))?
    (?: ,[ ] | [ ]\( | (?P<space>[ ]))                    # (Adams, 2011; Costa & Diaz, 2014), Adams et al. (2011)
    (?P<year>(?:19|20)\d\d)[a-z]? (?=[);,:\]])
    """,
    re.VERBOSE,
)
_YEAR = re.compile(r"\b(?:19|20)\d\d")
_CAPITALISED_WORD = re.compile(r"[A-Z][^\W\d_]+")
_WHOLE_ENTRY = re.compile(rf"(?:\W?[^\W\d_]|{_SAME_AUTHORS}).*(?:19|20)\d\d", re.DOTALL)  # a name first, and a year


class Citation(NamedTuple):
    """A place where the text cites."""

    part: Statement
    place: tuple[int, int]
    label: str
    entries: set[str]  # Ids of those that it may mean; none if there is no such entry.
    why: str  # It is no citation of the list.


def check_citations(document: Document, parts: Sequence[Statement]) -> tuple[list[ComputedFinding], list[str]]:
    """Return findings about citations and entries, and what of either was not read."""
    entries = document["references"]
    style = _list_citations(document, parts)
    is_named = all(each.label[:1] != "[" for each in style)
    known = {entry for citation in style for entry in citation.entries}
    unknown = {each.label: each for each in reversed(style) if not each.entries}
    broken = [each for each in entries if not _WHOLE_ENTRY.match(each["text"])]
    if (
        document["format"] in _UNMARKED_FORMATS
        and is_named
        and broken
        and len(known) >= _MIN_CITED_SHARE * len(entries)
    ):
        return [], [f"{len(broken)} of {len(entries)} entries of the list of references were not read as whole entries"]
    labels = {each.label for each in style}
    most = 0.1 * len(labels) if is_named else max(2, 0.1 * len(known))
    just_past = {f"[{len(entries) + beyond}]" for beyond in (1, 2) if known}
    if len(unknown) > most or just_past & unknown.keys():
        told = f"{len(unknown)} of {len(labels)} citations have no entry in the list of references as it was read"
        return [], [f"{told}, such as {', '.join(list(unknown)[-3:])}"]
    if len(known) < max(1, _MIN_CITED_SHARE * len(entries)):
        return [], []
    found = [
        part.build_finding("citation", "medium", place, computation=why, consistent=f"an entry for {label}")
        for part, place, label, _, why in unknown.values()
    ]
    known |= _find_named_entries(entries, parts) if is_named else set()
    uncited = [entry for entry in entries if entry["id"] not in known]
    if len(uncited) > max(1, 0.1 * len(entries)):
        return found, [f"citations of {len(uncited)} entries of the list of references were not found"]
    for entry in uncited:
        why = f"entry {entry['id']} of the list of references is never cited"
        consistent = "a citation of it, or a list without it"
        found.append(quote_entry(entry).build_finding("reference", "low", computation=why, consistent=consistent))
    return found, []


def _list_citations(document: Document, parts: Sequence[Statement]) -> list[Citation]:
    """Return the citations in that style in which most entries are cited."""
    entries = document["references"]
    numbers = [entry["id"].removeprefix("" if document["format"] in _UNMARKED_FORMATS else "r") for entry in entries]
    styles = [list(_read_author_citations(document, parts))]
    if numbers == [str(number) for number in range(1, len(entries) + 1)]:
        styles += [
            list(_read_numbered_citations(entries, parts, style)) for style in (_NUMBERED_CITATION, _RAISED_CITATION)
        ]
    return max(styles, key=lambda each: (len(set().union(*(cited.entries for cited in each))), len(each)))


def _read_numbered_citations(
    entries: Sequence[Reference], parts: Sequence[Statement], style: re.Pattern[str]
) -> Iterator[Citation]:
    """Citations of entries by their numbers; one far beyond the list may be anything."""
    last = len(entries)
    beyond = 2 * last + 10 if entries else 1000
    for part in parts:
        for match in style.finditer(_CITATION_RANGE.sub(r" \1 ", part.text)):
            for number in _parse_citation_numbers(next(filter(None, match.groups()))):
                found = {entries[number - 1]["id"]} if 0 < number <= last else set[str]()
                why = f"[{number}] is cited; the list of references ends with [{last}]"
                if found or (0 < number < beyond and not part.row):
                    yield Citation(part, match.span(), f"[{number}]", found, why)


def _parse_citation_numbers(listed: str) -> Iterator[int]:
    """`1, 3–5` as numbers."""
    plain = listed.translate({ord(raised): str(digit) for digit, raised in enumerate(_RAISED_DIGITS)})
    for first, last in re.findall(r"(\d+)(?:\s?[–-]\s?(\d+))?", plain):
        yield from range(int(first), max(int(first), int(last or first)) + 1)


def _read_author_citations(document: Document, parts: Sequence[Statement]) -> Iterator[Citation]:
    """Citations by authors and years; a name that no entry has must be cited as several authors are."""
    by_word, authors, names = defaultdict[str, set[str]](set), set[str](), ""
    title = normalize_title(document["title"])
    for entry in document["references"]:
        names = (
            names if re.match(_SAME_AUTHORS, entry["text"]) else _YEAR.split(entry["text"][:_MAX_AUTHORS_CHARACTERS])[0]
        )
        authors.update(normalize_title(names).split())
        for word in normalize_title(f"{names} {entry['text']}").split():
            by_word[word.rstrip("abcdef") if _YEAR.match(word) else word].add(entry["id"])
    for part in parts:
        is_self = title and title in normalize_title(part.text)  # how to cite this paper
        for match in () if part.row or is_self else _AUTHOR_CITATION.finditer(part.text):
            words = normalize_title(" ".join(re.findall(_NAME, match[0]))).split()
            named = {word for word in words if len(word) > 1}
            found = {entry for name in named for entry in by_word[name] & by_word[match["year"]]}
            before = part.text[: match.start()]
            is_opened = not match["space"] or before.endswith(("(", "; "))
            is_sure = not authors.isdisjoint(named) or (match["others"] and match["joined"] != "and")
            if found or (is_opened and is_sure and not _CAPITAL_BEFORE.search(before)):
                why = f"no entry of the list of references has one of these names and the year {match['year']}"
                yield Citation(part, match.span(), " ".join(match[0].split()), found, why)


def _find_named_entries(entries: Sequence[Reference], parts: Sequence[Statement]) -> set[str]:
    """Ids of entries of which the text has a name, or the initials of an organisation, and of what may be no entry."""
    told = {word for part in parts for word in re.findall(r"[^\W\d_]+", strip_accents(part.text))}
    found = set[str]()
    for entry in entries:
        names = _CAPITALISED_WORD.findall(strip_accents(_YEAR.split(entry["text"][:_MAX_AUTHORS_CHARACTERS])[0]))
        initials = "".join(name[0] for name in names)
        if not names or not _YEAR.search(entry["text"]) or not told.isdisjoint([*names, initials]):
            found.add(entry["id"])
    return found
