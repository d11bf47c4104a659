"""References that are looked up, against sites that answer as Crossref, OpenAlex and doi.org do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from state.documents import Reference
from tests.tools.literature.conftest import client
from tests.tools.literature.site import Answer, Site, json_answer
from tools.literature.references import ReferenceLookup, check_references, extract_reference_title
from tools.literature.web import WebClient

MOSS = "Green, A., & Brown, B. (2021). Attention in moss on northern roofs. Journal of Mosses, 3, 1-9."
WITH_DOI = f"{MOSS} https://doi.org/10.1000/moss.1"
REGISTERED = json_answer([{"DOI": "10.1000/moss.1", "RA": "DataCite"}])
UNREGISTERED = json_answer([{"DOI": "10.1000/moss.1", "status": "DOI does not exist"}])


def in_crossref(title: str = "Attention in moss on northern roofs", year: int = 2021, **more: Any) -> dict[str, Any]:
    authors = [{"given": "Ada", "family": "Green"}, {"given": "Bo", "family": "Brown"}]
    return {"DOI": "10.1000/MOSS.1", "title": [title], "author": authors, "issued": {"date-parts": [[year]]}, **more}


def in_openalex(title: str = "Attention in moss on northern roofs", **more: Any) -> dict[str, Any]:
    author = {"author": {"display_name": "Ada Green"}}
    return {
        "id": "https://openalex.org/W1",
        "display_name": title,
        "publication_year": 2021,
        "authorships": [author],
    } | more


def crossref(*items: Any) -> Answer:
    return json_answer({"status": "ok", "message": {"items": list(items)}})


def openalex(*results: Any) -> Answer:
    return json_answer({"meta": {"count": len(results)}, "results": list(results)})


@pytest.fixture
def alex() -> Iterator[Site]:
    site = Site()
    yield site
    site.close()


@pytest.fixture
def index(site: Site, alex: Site, web: WebClient) -> ReferenceLookup:
    site.pages["/works"], alex.pages["/works"] = crossref(), openalex()
    site.pages["/doiRA/10.1000/moss.1"] = REGISTERED
    return ReferenceLookup([client("crossref", web, site), client("openalex", web, alex)], web, site.url("/doiRA/"))


async def looked_up(index: ReferenceLookup, text: str) -> list[tuple[str, str]]:
    found, unread = await check_references([Reference(id="1", text=text)], index)
    assert unread == []
    assert {each["kind"] for each in found} <= {"reference lookup"}
    return [(each["severity"], each["computation"]) for each in found]


async def test_a_reference_as_the_services_know_it_is_right(index: ReferenceLookup, site: Site, alex: Site):
    site.pages["/works"], alex.pages["/works"] = crossref(in_crossref()), openalex(in_openalex(is_retracted=False))
    assert await looked_up(index, WITH_DOI) == []
    assert await looked_up(index, MOSS) == []
    assert [asked.query.get("filter") for asked in site.asked] == ["doi:10.1000/moss.1", None]
    assert site.asked[1].query["query.bibliographic"] == "attention moss northern roofs"


@pytest.mark.parametrize(
    ("known", "severity", "told"),
    [
        (
            in_crossref("Ferns of the southern hemisphere"),
            "medium",
            "the DOI leads to “Ferns of the southern hemisphere”",
        ),
        (in_crossref(year=2012), "low", "is of 2012"),
        (in_crossref(author=[{"given": "Cy", "family": "Costa"}]), "medium", "is by Cy Costa"),
        (in_crossref(**{"updated-by": [{"type": "retraction", "DOI": "10.1000/2"}]}), "high", "it was retracted"),
    ],
)
async def test_what_a_doi_leads_to_is_compared(
    index: ReferenceLookup, site: Site, known: Any, severity: str, told: str
):
    site.pages["/works"] = crossref(known)
    ((graded, computation),) = await looked_up(index, WITH_DOI)
    assert graded == severity
    assert told in computation


async def test_one_of_two_services_may_know_that_it_was_retracted(index: ReferenceLookup, site: Site, alex: Site):
    site.pages["/works"], alex.pages["/works"] = crossref(in_crossref()), openalex(in_openalex(is_retracted=True))
    assert await looked_up(index, MOSS) == [("high", "it was retracted, as openalex says")]


async def test_a_title_that_nobody_knows_is_told_mildly(index: ReferenceLookup, site: Site):
    site.pages["/works"] = crossref(in_crossref("Attention in moss and ferns of the wild southern coast"))
    ((severity, computation),) = await looked_up(index, MOSS)
    assert severity == "low"
    assert "neither Crossref nor OpenAlex" in computation


async def test_a_doi_that_no_agency_has_registered(index: ReferenceLookup, site: Site):
    assert await looked_up(index, WITH_DOI) == []  # another agency's
    site.pages["/doiRA/10.1000/moss.2"] = UNREGISTERED
    text = WITH_DOI.replace("moss.1", "moss.2")
    assert await looked_up(index, text) == [("medium", "no agency has registered the DOI 10.1000/moss.2")]


async def test_a_doi_that_a_line_break_cut_off_is_that_of_the_title(index: ReferenceLookup, site: Site):
    site.pages["/works"] = [crossref(), crossref(in_crossref())]
    site.pages["/doiRA/10.1000/mo"] = UNREGISTERED
    assert await looked_up(index, f"{MOSS} https://doi.org/10.1000/mo ss.1") == []


@pytest.mark.parametrize("failure", [Answer(status=503), Answer("<html/>", "text/html")], ids=["down", "no JSON"])
async def test_a_service_that_fails_is_told_and_finds_nothing_missing(
    index: ReferenceLookup, alex: Site, failure: Answer
):
    alex.pages["/works"] = failure
    entries = [Reference(id=str(at), text=MOSS.replace("roofs", f"roof{at}")) for at in range(9)]
    found, unread = await check_references(entries, index)
    assert found == []
    assert "openalex failed: " in unread[0]
    assert unread[1] == "9 of 9 references were not looked up everywhere"
    assert len({asked.query["search"] for asked in alex.asked}) == 3, "it is not asked for the others"


async def test_it_ends_in_time(index: ReferenceLookup, site: Site):
    site.pages["/works"] = Answer(" ", "application/json", hangs=True)
    found, unread = await check_references([Reference(id="1", text=MOSS)], index, seconds=0.05)
    assert found == []
    assert unread == [
        "the look-up of references was stopped after 0.05 s",
        "1 of 1 references were not looked up everywhere",
    ]


@pytest.mark.parametrize(
    ("entry", "title"),
    [
        (MOSS, "Attention in moss on northern roofs"),
        ("T. Kettle and M. Saucer. Leaves in the bin. Journal of Tea, 12:31-40, 2015.", "Leaves in the bin"),
        ("Kettle T, Saucer M. Leaves in the bin. J Tea. 2015;12:31-40.", "Leaves in the bin"),
        ("Ada Green and Bo Brown. 2021. Moss Grows Slowly. In Proceedings of Moss, pages 1-9.", "Moss Grows Slowly"),
        ("A. Green, “The leaves of tea,” Tea Lett., vol. 3, 2015.", "The leaves of tea"),
        ("Smith, J. & Doe, K. Phys. Rev. Lett. 98, 010505 (2007).", ""),
    ],
)
def test_the_title_of_an_entry(entry: str, title: str):
    assert extract_reference_title(entry) == title
