"""Other studies for a question: a local folder of papers, or scholarly services if the user names them."""

from tools.literature.finding import Sources, find_documents
from tools.literature.records import (
    Blocked,
    Findings,
    Found,
    Hit,
    Notice,
    Provider,
    SearchResult,
    UnderReview,
    under_review,
)
from tools.literature.sources import open_sources
from tools.literature.url_guard import Gate

__all__ = [
    "Blocked",
    "Findings",
    "Found",
    "Gate",
    "Hit",
    "Notice",
    "Provider",
    "SearchResult",
    "Sources",
    "UnderReview",
    "find_documents",
    "open_sources",
    "under_review",
]
