"""Reads one paper: as stored plain text, or as a document of paragraphs that know their places."""

from tools.documents.reading import read_bytes, read_paper
from tools.documents.store import stored_text
from tools.documents.structured.reading import read_document, read_document_bytes
from tools.documents.structured.stored import load_document

__all__ = ["load_document", "read_bytes", "read_document", "read_document_bytes", "read_paper", "stored_text"]
