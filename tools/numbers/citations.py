"""Compare citations with the list of references, in the style of the paper: numbers, or authors and years.

Nothing is reported if fewer than half of the entries are cited in that style. If citations and list differ in many
places, one of them was not read completely; this is reported as unread.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from state.computed_findings import ComputedFinding
from state.documents import Document, Reference
from tools.numbers.cross_references import list_range
from tools.numbers.statements import Statement, quote_entry
from tools.text import normalize_title, strip_accents

_MAX_AUTHORS_CHARACTERS = 60  # of an entry without a year
_MIN_CITED_SHARE = 0.5
_MIN_PART_CHARACTERS = 4  # of a name that may be a part of a word
_UNMARKED_FORMATS = {"pdf", "text"}  # other formats count or mark the entries
# [1, 3–5] and [7, p. 3]
_NUMBERED_CITATION = re.compile(r"\[(\d{1,3}(?:\s?[,;–-]\s?\d{1,3})*)(?:, [A-Za-z][^\]]{0,20})?\]")
_CITATION_RANGE = re.compile(r"\]([–-])\[")  # [2]–[6]
_RAISED_DIGITS = "⁰¹²³⁴⁵⁶⁷⁸⁹"
_PLAIN_DIGITS = str.maketrans(_RAISED_DIGITS, "0123456789")
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
    """Named tuple of a place where the text cites, and the entries that it may cite."""

    part: Statement
    place: tuple[int, int]
    label: str
    entries: set[str]  # ids of the entries that it may cite
    problem: str  # the contradiction, if there are none


def check_citations(document: Document, statements: Sequence[Statement]) -> tuple[list[ComputedFinding], list[str]]:
    """Return findings about missing and uncited entries, and messages about what was not read, as a pair."""
    # 1. Compare the citations with the list.
    entries = document["references"]
    citations = _list_citations(document, statements)
    is_named = all(each.label[:1] != "[" for each in citations)
    known = {entry for citation in citations for entry in citation.entries}
    unknown = {each.label: each for each in reversed(citations) if not each.entries}

    # 2. Stop if either was not read completely.
    is_cited = len(known) >= _MIN_CITED_SHARE * len(entries)
    broken = [each for each in entries if not _WHOLE_ENTRY.match(each["text"])]
    if document["format"] in _UNMARKED_FORMATS and is_named and broken and is_cited:
        return [], [f"{len(broken)} of {len(entries)} entries of the list of references were not read as whole entries"]
    labels = {each.label for each in citations}
    most = 0.1 * len(labels) if is_named else max(2, 0.1 * len(known))
    just_past = {f"[{len(entries) + beyond}]" for beyond in (1, 2) if known}
    if len(unknown) > most or just_past & unknown.keys():
        warning = f"{len(unknown)} of {len(labels)} citations have no entry in the list of references as it was read"
        return [], [f"{warning}, such as {', '.join(list(unknown)[-3:])}"]
    if not known or not is_cited:
        return [], []

    # 3. Report citations without an entry, and entries that are never cited.
    found = [
        part.build_finding("citation", "medium", place, computation=problem, consistent=f"an entry for {label}")
        for part, place, label, _, problem in unknown.values()
    ]
    known |= _find_named_entries(entries, statements) if is_named else set()
    uncited = [entry for entry in entries if entry["id"] not in known]
    if len(uncited) > max(1, 0.1 * len(entries)):
        return found, [f"citations of {len(uncited)} entries of the list of references were not found"]
    for entry in uncited:
        why = f"entry {entry['id']} of the list of references is never cited"
        consistent = "a citation of it, or a list without it"
        found.append(quote_entry(entry).build_finding("reference", "low", computation=why, consistent=consistent))
    return found, []


def _list_citations(document: Document, statements: Sequence[Statement]) -> list[Citation]:
    """Return the citations in that style, by authors or by numbers, in which most entries are cited."""
    entries = document["references"]
    numbers = [entry["id"].removeprefix("" if document["format"] in _UNMARKED_FORMATS else "r") for entry in entries]
    styles = [list(_read_author_citations(document, statements))]
    if numbers == [str(number) for number in range(1, len(entries) + 1)]:
        patterns = (_NUMBERED_CITATION, _RAISED_CITATION)
        styles += [list(_read_numbered_citations(entries, statements, pattern)) for pattern in patterns]
    return max(styles, key=lambda each: (len(set().union(*(cited.entries for cited in each))), len(each)))


def _read_numbered_citations(
    entries: Sequence[Reference], statements: Sequence[Statement], style: re.Pattern[str]
) -> Iterator[Citation]:
    """Yield a citation for each number that a style cites; numbers far beyond the list are skipped."""
    last = len(entries)
    beyond = 2 * last + 10 if entries else 1000  # a number far beyond the list may be anything
    for part in statements:
        for match in style.finditer(_CITATION_RANGE.sub(r" \1 ", part.text)):
            listed = next(filter(None, match.groups())).translate(_PLAIN_DIGITS)
            ranges = re.findall(r"(\d+)(?:\s?[–-]\s?(\d+))?", listed)
            for number in (each for ends in ranges for each in list_range(*ends)):
                found = {entries[number - 1]["id"]} if 0 < number <= last else set[str]()
                problem = f"[{number}] is cited; the list of references ends with [{last}]"
                if found or (0 < number < beyond and not part.row):
                    yield Citation(part, match.span(), f"[{number}]", found, problem)


def _read_author_citations(document: Document, statements: Sequence[Statement]) -> Iterator[Citation]:
    """Yield the citations by authors and year; those without an entry only if they are surely citations."""
    # 1. List the entries of each year. A dash repeats the authors of the entry above.
    by_year, authors, names = defaultdict[str, dict[str, str]](dict), set[str](), ""
    for entry in document["references"]:
        if not re.match(_SAME_AUTHORS, entry["text"]):
            names = _YEAR.split(entry["text"][:_MAX_AUTHORS_CHARACTERS])[0]
        authors.update(normalize_title(names).split())
        text = normalize_title(f"{names} {entry['text']}")
        for year in _YEAR.findall(text):
            by_year[year][entry["id"]] = f" {text} "

    # 2. Look citations up, but not in sentences on how to cite this paper.
    title = normalize_title(document["title"])
    for part in statements:
        is_self = title and title in normalize_title(part.text)
        for match in () if part.row or is_self else _AUTHOR_CITATION.finditer(part.text):
            words = normalize_title(" ".join(re.findall(_NAME, match[0]))).split()
            named = {word for word in words if len(word) > 1}
            entries = by_year[match["year"]].items()
            found = {entry for entry, text in entries if any(_is_named(name, text) for name in named)}
            # A name that no entry has is certainly cited only if several authors are.
            before = part.text[: match.start()]
            is_opened = not match["space"] or before.endswith(("(", "; "))
            is_sure = not authors.isdisjoint(named) or (match["others"] and match["joined"] != "and")
            if found or (is_opened and is_sure and not _CAPITAL_BEFORE.search(before)):
                problem = f"no entry of the list of references has one of these names and the year {match['year']}"
                yield Citation(part, match.span(), " ".join(match[0].split()), found, problem)


def _is_named(name: str, text: str) -> bool:
    """Return whether a normalized text has a name: a short one as a word, others in LeBlanc and Le Blanc alike."""
    return f" {name} " in text if len(name) < _MIN_PART_CHARACTERS else name in text.replace(" ", "")


def _find_named_entries(entries: Sequence[Reference], statements: Sequence[Statement]) -> set[str]:
    """Return the ids of entries whose authors or initials the text has, and of those without names or a year."""
    words = {word for part in statements for word in re.findall(r"[^\W\d_]+", strip_accents(part.text))}
    found = set[str]()
    for entry in entries:
        names = _CAPITALISED_WORD.findall(strip_accents(_YEAR.split(entry["text"][:_MAX_AUTHORS_CHARACTERS])[0]))
        initials = "".join(name[0] for name in names) if len(names) > 1 else ""  # WHO, but not the A of Adams
        if not names or not _YEAR.search(entry["text"]) or not words.isdisjoint([*names, initials]):
            found.add(entry["id"])
    return found
