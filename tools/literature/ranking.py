"""One list from those of all providers: each study once."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, zip_longest
from urllib.parse import urlsplit

from tools.literature.identity import title_key
from tools.literature.records import Hit

_WEB_SEARCH = {"google"}  # all others name scholarly works only
_TITLE_WORDS = 3  # a shorter title, such as Introduction, may be that of many studies
_SCHOLARLY_HOSTS = (
    "aclanthology.org",
    "acm.org",
    "acs.org",
    "ams.org",
    "annualreviews.org",
    "aps.org",
    "arxiv.org",
    "bioone.org",
    "biorxiv.org",
    "biomedcentral.com",
    "bmj.com",
    "cambridge.org",
    "cell.com",
    "chemrxiv.org",
    "cochranelibrary.com",
    "copernicus.org",
    "core.ac.uk",
    "doi.org",
    "europepmc.org",
    "frontiersin.org",
    "hal.science",
    "ieee.org",
    "iop.org",
    "jamanetwork.com",
    "jmlr.org",
    "jstor.org",
    "mdpi.com",
    "medrxiv.org",
    "mlr.press",
    "nature.com",
    "ncbi.nlm.nih.gov",
    "nejm.org",
    "neurips.cc",
    "oup.com",
    "plos.org",
    "pnas.org",
    "royalsocietypublishing.org",
    "rsc.org",
    "sagepub.com",
    "science.org",
    "sciencedirect.com",
    "semanticscholar.org",
    "springer.com",
    "ssrn.com",
    "tandfonline.com",
    "thecvf.com",
    "thelancet.com",
    "usenix.org",
    "wiley.com",
    "zenodo.org",
)


def merge(results: Sequence[Sequence[Hit]], *, scholarly_first: bool = False) -> list[Hit]:
    """Take turns among the providers; a study that several name stands once, with all that they tell of it.

    Args:
        results: Of each provider, in its order.
        scholarly_first: Whether hits from scholarly sources come before all others (the aid).
    """
    merged = list[Hit]()
    known = dict[str, int]()
    for hit in chain.from_iterable(zip_longest(*results)):
        if hit is None:
            continue
        title = title_key(hit["title"])
        keys = [*hit["identifiers"], *([title] if len(title.split()) >= _TITLE_WORDS else [])]
        place = next((known[key] for key in keys if key in known), len(merged))
        if place == len(merged):
            merged.append(hit)
        else:
            merged[place] = _completed(merged[place], hit)
        known.update(dict.fromkeys(keys, place))
    return sorted(merged, key=lambda hit: not is_scholarly(hit)) if scholarly_first else merged


def is_scholarly(hit: Hit) -> bool:
    """Whether a hit comes from a scholarly catalogue, a local folder, or the site of a scientific publisher."""
    if hit["provider"] not in _WEB_SEARCH:
        return True
    host = (urlsplit(hit["address"]).hostname or "").rstrip(".")
    return any(host == site or host.endswith(f".{site}") for site in _SCHOLARLY_HOSTS)


def _completed(hit: Hit, other: Hit) -> Hit:
    return Hit(
        provider=hit["provider"],
        title=hit["title"] or other["title"],
        authors=hit["authors"] or other["authors"],
        year=hit["year"] or other["year"],
        abstract=hit["abstract"] or other["abstract"],
        address=hit["address"] or other["address"],
        pdf_address=hit["pdf_address"] or other["pdf_address"],
        identifiers=list(dict.fromkeys([*hit["identifiers"], *other["identifiers"]])),
    )
