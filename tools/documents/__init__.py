"""Reads papers of any format, each content once, into stored documents of paragraphs that know their places."""

from tools.documents.reading import read_document, read_document_bytes
from tools.documents.store import load_document, stored_text

__all__ = ["load_document", "read_document", "read_document_bytes", "stored_text"]
