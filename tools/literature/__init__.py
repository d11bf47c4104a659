"""Other studies for a question: a local folder of papers, or scholarly services if the user names them."""

from tools.literature.finding import Sources, find_documents
from tools.literature.records import Findings, Found, under_review
from tools.literature.sources import open_sources

__all__ = ["Findings", "Found", "Sources", "find_documents", "open_sources", "under_review"]
