"""Each provider against a site that speaks its format; the samples are our own."""

from __future__ import annotations

from typing import Any

import pytest

from tests.tools.literature.conftest import client
from tests.tools.literature.site import Answer, Site, json_answer
from tools.literature.providers import ServiceClient
from tools.literature.records import Hit, extract_search_words
from tools.literature.url_guard import ServerFaultError
from tools.literature.web import Secret, WebClient

QUESTION = "Which self-attention models translate German?"

ENTRY = """
  <entry>
    <id>http://arxiv.org/abs/2301.00001v2</id>
    <title>Attention
      in moss</title>
    <summary>  We look at moss
      for a long time. </summary>
    <published>2023-01-02T10:00:00Z</published>
    <author><name>Ada Green</name></author>
    <author><name> Bo  Brown </name></author>
    <arxiv:doi>10.1000/Moss.1</arxiv:doi>
    <link href="http://arxiv.org/abs/2301.00001v2" rel="alternate" type="text/html"/>
    <link title="pdf" href="http://arxiv.org/pdf/2301.00001v2" rel="related" type="application/pdf"/>
  </entry>"""
BARE_ENTRY = "<entry><id>http://arxiv.org/abs/hep-th/9901001v1</id><title>Strings</title></entry>"
ERROR_ENTRY = """
  <entry><id>http://arxiv.org/api/errors#max_results_must_be_non-negative</id><title>Error</title>
  <summary>max_results must be non-negative</summary></entry>"""


def feed(*entries: str) -> Answer:
    body = f"""<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom">
  <title>arXiv Query</title>{"".join(entries)}
</feed>"""
    return Answer(body, "application/atom+xml; charset=UTF-8")


def hit(provider: str, **fields: Any) -> Hit:
    return Hit(provider, **fields)


def test_the_words_of_a_question_without_its_operators() -> None:
    assert extract_search_words(QUESTION) == ["self", "attention", "models", "translate", "german"]
    assert extract_search_words('What is "BM25" OR* (TF-IDF)?') == ["bm25", "tf", "idf"]
    assert extract_search_words("Who is who?") == ["who", "is"]
    assert extract_search_words("?!") == []
    assert len(extract_search_words(" ".join(f"word{number}" for number in range(40)))) == 10


class TestArxiv:
    path = "/api/query"

    async def test_entries_are_read(self, web: WebClient, site: Site) -> None:
        site.pages[self.path] = feed(ENTRY, BARE_ENTRY, "<entry><id>x</id></entry>")
        result = await client("arxiv", web, site).search(QUESTION, 7)
        assert result.hits == [
            hit(
                "arxiv",
                title="Attention in moss",
                authors=["Ada Green", "Bo Brown"],
                year=2023,
                abstract="We look at moss for a long time.",
                address="http://arxiv.org/abs/2301.00001v2",
                pdf_address="http://arxiv.org/pdf/2301.00001v2",
                identifiers=["arxiv:2301.00001", "doi:10.1000/moss.1"],
            ),
            hit(
                "arxiv",
                title="Strings",
                address="http://arxiv.org/abs/hep-th/9901001v1",
                pdf_address="http://arxiv.org/pdf/hep-th/9901001v1",
                identifiers=["arxiv:hep-th/9901001"],
            ),
        ]
        (asked,) = site.asked
        assert asked.query == {
            "search_query": "all:self AND all:attention AND all:models AND all:translate AND all:german",
            "start": "0",
            "max_results": "7",
            "sortBy": "relevance",
        }

    async def test_any_word_will_do_if_not_all_do(self, web: WebClient, site: Site) -> None:
        site.pages[self.path] = [feed(), feed(ENTRY)]
        result = await client("arxiv", web, site).search("moss attention", 3)
        assert [found.title for found in result.hits] == ["Attention in moss"]
        assert [asked.query["search_query"] for asked in site.asked] == [
            "all:moss AND all:attention",
            "all:moss OR all:attention",
        ]

    @pytest.mark.parametrize(
        "answer",
        [
            feed(ERROR_ENTRY),
            Answer("<feed", "application/atom+xml"),
            Answer("<html/>", "text/xml"),
            Answer(b"\xff\xfe<\0f\0e\0e\0d\0", "application/atom+xml"),
            Answer('<!DOCTYPE f [<!ENTITY a "aaaa">]><feed>&a;</feed>', "application/atom+xml"),
            Answer("", "application/atom+xml"),
        ],
        ids=["an error", "cut off", "another document", "UTF-16", "entities", "nothing"],
    )
    async def test_what_is_no_feed_is_a_fault(self, answer: Answer, web: WebClient, site: Site) -> None:
        site.pages[self.path] = answer
        with pytest.raises(ServerFaultError, match="not in the format of its service"):
            await client("arxiv", web, site).search(QUESTION, 3)


