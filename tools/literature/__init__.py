"""Other studies for a question: a local folder of papers, or scholarly services if the user names them."""

from tools.literature.finding import Sources, find_documents, open_sources
from tools.literature.records import Findings, Found, under_review

__all__ = ["Findings", "Found", "Sources", "find_documents", "open_sources", "under_review"]
