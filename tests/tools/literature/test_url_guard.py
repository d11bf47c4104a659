"""Which addresses are asked: the table of those that lead into private networks, and the blocklist."""

from __future__ import annotations

import pytest

from tests.tools.literature.conftest import resolving
from tools.literature.url_guard import (
    AddressBlockedError,
    AddressGuard,
    FetchError,
    ServerFaultError,
    is_public,
    resolve_host,
)

PRIVATE = [
    *("127.0.0.1", "127.255.255.254", "0.0.0.0", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1"),
    *("100.64.0.1", "100.127.255.255", "169.254.169.254", "192.0.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.7"),
    *("224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"),
    *("::", "::1", "2001:db8::1", "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1"),
    # IPv4 within IPv6
    *("::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "64:ff9b::7f00:1", "64:ff9b::a00:1", "2002:7f00:1::"),
    *("2002:c0a8:101::1", "2001:0:4136:e378:8000:63bf:f5ff:fffe"),
    "no address",
]
PUBLIC = ["1.1.1.1", "151.101.3.42", "172.32.0.1", "100.128.0.1", "2606:4700::1111", "64:ff9b::101:101"]


@pytest.mark.parametrize("address", PRIVATE)
def test_an_address_of_a_private_network_is_not_public(address: str) -> None:
    assert not is_public(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert is_public(address)


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "0", "localhost", "localhost."),
        *("[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:0:0:1]"),
    ],
)
async def test_no_way_to_write_the_loopback_address_passes(host: str) -> None:
    gate = AddressGuard(resolver=resolve_host)
    with pytest.raises(FetchError):
        await gate.resolve_addresses(gate.check_address(f"https://{host}/"))


@pytest.mark.parametrize("mixed", [("1.1.1.1", "10.0.0.1"), ("::1", "1.1.1.1"), ("1.1.1.1", "::ffff:10.0.0.1")])
async def test_a_name_with_one_private_address_among_others_is_refused(mixed: tuple[str, str]) -> None:
    gate = AddressGuard(resolver=resolving(*mixed))
    with pytest.raises(FetchError, match="not in the public internet"):
        await gate.resolve_addresses(gate.check_address("https://papers.example/"))


async def test_a_name_without_an_address_is_a_fault_of_the_server() -> None:
    gate = AddressGuard(resolver=resolving())
    with pytest.raises(ServerFaultError, match="cannot be found"):
        await gate.resolve_addresses(gate.check_address("https://papers.example/"))


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("ftp://papers.example/a.pdf", "only https"),
        ("file:///etc/passwd", "only https"),
        ("/etc/passwd", "only https"),
        ("javascript:alert(1)", "only https"),
        ("https://", "no proper host"),
        ("https:///a", "no proper host"),
        ("https://papers%2eexample/", "no proper host"),
        ("https://papers.example:8443/", "only port 443"),
        ("http://papers.example:8080/", "only port 443"),
        ("https://papers.example:22/", "only port 443"),
        ("https://\uff4fpenreview.net/", "not a valid web address"),
        ("https://[::1/", "not a valid web address"),
        ("https://papers.example:port/", "not a valid web address"),
        ("https://papers.example/\x00", "not a valid web address"),
    ],
)
def test_what_is_not_https_on_its_port_is_refused(address: str, reason: str) -> None:
    with pytest.raises(FetchError, match=reason):
        AddressGuard().check_address(address)


@pytest.mark.parametrize("address", ["https://me:s3cret@papers.example/a", "https://127.0.0.1\\@papers.example/"])
def test_an_address_with_a_password_is_refused_without_telling_it(address: str) -> None:
    with pytest.raises(FetchError, match="user name or password") as caught:
        AddressGuard().check_address(address)
    assert "s3cret" not in str(caught.value) + caught.value.address


def test_http_is_asked_over_https_and_the_fragment_goes() -> None:
    assert (
        str(AddressGuard().check_address("http://arxiv.org/abs/1706.03762#top")) == "https://arxiv.org/abs/1706.03762"
    )
    assert str(AddressGuard().check_address("http://arxiv.org:80/abs")) == "https://arxiv.org/abs"


@pytest.mark.parametrize("address", ["10.0.0.1", "1.1.1.1"])
def test_the_switch_of_the_tests_opens_loopback_only(address: str) -> None:
    with pytest.raises(ValueError, match="loopback addresses only"):
        AddressGuard(loopback_for_tests=frozenset({address}))


@pytest.mark.parametrize(
    "address",
    [
        "https://openreview.net/forum?id=a",
        "https://api.OpenReview.net/notes",
        "https://openreview.net./forum",
        "https://www.peerj.com/articles/1",
        "https://f1000research.com/articles/1",
        "https://wellcomeopenresearch.org/articles/1",
        "https://open-research-europe.ec.europa.eu/articles/1",
        "https://elifesciences.org/articles/1#decision-letter",
        "https://acp.copernicus.org/preprints/acp-2020-1",
        "https://egusphere.copernicus.org/preprints/2024/egusphere-2024-1",
        "https://x.com/a",
        "https://old.reddit.com/r/a",
        "https://m.youtube.com/watch",
        "https://doi.org/10.7717/peerj.4375",
        "https://dx.doi.org/10.7554/eLife.1.sa1",
        "https://doi.org//10.7717/peerj.4375",
        "https://doi.org/a/../10.7717/peerj.4375",
        "https://doi.org/%31%30.7717/peerj.4375",
        "https://web.archive.org/web/2020/https://openreview.net/forum?id=a",
        "https://openreview-net.translate.goog/forum",
    ],
)
def test_sites_with_reviews_and_social_media_are_blocked(address: str) -> None:
    with pytest.raises(AddressBlockedError, match="is on the blocklist"):
        AddressGuard().check_address(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://netflix.com/",
        "https://notopenreview.net/",
        "https://openreview.net.example.org/",
        "https://acp.copernicus.org/articles/20/1/2020/",
        "https://doi.org/10.77171/a",
        "https://doi.org/10.1038/nature12373",
        "https://arxiv.org/abs/1706.03762",
        "https://static-content.springer.com/image/a.png",
    ],
)
def test_other_sites_are_not(address: str) -> None:
    assert AddressGuard().check_address(address).scheme == "https"


def test_the_users_own_blocklist_takes_the_place_of_the_default() -> None:
    gate = AddressGuard((" Example.ORG ", "", "*"))
    with pytest.raises(AddressBlockedError, match="is on the blocklist"):
        gate.check_address("https://www.example.org/")
    assert gate.check_address("https://openreview.net/forum")
