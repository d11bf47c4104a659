"""One download: what connects where, what is cut off, and what is never told."""

from __future__ import annotations

import datetime
import gzip
import logging
import ssl
import zlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.tools.literature.conftest import LOOPBACK, open_gate, resolving
from tests.tools.literature.site import Answer, Site, redirect
from tools.literature.url_guard import AddressGuard, FetchError, ServerFaultError
from tools.literature.web import DOCUMENT_TYPES, Download, Fetcher, Secret

FETCHER = Fetcher(open_gate(), "Draftroom (mailto:me@example.org)")


async def get(site: Site, path: str = "/a", fetcher: Fetcher = FETCHER) -> Download:
    return await fetcher.fetch(site.url(path), accept=DOCUMENT_TYPES)


async def test_a_page_is_fetched_with_its_type(site: Site) -> None:
    site.pages["/a"] = Answer("caf\xe9".encode("latin-1"), "Text/HTML; charset=ISO-8859-1")
    download = await get(site)
    assert download == Download(site.url("/a"), "text/html", b"caf\xe9")
    (asked,) = site.asked
    assert asked.headers["host"] == f"papers.example:{site.port}"
    assert asked.headers["user-agent"] == "Draftroom (mailto:me@example.org)"
    assert "cookie" not in asked.headers


