"""Finds the passages of papers that bear on a question: dense retrieval, BM25, or both."""

from tools.retrieval.embedders import PACKAGED_MODEL, Embedding, cosines
from tools.retrieval.search import search

__all__ = ["PACKAGED_MODEL", "Embedding", "cosines", "search"]
