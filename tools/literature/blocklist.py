"""Sites that are never asked: a review of the very paper must not be retrieved (SWIF2T, Section 4.1).

An entry is a host, which stands for its subdomains too, or a host with the beginning of a path. Where reviews stand
on the same pages as the papers (PeerJ, F1000Research, eLife), the whole site is blocked; and because hits often bear
only a DOI, so are the DOIs that lead there.
"""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import normpath
from urllib.parse import unquote

import httpx2

REVIEWS = (
    "openreview.net",
    "publons.com",
    "pubpeer.com",
    "reviewcommons.org",
    "prereview.org",
    "sciety.org",
    "peercommunityin.org",
    "doi.org/10.24072",
    "qeios.com",
    "doi.org/10.32388",
    "scienceopen.com",
    "doi.org/10.14293",
    "rrid.mitpress.mit.edu",
    "rapidreviewscovid19.mitpress.mit.edu",
    "prelights.biologists.com",
    "scirate.com",
    "alphaxiv.org",
    "hypothes.is",
    "peerj.com",
    "doi.org/10.7717",
    "doi.org/10.7287",
    "elifesciences.org",
    "doi.org/10.7554",
    "scipost.org",
    "doi.org/10.21468",
    "static-content.springer.com/esm",  # supplements, among them the peer review files of Nature's journals
)
F1000_PLATFORMS = (
    "f1000research.com",
    "f1000.com",
    "facultyopinions.com",
    "connect.h1.co",
    "wellcomeopenresearch.org",
    "gatesopenresearch.org",
    "verixiv.org",
    "hrbopenresearch.org",
    "aasopenresearch.org",
    "openresearchafrica.net",
    "amrcopenresearch.org",
    "mniopenresearch.org",
    "nihropenresearch.org",
    "healthopenresearch.org",
    "emeraldopenresearch.com",
    "routledgeopenresearch.org",
    "materialsopenresearch.org",
    "molecularpsychology.org",
    "digitaltwin1.org",
    "open-research-europe.ec.europa.eu",
    "doi.org/10.12688",
    "doi.org/10.5256",
    "doi.org/10.21956",
    "doi.org/10.3410",
)
COPERNICUS_DISCUSSIONS = (
    "egusphere.copernicus.org",
    "editor.copernicus.org",
    "copernicus.org/preprints",
    "atmos-chem-phys-discuss.net",
    "atmos-meas-tech-discuss.net",
    "biogeosciences-discuss.net",
    "clim-past-discuss.net",
    "earth-syst-dynam-discuss.net",
    "earth-syst-sci-data-discuss.net",
    "geosci-model-dev-discuss.net",
    "hydrol-earth-syst-sci-discuss.net",
    "nat-hazards-earth-syst-sci-discuss.net",
    "ocean-sci-discuss.net",
    "solid-earth-discuss.net",
    "the-cryosphere-discuss.net",
)
SOCIAL_MEDIA = (
    "x.com",
    "twitter.com",
    "t.co",
    "nitter.net",
    "reddit.com",
    "redd.it",
    "facebook.com",
    "fb.com",
    "fb.me",
    "instagram.com",
    "threads.net",
    "threads.com",
    "linkedin.com",
    "lnkd.in",
    "youtube.com",
    "youtu.be",
    "tiktok.com",
    "bsky.app",
    "mastodon.social",
    "tumblr.com",
    "pinterest.com",
    "quora.com",
    "discord.com",
    "t.me",
    "vk.com",
    "weibo.com",
    "zhihu.com",
    "news.ycombinator.com",
)
COPIES = (  # through which any of the others could be read
    "web.archive.org",
    "archive.today",
    "archive.is",
    "archive.ph",
    "translate.goog",
    "translate.google.com",
    "webcache.googleusercontent.com",
    "r.jina.ai",
)
DEFAULT_BLOCKLIST = (*REVIEWS, *F1000_PLATFORMS, *COPERNICUS_DISCUSSIONS, *SOCIAL_MEDIA, *COPIES)


def blocking_entry(url: httpx2.URL, blocklist: Iterable[str]) -> str | None:
    """The entry that keeps an address out; None if there is none."""
    host = url.raw_host.decode("ascii").rstrip(".").lower()
    path = normpath("/" + unquote(url.path).lower().lstrip("/"))
    return next((entry for entry in blocklist if _covers(entry.strip().lower(), host, path)), None)


def _covers(entry: str, host: str, path: str) -> bool:
    site, _, beginning = entry.partition("/")
    here = host == site or host.endswith(f".{site}")
    return here and bool(site) and f"{path}/".startswith(f"/{beginning}".rstrip("/") + "/")
