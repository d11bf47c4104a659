"""From a question to documents: what is read, what is kept out, and what is told of the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from state.errors import RetrievalUnavailableError, SettingsError
from state.settings import LiteratureSettings
from tests.tools.literature.conftest import Library, client, open_gate
from tests.tools.literature.site import Answer, Site, json_answer, redirect
from tests.tools.literature.test_folder import WordRank
from tests.tools.literature.test_providers import hit
from tools.literature import FoundDocument, Sources, build_sources, find_documents
from tools.literature.folder import FolderProvider
from tools.literature.records import Hit, ReviewedPaper, SearchResult
from tools.literature.web import Fetcher, Secret, WebClient

QUESTION = "How does moss grow?"
LONG = "moss " * 200


@dataclass(frozen=True)
class Shelf:
    """A provider with the hits that it is given."""

    hits: list[Hit]
    name: str = "shelf"

    async def search(self, query: str, limit: int) -> SearchResult:
        return SearchResult(self.hits[:limit], [])


def paper(text: str = LONG, kind: str = "application/pdf") -> Answer:
    return Answer(text, kind)


def told(found: FoundDocument) -> tuple[str, str]:
    return found["title"], found["address"]


@pytest.fixture
def sources(web: WebClient, library: Library) -> Sources:
    return Sources([], web, library.read)


def with_hits(sources: Sources, *hits: Hit) -> Sources:
    return replace(sources, providers=[Shelf(list(hits))])


async def test_the_first_results_that_can_be_read_are_found_in_order(sources: Sources, site: Site) -> None:
    for number in (1, 3, 4, 5):
        site.pages[f"/{number}.pdf"] = paper(f"{LONG} {number}")
    hits = [hit("shelf", title=f"Of moss, {number}", pdf_address=site.url(f"/{number}.pdf")) for number in range(1, 6)]
    findings = await find_documents(QUESTION, with_hits(sources, *hits), limit=3)
    assert [told(found) for found in findings.found] == [
        (f"Of moss, {number}", site.url(f"/{number}.pdf")) for number in (1, 3, 4)
    ]
    assert findings.notes == [f"Literature, shelf: {site.url('/2.pdf')} answered with status 404"]
    assert "/5.pdf" not in {asked.path for asked in site.asked}


async def test_a_page_is_read_where_there_is_no_pdf(sources: Sources, site: Site, library: Library) -> None:
    site.pages["/a.pdf"] = Answer(status=403)
    site.pages["/a"] = paper(LONG, "text/html")
    moss = hit("shelf", title="Of moss", address=site.url("/a"), pdf_address=site.url("/a.pdf"), abstract="In short.")
    (found,) = (await find_documents(QUESTION, with_hits(sources, moss))).found
    assert told(found) == ("Of moss", site.url("/a"))
    assert library.read_names == ["a.html"]
    assert library.sources == [site.url("/a")]


@pytest.mark.parametrize(
    ("path", "kind", "name"),
    [
        ("/pdf/2301.00001v1", "application/pdf", "2301.00001v1.pdf"),
        ("/a%20b.PDF", "application/x-pdf", "a b.PDF"),
        ("/", "application/xhtml+xml", "page.html"),
        ("/a", "text/plain", "a.txt"),
    ],
)
async def test_the_reader_learns_the_type(
    path: str, kind: str, name: str, sources: Sources, site: Site, library: Library
) -> None:
    site.pages[path] = paper(LONG, kind)
    await find_documents(QUESTION, with_hits(sources, hit("shelf", address=site.url(path), title="Of moss")))
    assert library.read_names == [name]


@pytest.mark.parametrize(
    "page",
    [Answer(status=404), paper("broken"), paper("Accept our cookies."), Answer("x", "image/png"), paper(LONG[:700])],
    ids=["missing", "broken", "a cookie notice", "an image", "less than the abstract"],
)
async def test_else_the_abstract_serves(page: Answer, sources: Sources, site: Site) -> None:
    site.pages["/a"] = page
    abstract = "moss grows " * 80
    moss = hit("shelf", title="Of moss", address=site.url("/a"), abstract=abstract)
    findings = await find_documents(QUESTION, with_hits(sources, moss))
    (found,) = findings.found
    assert told(found) == ("Of moss", site.url("/a"))
    assert [each["text"] for each in found["document"]["paragraphs"]] == [abstract]
    assert len(findings.notes) == 1


async def test_a_hit_with_neither_is_left_out(sources: Sources, site: Site) -> None:
    findings = await find_documents(
        QUESTION, with_hits(sources, hit("shelf", title="Of moss", address="javascript:a()"))
    )
    assert findings.found == []
    assert "is not asked: only https is" in findings.notes[0]


async def test_blocked_hits_are_recorded_and_never_asked(sources: Sources, site: Site) -> None:
    site.pages["/forum"] = site.pages["/a.pdf"] = paper()
    review = site.url("/forum?id=x", host="openreview.net")
    hits = [
        hit("shelf", title="By address", address=review, abstract="moss", pdf_address=site.url("/a.pdf")),
        hit("shelf", title="By file", address=site.url("/a.pdf"), pdf_address=review),
        hit("shelf", title="By DOI", address=site.url("/a.pdf"), identifiers=["doi:10.7717/peerj.1"]),
    ]
    findings = await find_documents(QUESTION, with_hits(sources, *hits))
    assert findings.found == []
    assert findings.notes == [
        f"{review} was left out: it is on the blocklist (openreview.net).",
        f"{review} was left out: it is on the blocklist (openreview.net).",
        "https://doi.org/10.7717/peerj.1 was left out: it is on the blocklist (doi.org/10.7717).",
    ]
    assert site.asked == []


async def test_a_hit_that_redirects_to_a_blocked_site_gives_nothing(sources: Sources, site: Site) -> None:
    review = site.url("/forum", host="openreview.net")
    site.pages["/a"] = redirect(review)
    site.pages["/forum"] = paper()
    moss = hit("shelf", title="Of moss", address=site.url("/a"), abstract="Perhaps a review.")
    findings = await find_documents(QUESTION, with_hits(sources, moss))
    assert findings.found == []
    assert findings.notes == [f"{review} was left out: it is on the blocklist (openreview.net)."]
    assert [asked.path for asked in site.asked] == ["/a"]


async def test_the_paper_under_review_is_not_found(sources: Sources, site: Site) -> None:
    own = f"The file itself\n{LONG}"
    site.pages["/own"], site.pages["/titled"] = paper(own), paper(f"How moss grows in the dark\n{LONG}")
    site.pages["/other"] = paper(f"Of ferns\n{LONG}")
    hits = [
        hit("shelf", title="How moss grows in the dark", address="https://a.example/1"),
        hit("shelf", title="By number", address="https://a.example/2", identifiers=["arxiv:2301.00001"]),
        hit("shelf", title="By file", address=site.url("/own")),
        hit("shelf", title="By its first line", address=site.url("/titled")),
        hit("shelf", title="Of ferns", address=site.url("/other")),
    ]
    digest = sha256(own.encode()).hexdigest()
    reviewed = ReviewedPaper(
        title="How Moss Grows in the Dark", abstract="", sha256=digest, identifiers=["arxiv:2301.00001"]
    )
    findings = await find_documents(QUESTION, with_hits(sources, *hits), limit=1, under_review=reviewed)
    assert [found["title"] for found in findings.found] == ["Of ferns"]
    assert findings.notes == [
        f"{address} was left out: it is the paper under review."
        for address in ("https://a.example/1", "https://a.example/2", site.url("/own"), site.url("/titled"))
    ]


async def test_a_provider_that_fails_is_told_and_the_others_serve(sources: Sources, site: Site) -> None:
    site.pages["/api/query"] = Answer("<feed", "application/atom+xml")
    site.pages["/works"] = redirect(site.url("/works?q=x", host="openreview.net"))
    site.pages["/graph/v1/paper/search"] = json_answer(
        {"total": 1, "data": [{"title": "Of moss", "abstract": "Moss."}]}
    )
    web = sources.web
    providers = [client(name, web, site) for name in ("arxiv", "crossref", "semantic_scholar")]
    findings = await find_documents(QUESTION, replace(sources, providers=providers))
    assert [found["title"] for found in findings.found] == ["Of moss"]
    assert findings.notes[0].startswith("Literature, arxiv: ")
    assert findings.notes[1].startswith(f"{site.url('/works?q=x', host='openreview.net')} was left out")


async def test_if_all_providers_fail_the_user_is_told(sources: Sources, site: Site) -> None:
    web = sources.web
    providers = [client("arxiv", web, site), client("openalex", web, site, Secret("query", "api_key", "s3cret"))]
    with pytest.raises(
        RetrievalUnavailableError, match=r"arxiv: .*status 404; openalex: .*status 404.*choose other"
    ) as caught:
        await find_documents(QUESTION, replace(sources, providers=providers))
    assert caught.value.kind == "retrieval_failed"
    assert "s3cret" not in str(caught.value)


async def test_a_question_without_words_asks_nobody(sources: Sources, site: Site) -> None:
    findings = await find_documents("?!", replace(sources, providers=[client("arxiv", sources.web, site)]))
    assert findings == ([], [])
    assert site.asked == []


class TestFolder:
    @pytest.fixture
    def papers(self, tmp_path: Path) -> Path:
        folder = tmp_path / "papers"
        folder.mkdir()
        (folder / "moss.md").write_text("Of moss\n\nmoss moss", encoding="utf-8")
        (folder / "bad.pdf").write_text("broken", encoding="utf-8")
        return folder

    @pytest.fixture
    def local(self, sources: Sources, papers: Path, library: Library) -> Sources:
        folder = FolderProvider(papers, library.read, WordRank())
        return replace(sources, providers=[folder])

    async def test_no_other_provider_can_name_a_file(self, local: Sources, papers: Path) -> None:
        sly = hit("shelf", title="Sly", address=str(papers / "moss.md"), pdf_address=f"file://{papers}/moss.md")
        findings = await find_documents("moss", replace(local, providers=[Shelf([sly]), *local.providers]))
        assert [found["title"] for found in findings.found] == ["Of moss"]
        assert len(findings.notes) == 3


class TestSettings:
    @pytest.fixture(autouse=True)
    def home(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))
        for name in ("SEMANTIC_SCHOLAR_API_KEY", "OPENALEX_API_KEY"):
            monkeypatch.delenv(name, raising=False)

    @staticmethod
    def open(**settings: Any) -> Sources:
        return build_sources(LiteratureSettings(**settings), rank=WordRank(), gate=open_gate())

    async def test_by_default_nothing_is_asked_and_the_user_is_told_why(self) -> None:
        sources = self.open()
        assert list(sources.providers) == []
        findings = await find_documents(QUESTION, sources)
        assert findings.found == []
        assert findings.notes[0].startswith("Literature, folder: No folder of papers is set; set `folder`")

    def test_a_folder_that_is_not_among_the_providers_is_left_alone(self, tmp_path: Path) -> None:
        sources = self.open(providers=["arxiv"], folder=str(tmp_path))
        assert [provider.name for provider in sources.providers] == ["arxiv"]

    def test_each_provider_is_opened_once_in_the_order_of_the_settings(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MY_KEY", " s3cret\n")
        names = ["crossref", "arxiv", "openalex", "semantic_scholar", "arxiv"]
        sources = self.open(providers=names, openalex_key_env="MY_KEY", contact="me@example.org")
        assert [provider.name for provider in sources.providers] == names[:-1]
        assert sources.web.fetcher.user_agent == "Draftroom (mailto:me@example.org)"
        assert "s3cret" not in repr(sources)

    @pytest.mark.parametrize("key", ["s3cret\x07", "s3cr\xe9t", "s3\ncret"])
    def test_a_key_that_no_header_can_hold_is_an_error_that_does_not_tell_it(
        self, key: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", key)
        with pytest.raises(SettingsError, match="variable SEMANTIC_SCHOLAR_API_KEY contains characters") as caught:
            self.open(providers=["semantic_scholar"])
        assert "s3" not in str(caught.value)

    def test_the_blocklist_of_the_settings_counts(self) -> None:
        settings = LiteratureSettings(blocked_hosts=["reviews.example"])
        sources = build_sources(settings, rank=WordRank())
        assert sources.web.fetcher.gate.blocklist == ("reviews.example",)
        assert sources.web.fetcher.gate.loopback_for_tests == frozenset()
        assert isinstance(sources.web.fetcher, Fetcher)
        assert sources.web.fetcher.user_agent == "Draftroom"
