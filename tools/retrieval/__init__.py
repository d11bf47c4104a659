"""Find the passages of papers that answer a question: by dense retrieval, BM25, both, or a retriever of the user's."""
