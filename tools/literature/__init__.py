"""Find other studies on a question: in a local folder of papers, or at scholarly services named in the settings."""

from tools.literature.records import FoundDocument, identify_reviewed_paper
from tools.literature.search import Sources, build_sources, find_documents

__all__ = ["FoundDocument", "Sources", "build_sources", "find_documents", "identify_reviewed_paper"]
