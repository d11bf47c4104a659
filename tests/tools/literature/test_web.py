"""Politeness and memory: turns, tries, and what is kept on disk."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from state.errors import StateError
from tests.tools.literature.conftest import Clock
from tests.tools.literature.site import Answer, Site, json_answer, redirect
from tools.literature.url_guard import AddressBlockedError, AddressGuard, ServerFaultError
from tools.literature.web import JSON_TYPES, Download, DownloadCache, RateLimiter, Secret, Service, WebClient

SERVICE = Service("catalogue", 3.0)
SLOW_DOWN = Answer(status=429, headers={"Retry-After": "2"})


async def ask(web: WebClient, site: Site, query: str = "cells") -> str:
    address = site.url("/search")
    secrets = [Secret("query", "key", "s3cret")]
    params = {"q": query}
    return await web.query_service(SERVICE, address, params, accept=JSON_TYPES, read=parse_word, secrets=secrets)


def parse_word(data: bytes) -> str:
    return str(json.loads(data)["word"]) if data != b"{}" else ""


def kept(web: WebClient) -> list[Path]:
    return list(web.searches.folder.iterdir())


class TestPace:
    async def test_requests_at_the_same_time_take_turns(self, web: WebClient, site: Site, clock: Clock) -> None:
        site.pages["/search"] = json_answer({"word": "cell"})
        await asyncio.gather(*(ask(web, site, query) for query in ("one", "two", "three")))
        assert clock.slept == [3.0, 3.0]

    async def test_services_do_not_wait_for_each_other(self, clock: Clock) -> None:
        pace = RateLimiter(clock, clock.sleep)
        async with pace.get_lock(Service("one", 3)), pace.get_lock(Service("two", 3)):
            await pace.wait_for_turn(Service("one", 3))
            await pace.wait_for_turn(Service("two", 3))
            assert clock.slept == []

    def test_event_loops_of_other_threads_share_the_turns(self, clock: Clock) -> None:
        pace = RateLimiter(clock, clock.sleep)
        threads = [threading.Thread(target=asyncio.run, args=(pace.wait_for_turn(SERVICE),)) for _ in range(2)]
        for thread in threads:
            thread.start()
            thread.join()
        assert clock.slept == [3.0]

    async def test_files_of_arxiv_take_the_turns_of_its_api(self, web: WebClient, site: Site, clock: Clock) -> None:
        site.pages["/pdf/1"] = site.pages["/pdf/2"] = Answer(b"%PDF-", "application/pdf")
        await web.fetch_file(site.url("/pdf/1", host="arxiv.org"))
        await web.fetch_file(site.url("/pdf/2", host="export.arxiv.org"))
        await web.fetch_file(site.url("/pdf/1", host="papers.example"))
        await web.fetch_file(site.url("/pdf/2", host="papers.example"))
        assert clock.slept == [3.0, 1.0]


class TestTries:
    async def test_retry_after_is_honoured_by_everyone(self, web: WebClient, site: Site, clock: Clock) -> None:
        site.pages["/search"] = [SLOW_DOWN, json_answer({"word": "cell"})]
        web = replace(web, pace=RateLimiter(clock, clock.sleep))
        assert await ask(web, site) == "cell"
        assert clock.slept == [2.0, 1.0]  # what was asked, and what is left of the interval

    async def test_without_it_the_wait_doubles_and_the_tries_end(
        self, web: WebClient, site: Site, clock: Clock
    ) -> None:
        site.pages["/search"] = Answer(status=503)
        free = Service("free", 0.0)
        with pytest.raises(ServerFaultError, match="status 503"):
            await web.query_service(free, site.url("/search"), {}, accept=JSON_TYPES, read=parse_word)
        assert clock.slept == [1.0, 2.0]
        assert len(site.asked) == 3

    @pytest.mark.parametrize(
        "fault",
        [Answer(status=404), Answer(status=429, headers={"Retry-After": "3600"}), Answer(status=400)],
        ids=["404", "a wait of an hour", "400"],
    )
    async def test_what_will_not_pass_is_not_tried_again(self, fault: Answer, web: WebClient, site: Site) -> None:
        site.pages["/search"] = fault
        with pytest.raises(ServerFaultError):
            await ask(web, site)
        assert len(site.asked) == 1


class TestCache:
    async def test_the_same_search_is_sent_once(self, web: WebClient, site: Site) -> None:
        site.pages["/search"] = json_answer({"word": "cell"})
        assert [await ask(web, site), await ask(web, site), await ask(web, site, "other")] == ["cell"] * 3
        assert [asked.query["q"] for asked in site.asked] == ["cells", "other"]

    async def test_a_search_expires(self, web: WebClient, site: Site) -> None:
        site.pages["/search"] = [json_answer({"word": "cell"}), json_answer({"word": "neuron"})]
        for age, word in ((0, "cell"), (3500, "cell"), (3600, "neuron")):
            for file in web.searches.folder.glob("*"):
                os.utime(file, (time.time() - age,) * 2)
            assert await ask(web, site) == word

    async def test_an_answer_that_cannot_be_read_is_not_kept(self, web: WebClient, site: Site) -> None:
        site.pages["/search"] = [Answer("{", "application/json"), json_answer({"word": "cell"})]
        with pytest.raises(ServerFaultError, match="not in the format of its service"):
            await ask(web, site)
        assert await ask(web, site) == "cell"

    async def test_no_key_is_in_names_or_contents(self, web: WebClient, site: Site) -> None:
        site.pages["/search"] = json_answer({"word": "cell"})
        await ask(web, site)
        (file,) = kept(web)
        assert "s3cret" not in file.name
        assert b"s3cret" not in file.read_bytes()
        assert file.stat().st_mode & 0o077 == 0

    async def test_a_file_is_fetched_once_and_stays(self, web: WebClient, site: Site) -> None:
        site.pages["/a"] = redirect("/b")
        site.pages["/b"] = Answer("caf\xe9".encode("latin-1"), "text/plain; charset=latin-1")
        first = await web.fetch_file(site.url("/a"))
        for file in web.files.folder.iterdir():
            os.utime(file, (0, 0))
        assert await web.fetch_file(site.url("/a#part")) == first
        assert first == Download(site.url("/b"), "text/plain", "caf\xe9".encode("latin-1"))
        assert len(site.asked) == 2

    async def test_a_file_of_a_site_that_was_blocked_since_is_not_used(self, web: WebClient, site: Site) -> None:
        site.pages["/a"] = redirect(site.url("/b", host="reviews.example"))
        site.pages["/b"] = Answer("a review")
        await web.fetch_file(site.url("/a"))
        gate = web.fetcher.gate
        later = AddressGuard(("reviews.example",), gate.resolver, gate.loopback_for_tests)
        with pytest.raises(AddressBlockedError):
            await replace(web, fetcher=replace(web.fetcher, gate=later)).fetch_file(site.url("/a"))

    @pytest.mark.parametrize(
        "damage", [b"", b"{}\nwords", b"[1]\nwords", b"\xff\n"], ids=["empty", "bare", "list", "no text"]
    )
    def test_a_damaged_entry_counts_as_none(self, damage: bytes, tmp_path: Path) -> None:
        cache = DownloadCache(tmp_path)
        cache.store_entry("key", Download("https://a.example/", "text/plain", b"words\nand more"))
        (file,) = tmp_path.iterdir()
        assert cache.load_entry("key") == ("https://a.example/", "text/plain", b"words\nand more")
        file.write_bytes(damage)
        assert cache.load_entry("key") is None

    def test_a_folder_that_cannot_be_written_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way", encoding="utf-8")
        with pytest.raises(StateError):
            DownloadCache(tmp_path / "file" / "searches").store_entry("key", Download("", "", b""))
