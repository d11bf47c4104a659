"""Find the passages of papers that answer a question: by dense retrieval, BM25, or both."""

from tools.retrieval.embedders import PACKAGED_MODEL, EmbeddingModel, compute_cosines
from tools.retrieval.search import find_passages

__all__ = ["PACKAGED_MODEL", "EmbeddingModel", "compute_cosines", "find_passages"]
