"""Names of files that are safe on any file system, whatever a sample or a corpus is called."""

from __future__ import annotations

import re
from hashlib import sha256
from unicodedata import normalize

_LONGEST = 40
_PAGE = re.compile(r"[a-z0-9-]+-[0-9a-f]{16}\.html")


def slug(text: str) -> str:
    """The letters and digits of a text as a part of a file's name; those that are not ASCII are left out."""
    ascii_only = normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", ascii_only).strip("-")[:_LONGEST].strip("-")


def page_name(sample: str) -> str:
    """Name of a sample's page: no two ids share one, also where a file system ignores case."""
    return f"{slug(sample) or 'sample'}-{sha256(sample.encode()).hexdigest()[:16]}.html"


def is_page_name(name: str) -> bool:
    """Whether a file may be a sample's page."""
    return _PAGE.fullmatch(name) is not None