class TestSemanticScholar:
    path = "/graph/v1/paper/search"

    async def test_papers_are_read(self, web: WebClient, site: Site) -> None:
        full = {
            "paperId": "p1",
            "externalIds": {"DOI": "10.1000/Moss.1", "ArXiv": "2301.00001", "CorpusId": 5},
            "url": "https://www.semanticscholar.org/paper/p1",
            "title": "Attention in moss",
            "abstract": "We look at moss.",
            "year": 2023,
            "authors": [{"authorId": "1", "name": "Ada Green"}, {"authorId": None, "name": None}],
            "openAccessPdf": {"url": "https://papers.example/moss.pdf", "status": "GREEN"},
        }
        empty = dict.fromkeys(full, None) | {"title": "Strings", "url": "https://www.semanticscholar.org/paper/p2"}
        arxiv_only = {"title": "Quarks", "externalIds": {"ArXiv": "2301.00002"}, "openAccessPdf": {"url": ""}}
        broken = [{"paperId": "p3", "title": None}, {"paperId": "p4"}, "p5", {"title": ["x"], "year": "soon"}]
        site.pages[self.path] = json_answer({"total": 9, "offset": 0, "data": [full, empty, arxiv_only, *broken]})
        result = await client("semantic_scholar", web, site).search(QUESTION, 7)
        assert result.hits == [
            hit(
                "semantic_scholar",
                title="Attention in moss",
                authors=["Ada Green"],
                year=2023,
                abstract="We look at moss.",
                address="https://doi.org/10.1000/Moss.1",
                pdf_address="https://papers.example/moss.pdf",
                identifiers=["doi:10.1000/moss.1", "arxiv:2301.00001"],
            ),
            hit("semantic_scholar", title="Strings", address="https://www.semanticscholar.org/paper/p2"),
            hit(
                "semantic_scholar",
                title="Quarks",
                pdf_address="https://arxiv.org/pdf/2301.00002",
                identifiers=["arxiv:2301.00002"],
            ),
        ]
        (asked,) = site.asked
        assert asked.query["query"] == "self attention models translate german"
        assert asked.query["limit"] == "7"
        assert "x-api-key" not in asked.headers

    async def test_a_key_is_sent_if_there_is_one(self, web: WebClient, site: Site) -> None:
        site.pages[self.path] = json_answer({"total": 0, "offset": 0})
        assert (
            await client("semantic_scholar", web, site, Secret("header", "x-api-key", "s3cret")).search(QUESTION, 3)
        ).hits == []
        assert site.asked[0].headers["x-api-key"] == "s3cret"


class TestOpenAlex:
    path = "/works"

    async def test_works_are_read(self, web: WebClient, site: Site) -> None:
        full = {
            "id": "https://openalex.org/W1",
            "doi": "https://doi.org/10.1000/Moss.1",
            "display_name": "Attention in moss",
            "publication_year": 2023,
            "type": "article",
            "authorships": [{"author": {"display_name": "Ada Green"}}, {"author": None}],
            "abstract_inverted_index": {"look": [1, 4], "We": [0], "at": [2], "moss.": [3, 5]},
            "best_oa_location": {"landing_page_url": "https://arxiv.org/abs/2301.00001", "pdf_url": None},
            "primary_location": {"landing_page_url": None, "pdf_url": "https://papers.example/moss.pdf"},
        }
        empty = dict.fromkeys(full, None) | {"id": "https://openalex.org/W2", "display_name": "Strings"}
        review = empty | {"display_name": "Review of: Strings", "type": "peer-review"}
        site.pages[self.path] = json_answer({"meta": {}, "results": [full, empty, review, {"display_name": None}, 5]})
        result = await client("openalex", web, site, contact="me@example.org").search(QUESTION, 7)
        assert result.hits == [
            hit(
                "openalex",
                title="Attention in moss",
                authors=["Ada Green"],
                year=2023,
                abstract="We look at moss. look moss.",
                address="https://doi.org/10.1000/Moss.1",
                pdf_address="https://papers.example/moss.pdf",
                identifiers=["doi:10.1000/moss.1", "arxiv:2301.00001"],
            ),
            hit("openalex", title="Strings", address="https://openalex.org/W2"),
        ]
        (asked,) = site.asked
        assert asked.query["search"] == "self attention models translate german"
        assert asked.query["mailto"] == "me@example.org"
        assert "api_key" not in asked.query

    async def test_any_word_will_do_if_not_all_do(self, web: WebClient, site: Site) -> None:
        site.pages[self.path] = json_answer({"results": []})
        assert (
            await client("openalex", web, site, Secret("query", "api_key", "s3cret")).search("moss attention", 3)
        ).hits == []
        assert [asked.query["search"] for asked in site.asked] == ["moss attention", "moss OR attention"]
        assert site.asked[0].query["api_key"] == "s3cret"
        assert "mailto" not in site.asked[0].query

    async def test_an_inverted_index_with_huge_places_stays_small(self, web: WebClient, site: Site) -> None:
        index = {"end": [10**12], "begin": [0], "odd": "x"}
        site.pages[self.path] = json_answer({"results": [{"display_name": "Moss", "abstract_inverted_index": index}]})
        (found,) = (await client("openalex", web, site).search("moss", 3)).hits
        assert found.abstract == "begin end"


