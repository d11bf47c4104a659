"""Reads one paper (PDF, Markdown or plain text) into stored plain text."""

from tools.documents.reading import read_bytes, read_paper
from tools.documents.store import stored_text

__all__ = ["read_bytes", "read_paper", "stored_text"]