async def test_proxies_of_the_environment_are_not_used(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    site.pages["/a"] = Answer("words")
    assert (await get(site)).data == b"words"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed(status: int, site: Site) -> None:
    site.pages["/a"] = redirect("b?c=d#e", status)
    site.pages["/b"] = Answer("words")
    assert (await get(site)).address == site.url("/b?c=d")


async def test_at_most_five_hops_are_followed(site: Site) -> None:
    site.pages["/a"] = redirect("/a")
    with pytest.raises(FetchError, match="redirects more than 5 times"):
        await get(site)
    assert len(site.asked) == 6


@pytest.mark.parametrize("location", ["http://[::1", "https://papers.example:port/"])
async def test_a_redirect_to_nowhere_is_refused(location: str, site: Site) -> None:
    site.pages["/a"] = redirect(location)
    with pytest.raises(FetchError, match="web address"):
        await get(site)


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://papers.example/a", "//me:pw@papers.example/a"])
async def test_a_redirect_is_checked_as_the_first_address_is(location: str, site: Site) -> None:
    site.pages["/a"] = redirect(location)
    with pytest.raises(FetchError, match="is not asked"):
        await get(site)
    assert len(site.asked) == 1


class TestPrivateNetworks:
    """127.0.0.1 plays the public internet, 127.0.0.2 a machine of the private network."""

    @staticmethod
    def fetcher(*answers: list[str]) -> Fetcher:
        """Its resolver tells these answers one after the other, and the last one for good."""
        told = list(answers)

        async def resolve(host: str, port: int) -> list[str]:
            return told.pop(0) if len(told) > 1 else told[0]

        return Fetcher(AddressGuard(resolver=resolve, loopback_for_tests=LOOPBACK), "Draftroom")

    async def test_the_private_machine_could_be_reached(self, private: Site) -> None:
        private.pages["/a"] = Answer("secrets")
        gate = AddressGuard(resolver=resolving("127.0.0.2"), loopback_for_tests=frozenset({"127.0.0.2"}))
        assert (await get(private, fetcher=Fetcher(gate, "Draftroom"))).data == b"secrets"
        assert private.connections == 1

    async def test_a_private_address_is_never_connected_to(self, site: Site, private: Site) -> None:
        with pytest.raises(FetchError, match="not in the public internet"):
            await get(site, fetcher=self.fetcher(["127.0.0.2"]))
        assert (site.connections, private.connections) == (0, 0)

    async def test_a_name_that_is_bound_anew_after_the_check_leads_nowhere(self, site: Site, private: Site) -> None:
        site.pages["/a"] = Answer("words")
        download = await get(site, fetcher=self.fetcher(["127.0.0.1"], ["127.0.0.2"]))
        assert download.data == b"words"
        assert (site.connections, private.connections) == (1, 0)

    async def test_a_name_that_is_bound_anew_for_a_redirect_is_refused(self, site: Site, private: Site) -> None:
        site.pages["/a"] = redirect("/b")
        private.pages["/b"] = Answer("secrets")
        with pytest.raises(FetchError, match="not in the public internet"):
            await get(site, fetcher=self.fetcher(["127.0.0.1"], ["127.0.0.2"]))
        assert (site.connections, private.connections) == (1, 0)

    @pytest.mark.parametrize("host", ["127.0.0.2", "2130706434", "0x7f.2", "[::ffff:127.0.0.2]", "[::1]"])
    async def test_a_redirect_into_the_private_network_is_refused(self, host: str, site: Site, private: Site) -> None:
        site.pages["/a"] = redirect(f"http://{host}:{site.port}/admin")
        fetcher = Fetcher(AddressGuard(loopback_for_tests=LOOPBACK), "Draftroom")
        with pytest.raises(FetchError, match="not in the public internet"):
            await fetcher.fetch(f"http://127.0.0.1:{site.port}/a", accept=DOCUMENT_TYPES)
        assert (site.connections, private.connections) == (1, 0)


async def test_the_next_address_is_tried_if_one_does_not_answer(site: Site) -> None:
    site.pages["/a"] = Answer("words")
    gate = AddressGuard(resolver=resolving("127.0.0.3", "127.0.0.1"), loopback_for_tests=LOOPBACK | {"127.0.0.3"})
    assert (await get(site, fetcher=Fetcher(gate, "Draftroom"))).data == b"words"


async def test_a_host_that_does_not_answer_is_a_passing_fault(site: Site) -> None:
    gate = AddressGuard(resolver=resolving("127.0.0.3"), loopback_for_tests=frozenset({"127.0.0.3"}))
    with pytest.raises(ServerFaultError, match="cannot be reached") as caught:
        await get(site, fetcher=Fetcher(gate, "Draftroom"))
    assert caught.value.passing


class TestLimits:
    @pytest.mark.parametrize("endless", [False, True])
    async def test_a_large_answer_is_cut_off(self, endless: bool, site: Site) -> None:
        site.pages["/a"] = Answer(b"x" * 2001, hangs=endless)
        with pytest.raises(FetchError, match=r"is larger than 0\.002 MB"):
            await get(site, fetcher=replace(FETCHER, max_bytes=2000))

    @pytest.mark.parametrize("encoding", ["gzip", "deflate"])
    async def test_a_bomb_is_cut_off_by_its_decompressed_size(self, encoding: str, site: Site) -> None:
        bomb = gzip.compress(bytes(50_000_000)) if encoding == "gzip" else zlib.compress(bytes(50_000_000))
        site.pages["/a"] = Answer(bomb, headers={"Content-Encoding": encoding})
        with pytest.raises(FetchError, match="is larger than 1 MB"):
            await get(site, fetcher=replace(FETCHER, max_bytes=1_000_000))

    async def test_a_broken_compression_is_a_fault(self, site: Site) -> None:
        site.pages["/a"] = Answer(b"words", headers={"Content-Encoding": "gzip"})
        with pytest.raises(ServerFaultError, match="invalid answer"):
            await get(site)

    @pytest.mark.parametrize("body", [b"", b"half a page"], ids=["silence", "half an answer"])
    async def test_time_runs_out(self, body: bytes, site: Site) -> None:
        site.pages["/a"] = Answer(body, hangs=True)
        with pytest.raises(ServerFaultError, match=r"sent no complete answer within 0\.3 s") as caught:
            await get(site, fetcher=replace(FETCHER, seconds=0.3))
        assert caught.value.passing

    @pytest.mark.parametrize("kind", ["image/png", "application/zip", "application/json", "text/css"])
    async def test_other_types_are_refused(self, kind: str, site: Site) -> None:
        site.pages["/a"] = Answer("{}", kind)
        with pytest.raises(FetchError, match="has a type that is not supported"):
            await get(site)

    @pytest.mark.parametrize("kind", ["", "application/octet-stream"])
    async def test_a_pdf_without_its_type_is_known_by_its_beginning(self, kind: str, site: Site) -> None:
        site.pages["/a"] = Answer(b"%PDF-1.7", kind)
        assert (await get(site)).content_type == "application/pdf"

    @pytest.mark.parametrize("kind", ["", "application/octet-stream"])
    async def test_anything_else_without_a_type_is_refused(self, kind: str, site: Site) -> None:
        site.pages["/a"] = Answer(b"MZ", kind)
        with pytest.raises(FetchError, match="does not name"):
            await get(site)


@pytest.mark.parametrize(("status", "passing"), [(404, False), (403, False), (204, False), (429, True), (503, True)])
async def test_a_refusal_tells_its_status_and_whether_it_passes(status: int, passing: bool, site: Site) -> None:
    site.pages["/a"] = Answer("a page that says why", status=status)
    with pytest.raises(ServerFaultError, match=f"answered with status {status}") as caught:
        await get(site, "/a?q=words")
    assert caught.value.passing is passing
    assert "says why" not in str(caught.value)
    assert "words" not in str(caught.value)


class TestSecrets:
    secrets = (Secret("header", "X-Key", "s3cret-one"), Secret("query", "api_key", "s3cret two"))

    async def ask(self, site: Site, fetcher: Fetcher = FETCHER) -> Download:
        return await fetcher.fetch(site.url("/a?q=words"), accept=DOCUMENT_TYPES, secrets=self.secrets)

    async def test_keys_reach_the_service_and_stand_in_no_address(self, site: Site) -> None:
        site.pages["/a"] = Answer("words")
        download = await self.ask(site)
        (asked,) = site.asked
        assert asked.query == {"q": "words", "api_key": "s3cret two"}
        assert asked.headers["x-key"] == "s3cret-one"
        assert download.address == site.url("/a?q=words")

    async def test_another_host_is_not_told_the_keys(self, site: Site) -> None:
        site.pages["/a"] = redirect(site.url("/b?api_key=s3cret+two", host="other.example"))
        site.pages["/b"] = Answer("words")
        download = await self.ask(site)
        assert "s3cret" not in str(site.asked[1])
        assert "s3cret" not in download.address

    async def test_keys_are_in_no_error(self, site: Site) -> None:
        blocked = site.url("/b?api_key=s3cret+two", host="openreview.net")
        site.pages["/a"] = [Answer("s3cret", status=403), redirect(blocked), Answer("", "text/css")]
        for _ in range(3):
            with pytest.raises(FetchError) as caught:
                await self.ask(site)
            assert "s3cret" not in str(caught.value) + caught.value.address

    async def test_keys_are_not_logged(self, site: Site, caplog: pytest.LogCaptureFixture) -> None:
        site.pages["/a"] = Answer("words")
        with caplog.at_level(logging.DEBUG):
            await self.ask(site)
        assert "connect_tcp" in caplog.text  # the library does log
        assert "s3cret" not in caplog.text


class TestCertificates:
    """The connection goes to the address that was checked, and the certificate must still be the name's."""

    @pytest.fixture
    def certificate(self, tmp_path: Path) -> Path:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "papers.example")])
        names = x509.SubjectAlternativeName([x509.DNSName("papers.example")])
        now = datetime.datetime.now(datetime.UTC)
        day = datetime.timedelta(days=1)
        builder = x509.CertificateBuilder(
            name, name, key.public_key(), x509.random_serial_number(), now - day, now + day
        )
        signed = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
        path = tmp_path / "certificate.pem"
        unencrypted = serialization.NoEncryption()
        format_ = serialization.PrivateFormat.PKCS8
        pem = key.private_bytes(serialization.Encoding.PEM, format_, unencrypted)
        path.write_bytes(pem + signed.public_bytes(serialization.Encoding.PEM))
        return path

    @pytest.fixture
    def secure(self, certificate: Path) -> Iterator[Site]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        site = Site(tls=context)
        site.pages["/a"] = Answer("words")
        yield site
        site.close()

    @pytest.fixture
    def fetcher(self, certificate: Path) -> Fetcher:
        return replace(FETCHER, certificates=ssl.create_default_context(cafile=str(certificate)))

    async def test_the_certificate_of_the_name_is_accepted(self, secure: Site, fetcher: Fetcher) -> None:
        download = await fetcher.fetch(f"https://papers.example:{secure.port}/a", accept=DOCUMENT_TYPES)
        assert download.data == b"words"

    @pytest.mark.parametrize("host", ["other.example", "127.0.0.1"])
    async def test_another_name_is_not(self, host: str, secure: Site, fetcher: Fetcher) -> None:
        with pytest.raises(ServerFaultError, match="cannot be reached"):
            await fetcher.fetch(f"https://{host}:{secure.port}/a", accept=DOCUMENT_TYPES)
        assert secure.asked == []
