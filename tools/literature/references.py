"""Check that references exist: each entry is looked up at Crossref and OpenAlex by its DOI, or else by its title.

A title matches if at least 80 % of its words occur in the entry in their order, and differs below 50 %. A service that
fails is reported, and entries that it could not look up are never called missing.
"""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import partial
from urllib.parse import quote

from pydantic_core import from_json

from state.computed_findings import ComputedFinding, PaperReport, Severity
from state.documents import Document, Reference
from state.settings import LiteratureSettings
from tools.literature import build_sources
from tools.literature.providers import ServiceClient
from tools.literature.records import Hit, SearchResult, extract_identifiers
from tools.literature.url_guard import FetchError
from tools.literature.web import JSON_TYPES, Service, WebClient
from tools.numbers.statements import quote_entry
from tools.text import normalize_title

_TIME_LIMIT_S = 180.0
_SAME_TITLE_SHARE, _OTHER_TITLE_SHARE = 0.8, 0.5
_MIN_TITLE_WORDS = 3
_CANDIDATES = 10
_MOST_FAILURES = 3
_QUOTED_TITLE = re.compile(r"[“\"](?P<title>[^“”\"]{15,}?)[.,?!]?[”\"]")
_YEARS = r"(?:1[89]|20)\d\d"
_YEAR = re.compile(rf"\b{_YEARS}\b")
_YEAR_BEFORE_TITLE = re.compile(  # Adams, B. (2011, May 3). Title; Costa. 2000. Title
    rf"(?:\({_YEARS}[^()]{{0,20}}\)|\b{_YEARS}[a-z]?\b)[.,:]?\s+(?=\W?[^\W\d_])"
)
_NAME_PARTICLES = {"and", "et", "al", "van", "von", "der", "den", "de", "la", "di", "da", "del", "dos", "eds"}


@dataclass
class ReferenceLookup:
    """Clients of the services; a service that fails three times is no longer asked."""

    clients: Sequence[ServiceClient]
    web: WebClient
    agencies: str = "https://doi.org/doiRA/"  # returns the agency of a DOI (the DOI handbook, "Which RA?")
    failures: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    async def query_services(
        self, question: Callable[[ServiceClient], Awaitable[SearchResult]]
    ) -> tuple[list[Hit], bool]:
        """Return the hits of the services, and whether all of them have answered."""

        async def query_client(client: ServiceClient) -> list[Hit] | None:
            """Return the hits of a client; None if it fails, which is noted, or has failed three times."""
            if len(self.failures[client.name]) < _MOST_FAILURES:
                try:
                    return (await question(client)).hits
                except FetchError as error:
                    self.failures[client.name].append(str(error).rstrip("."))
            return None

        answers = await asyncio.gather(*(query_client(client) for client in self.clients))
        return [hit for answer in answers for hit in answer or []], None not in answers

    async def is_unregistered(self, doi: str) -> bool:
        """Return whether no agency has registered a DOI, by their own answer; False if they do not answer."""
        address, service = self.agencies + quote(doi), Service("doi", 0.2)
        with suppress(FetchError):
            answer = await self.web.query_service(service, address, {}, accept=JSON_TYPES, read=from_json)
            return "does not exist" in str(answer)
        return False


def look_up_references(report: PaperReport, document: Document, settings: LiteratureSettings) -> PaperReport:
    """Look up the references of a paper at Crossref and OpenAlex; return a copy of its report with what was found.

    Of the settings, keys and contact are used; the providers do not matter.

    Raises:
        SettingsError: A key or the contact holds characters that are invalid in a header.
        StateError: An answer cannot be stored.
    """
    chosen = settings.model_copy(update={"providers": ["crossref", "openalex"]})
    sources = build_sources(chosen, rank=lambda *_, **__: [])
    clients = [each for each in sources.providers if isinstance(each, ServiceClient)]
    found, unread = asyncio.run(check_references(document["references"], ReferenceLookup(clients, sources.web)))
    findings, unread = [*report["findings"], *found], [*report["unread"], *unread]
    return {**report, "findings": findings, "unread": unread, "references_looked_up": True}


async def check_references(
    entries: Sequence[Reference], lookup: ReferenceLookup, seconds: float = _TIME_LIMIT_S
) -> tuple[list[ComputedFinding], list[str]]:
    """Look up entries one by one; return findings, and sentences on what failed or was stopped by the time limit."""
    found, unread, done = list[ComputedFinding](), list[str](), 0
    try:
        async with asyncio.timeout(seconds):
            for entry in entries:
                findings, is_complete = await _check_reference(entry, lookup)
                found += findings
                done += is_complete
    except TimeoutError:
        unread.append(f"the look-up of references was stopped after {seconds:g} s")
    unread += [f"{name} failed: {'; '.join(dict.fromkeys(each))}" for name, each in lookup.failures.items() if each]
    if done < len(entries):
        unread.append(f"{len(entries) - done} of {len(entries)} references were not looked up everywhere")
    return found, unread