class TestCrossref:
    path = "/works"

    async def test_works_are_read(self, web: WebClient, site: Site) -> None:
        full = {
            "DOI": "10.1000/Moss.1",
            "URL": "http://dx.doi.org/10.1000/Moss.1",
            "type": "journal-article",
            "title": ["Attention in <i>moss</i>"],
            "abstract": "<jats:title>Abstract</jats:title><jats:p>We look at moss &amp; ferns &lt; trees.</jats:p>",
            "author": [
                {"given": "Ada", "family": "Green", "sequence": "first"},
                {"family": "Brown"},
                {"name": "The Moss Group"},
            ],
            "issued": {"date-parts": [[2023, 1, 2]]},
            "link": [
                {"URL": "https://papers.example/moss.xml", "content-type": "text/xml"},
                {"URL": "https://papers.example/moss.pdf", "content-type": "application/pdf"},
            ],
            "resource": {"primary": {"URL": "https://papers.example/moss"}},
        }
        bare = {"DOI": "10.1000/2", "title": ["Strings"], "issued": {"date-parts": [[None]]}}
        undated = {"DOI": "10.1000/3", "title": ["Quarks"], "issued": {"date-parts": []}, "resource": {"primary": None}}
        review = {"DOI": "10.1000/4", "title": ["Review for Strings"], "type": "peer-review"}
        untitled = [{"DOI": "10.1000/5", "title": []}, {"DOI": "10.1000/6"}, None]
        items = [full, bare, undated, review, *untitled]
        site.pages[self.path] = json_answer({"status": "ok", "message": {"items": items}})
        result = await client("crossref", web, site, contact="me@example.org").search(QUESTION, 7)
        assert result.hits == [
            hit(
                "crossref",
                title="Attention in moss",
                authors=["Ada Green", "Brown", "The Moss Group"],
                year=2023,
                abstract="We look at moss & ferns < trees.",
                address="https://papers.example/moss",
                pdf_address="https://papers.example/moss.pdf",
                identifiers=["doi:10.1000/moss.1"],
            ),
            hit("crossref", title="Strings", address="https://doi.org/10.1000/2", identifiers=["doi:10.1000/2"]),
            hit("crossref", title="Quarks", address="https://doi.org/10.1000/3", identifiers=["doi:10.1000/3"]),
        ]
        (asked,) = site.asked
        assert asked.query == {
            "query.bibliographic": "self attention models translate german",
            "rows": "7",
            "mailto": "me@example.org",
        }


@pytest.fixture(params=["semantic_scholar", "openalex", "crossref"])
def json_provider(request: pytest.FixtureRequest, web: WebClient, site: Site) -> ServiceClient:
    return client(request.param, web, site)


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "null", '{"message": "Forbidden"}', "[" * 100_000, b"\xff"], ids=range(7)
)
async def test_what_is_no_answer_is_a_fault(body: str | bytes, json_provider: ServiceClient, site: Site) -> None:
    for path in ("/graph/v1/paper/search", "/works"):
        site.pages[path] = Answer(body, "application/json")
    with pytest.raises(ServerFaultError, match="not in the format of its service"):
        await json_provider.search(QUESTION, 3)
