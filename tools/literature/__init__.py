"""Other studies for a question: a local folder of papers, or scholarly services if the user names them."""

from tools.literature.records import FoundDocument, LiteratureResults, identify_reviewed_paper
from tools.literature.search import Sources, build_sources, find_documents

__all__ = [
    "FoundDocument",
    "LiteratureResults",
    "Sources",
    "build_sources",
    "find_documents",
    "identify_reviewed_paper",
]