async def _check_reference(entry: Reference, lookup: ReferenceLookup) -> tuple[list[ComputedFinding], bool]:
    """Look up an entry; return findings about it, and whether every service has answered."""
    # 1. Look the entry up by its DOI, else by its title together with an author or the year.
    text, title = entry["text"], extract_reference_title(entry["text"])
    doi = next((name[4:] for name in extract_identifiers([text]) if name.startswith("doi:")), "")
    hits, is_complete = (
        await lookup.query_services(lambda client: client.look_up_doi(doi)) if doi else ([], bool(title))
    )
    if title and not hits:
        named, is_answered = await lookup.query_services(lambda client: client.search(title, _CANDIDATES))
        alike = [hit for hit in named if _compute_title_overlap(hit.title, text) >= _SAME_TITLE_SHARE]
        hits = [hit for hit in alike if _has_author(hit, text) or str(hit.year) in text]
        is_complete = is_complete and is_answered
    # 2. Compare the entry with the hits, or report that it is missing.
    discrepancies = list(_list_discrepancies(text, hits)) if hits else []
    # A DOI that is the beginning of a known one was cut off by a line break.
    cut_off = any(name.startswith(f"doi:{doi}") for hit in hits for name in hit.identifiers)
    if doi and not cut_off and await lookup.is_unregistered(doi):
        why = f"no agency has registered the DOI {doi}"
        discrepancies.append(("medium", why, "a DOI that exists", "a line break within the DOI"))
    elif not doi and is_complete and not hits:
        why = "neither Crossref nor OpenAlex has a work with this title and these authors or this year"
        missing = "books, theses, preprints and regional journals are often missing there"
        discrepancies.append(("low", why, "a work that can be found", missing))
    find = partial(quote_entry(entry).build_finding, "reference lookup")
    return [
        find(severity, computation=why, consistent=consistent, explanations=[other] if other else [])
        for severity, why, consistent, other in discrepancies
    ], is_complete


def _list_discrepancies(text: str, hits: Sequence[Hit]) -> Iterator[tuple[Severity, str, str, str]]:
    """Yield severity, problem, what would fit and another explanation for each conflict with a hit or a retraction."""
    best = max(hits, key=lambda hit: _compute_title_overlap(hit.title, text))
    title, is_long = best.title, len(normalize_title(best.title).split()) >= _MIN_TITLE_WORDS
    if is_long and extract_reference_title(text) and _compute_title_overlap(title, text) < _OTHER_TITLE_SHARE:
        other = "a title in another language, or the DOI of the book or issue"
        yield "medium", f"the DOI leads to “{title}”", "the DOI of this work", other
        return  # authors and year of another work say nothing about this one
    if retracted := [hit.provider for hit in hits if hit.retracted]:
        yield "high", f"it was retracted, as {retracted[0]} says", "a work that stands", ""
    if best.authors and not any(_has_author(hit, text) for hit in hits):
        why = f"“{title}” is by {', '.join(best.authors[:3])}"
        yield "medium", why, "the names of its authors", "another work with this title, or an organisation"
    printed, years = [int(year) for year in _YEAR.findall(text)], [hit.year for hit in hits if hit.year]
    # Online and printed publication often differ by a year.
    if printed and years and min(abs(year - other) for year in years for other in printed) > 1:
        why, other = f"“{title}” is of {min(years)}", "a reprint, a translation or another edition"
        yield "low", why, f"the year {min(years)}", other


def extract_reference_title(entry: str) -> str:
    """Return the title of an entry (quoted, behind the year, or a first sentence of more than names), or empty text."""
    if quoted := _QUOTED_TITLE.search(entry):
        return quoted["title"]
    dated = _YEAR_BEFORE_TITLE.search(entry)
    if dated and _count_lowercase_words(entry[: dated.start()]) < 2:
        title = re.split(r"[.?!]\s", entry[dated.end() :])[0]
        return title if len(normalize_title(title).split()) >= _MIN_TITLE_WORDS else ""
    sentences = (part for part in re.split(r"[.?!]\s", entry) if len(part.split()) >= _MIN_TITLE_WORDS)
    return next((part for part in sentences if _count_lowercase_words(part) >= 2), "")


def _count_lowercase_words(text: str) -> int:
    """Count the words in lower case that are not particles of names."""
    return sum(word.islower() and word not in _NAME_PARTICLES for word in re.findall(r"[^\W\d_]{2,}", text))


def _compute_title_overlap(title: str, entry: str) -> float:
    """Return the share of a title's words that an entry has in their order; 0 if the title is too short."""
    wanted, words = normalize_title(title).split(), normalize_title(entry).split()
    blocks = SequenceMatcher(None, wanted, words, autojunk=False).get_matching_blocks()
    return sum(block.size for block in blocks) / len(wanted) if len(wanted) >= _MIN_TITLE_WORDS else 0.0


def _has_author(hit: Hit, entry: str) -> bool:
    """Return whether an entry contains the last name of an author."""
    names = {normalize_title(author).split()[-1] for author in hit.authors if normalize_title(author)}
    return not names.isdisjoint(normalize_title(entry).split())
